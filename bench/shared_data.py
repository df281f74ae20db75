"""Where the published annotation files are, or a clear end when they are not."""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def shared_data_folder() -> Path:
    """The folder that PIEV_SHARED_DATA names, by default beside the repository."""
    folder = Path(os.environ.get("PIEV_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        print(f"   left out: no published annotation files at {folder}; set PIEV_SHARED_DATA")
        sys.exit(0)
    return folder
