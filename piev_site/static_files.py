"""How static files are stored: under names that change with their content, modules included."""

from typing import ClassVar

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Django's stubs leave this attribute out.
_, IMPORTS = HashedFilesMixin._js_module_import_aggregation_patterns  # type: ignore[attr-defined]


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Gives what our own modules import their hashed names as well.

    Without that, a browser that has kept a module for a minute after an update runs modules of two
    versions together. Django's own switch for it reads every script there is, and stops at those of
    other packages whose comments show an import.
    """

    patterns: ClassVar = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("annotation/js/*.js", IMPORTS),
    )
