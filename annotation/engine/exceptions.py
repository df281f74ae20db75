"""What services and selectors refuse in words that people read."""


class NotNowError(Exception):
    """What is asked for cannot be done as things are; the message says why.

    Every endpoint answers it with 409 and the message (`piev_site.api`).
    """
