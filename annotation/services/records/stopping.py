"""A worker that is asked to stop begins nothing new, and ends what is under way.

What is under way is paid for: a process that is killed loses it, and the next one pays again.
"""

import mmap

# The processes of a pool hear of no signal, so they share this byte with the parent that forks
# them. It needs no lock, which a signal handler could meet while it is held.
_is_asked = mmap.mmap(-1, 1)


def ask_to_stop() -> None:
    """Have this process, and those that it forked, begin nothing new; a signal handler may."""
    _is_asked[0] = 1


def is_stopping() -> bool:
    return bool(_is_asked[0])
