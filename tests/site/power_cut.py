"""What a power cut leaves on the disk: a traced program's writes up to the last sync of each file.

A write that no sync followed is taken as lost: a disk may keep it or not, so it must not matter. A
sync covers the writes that were over when it began.
"""

import re
import shutil
from collections import defaultdict
from dataclasses import dataclass, field

CALLS = "write,pwrite64,ftruncate,fsync,fdatasync,sendto"
SYNCS = frozenset({"fsync", "fdatasync"})
# Longer than a page of the database and the frame around it.
STRING_LIMIT = 100_000
LINE = re.compile(r"^(\d+) +(.*)$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
CALL = re.compile(
    r"(?P<name>\w+)\(\d+<(?P<path>[^>]*)>(?:\(deleted\))?"
    r'(?:, "(?P<data>[^"]*)"(?:\.\.\.)?)?(?P<rest>.*)\) += (?P<result>-?\d+)'
)
UNFINISHED = " <unfinished ...>"


def strace_command(log):
    """Return what goes before a command line to have its writes, syncs and answers noted."""
    strace = shutil.which("strace")
    assert strace, "strace is missing; on Debian: apt-get install strace"
    return [strace, "-f", "-y", "-xx", "-s", str(STRING_LIMIT), "-e", f"trace={CALLS}", "-o", log]


@dataclass
class Disk:
    """Files as they are on the disk, and the writes that still wait for a sync."""

    files: dict[str, bytearray]
    waiting: dict[str, list] = field(default_factory=lambda: defaultdict(list))

    def write(self, path, offset, data):
        self.waiting[path].append((offset, data))

    def begin_sync(self, path):
        return len(self.waiting[path])

    def end_sync(self, path, count):
        content = self.files.setdefault(path, bytearray())
        for offset, data in self.waiting[path][:count]:
            if data is None:
                del content[offset:]
                content.extend(bytes(offset - len(content)))
            else:
                content.extend(bytes(max(0, offset - len(content))))
                content[offset : offset + len(data)] = data
        del self.waiting[path][:count]


@dataclass(frozen=True)
class Call:
    """One system call; `answered` is False where it only begins."""

    name: str
    path: str
    data: bytes
    rest: str
    process: str
    is_over: bool


def calls_of(log):
    """Return every traced call twice: where it begins and where it is over."""
    begun = {}
    for line in log.read_text().splitlines():
        process, text = LINE.match(line).groups()
        if resumed := RESUMED.match(text):
            text = begun.pop(process, "") + resumed.group(2)
            yield from read_call(text, process, [True])
        elif text.endswith(UNFINISHED):
            begun[process] = text.removesuffix(UNFINISHED)
            yield from read_call(f"{begun[process]}) = 0", process, [False])
        else:
            yield from read_call(text, process, [False, True])


def read_call(text, process, moments):
    found = CALL.match(text)
    if found and int(found["result"]) >= 0:
        data, path = unescape(found["data"] or ""), unescape(found["path"]).decode()
        for is_over in moments:
            yield Call(found["name"], path, data, found["rest"], process, is_over)


def unescape(text):
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()


def cuts_at_answers(log, disk, *, answer):
    """Yield the disk whenever the program began to send what starts with `answer`.

    The calls that change a file are played to the disk on the way; it knows its files by path.
    """
    syncs = {}
    for call in calls_of(log):
        if not call.is_over and call.data.startswith(answer):
            yield disk
        elif call.name in SYNCS and not call.is_over:
            syncs[call.process] = disk.begin_sync(call.path)
        elif call.name in SYNCS:
            disk.end_sync(call.path, syncs[call.process])
        elif call.is_over and call.name == "pwrite64":
            offset = int(call.rest.rsplit(",", 1)[1])
            disk.write(call.path, offset, call.data)
        elif call.is_over and call.name == "ftruncate":
            disk.write(call.path, int(call.rest.strip(", ")), None)


def count_syncs(log, path):
    """Return how often the file was synced."""
    return sum(
        call.is_over and call.name in SYNCS and call.path == str(path) for call in calls_of(log)
    )
