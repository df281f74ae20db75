"""The cut that `bench.cutting` measures, as a program of its own that loads nothing else.

python -m bench.one_cut SOURCE OUT
"""

import sys
from pathlib import Path

from generation.backends.video.edits import Edit
from generation.backends.video.splicing.splice import splice

CUT_S = (63.4, 71.7)


def main(source: str, out: str) -> int:
    """Cut the stretch out and print by which path."""
    result = splice(Path(source), [Edit(*CUT_S)], Path(out))
    print(result.path, *result.reasons)
    return 0 if result.verification.is_passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
