"""The pages that are tested here, and what they quote: links, pictures and command lines."""

import re
import shlex
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGES = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md")))

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
# Two blanks after the name: the tree of files in CONTRIBUTING.md, not a command.
COMMAND_LINE = re.compile(r"(?:\bmanage\.py|(?:^|/)piev) ([a-z]\w*(?: .*)?)$")
BENCH_LINE = re.compile(r"\bpython -m bench\.(\w+(?: .*)?)$")
MAKE_LINE = re.compile(r"^make ([a-z-]+)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """Return the page without its code blocks, whose brackets are no links."""
    return CODE_BLOCK.sub("", text_of(page))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that a forge makes of the headings."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in HEADING.findall(prose_of(page))
    }


def command_lines_of(page: Path) -> list[list[str]]:
    """Return the words after `manage.py` or `piev` of every command line on the page."""
    found = [COMMAND_LINE.search(code) for code in _codes_of(page)]
    return [shlex.split(match.group(1), comments=True) for match in found if match]


def bench_lines_of(page: Path) -> list[list[str]]:
    """Return the words after `python -m bench.` of every such line; optional ones lose brackets."""
    found = [BENCH_LINE.search(code) for code in _codes_of(page)]
    lines = [re.sub(r"[\[\]]", "", match.group(1)) for match in found if match]
    return [shlex.split(line, comments=True) for line in lines]


def make_targets_of(page: Path) -> set[str]:
    """Return the targets of the makefile that the page names."""
    found = [MAKE_LINE.search(code) for code in _codes_of(page)]
    return {match.group(1) for match in found if match}


def _codes_of(page: Path) -> list[str]:
    """Return the lines of the page's code blocks and what stands in its text as code."""
    blocks = "\n".join(body for _, body in CODE_BLOCK.findall(text_of(page)))
    return [*blocks.replace("\\\n", " ").splitlines(), *INLINE_CODE.findall(prose_of(page))]
