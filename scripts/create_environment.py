"""Create the virtual environment named on the command line, or say what is missing.

Standard library only: this is the first thing that a fresh machine runs.
"""

import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)


def main() -> int:
    folder = Path(sys.argv[1])
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        print(f"PIE-V needs Python 3.11 or newer; {sys.executable} is {found}.", file=sys.stderr)
        print("Name a newer one: make demo PYTHON=python3.12", file=sys.stderr)
        return 1
    try:
        venv.create(folder, with_pip=True, clear=True)
    except subprocess.CalledProcessError:
        print("This Python cannot create virtual environments with pip.", file=sys.stderr)
        print("On Debian and Ubuntu: apt-get install python3-venv", file=sys.stderr)
        return 1
    # Dependency groups need pip 25.1; the one that Python 3.11 bundles is older.
    pip = [str(folder / "bin" / "python"), "-m", "pip", "-qq", "install", "--upgrade", "pip"]
    return subprocess.run(pip, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
