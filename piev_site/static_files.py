"""How static files are stored: under names that change with their content, modules included."""

from typing import ClassVar

from whitenoise.storage import CompressedManifestStaticFilesStorage

# `import { ... } from "./module.js";`, or from another folder, as our own modules write it.
IMPORT = (
    r"""(?P<matched>import(?P<names>\s*\{[^}]*\})\s*from\s*"(?P<url>\.{1,2}/[^"]+)"\s*;)""",
    """import%(names)s from "%(url)s";""",
)


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Gives what our own modules import their hashed names as well.

    Without that, a browser that has kept a module for a minute after an update runs modules of two
    versions together. Django's own switch for it reads every script there is, and stops at those of
    other packages whose comments show an import.
    """

    patterns: ClassVar = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("annotation/js/*.js", (IMPORT,)),
        ("segments/js/*.js", (IMPORT,)),
    )
