"""Every format, changed the way another tool changes it: what comes back is what was changed."""

import csv
import io
import json
import re
from copy import deepcopy
from dataclasses import replace
from tempfile import NamedTemporaryFile
from xml.etree import ElementTree

import pytest
from pympi import Praat

from annotation.models import Take
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from segments.models import SegmentSource
from segments.services.proposals import ProposalRequest, import_proposals
from tests.factories import SegmentRoundFactory
from tests.segments.segmented_rounds import make_take

pytestmark = pytest.mark.django_db

RATE = 25
STEPS = {"0": "Boil water", "1": "Pour it", "2": "Stir well"}
SEGMENTS = (
    Segment("k0", "steps", 0.0, 4.0, "0", "others", "spill"),
    Segment("k1", "steps", 5.0, 9.0, "1"),
    Segment("k2", "steps", 10.0, 14.0, "2"),
)
MISTAKE, WORDS = "unintended actions", "knock cup"
ADDED = ("added", 16.0, 18.0, "1")
ASSEMBLY = {"0": "attach,wheel,chassis", "1": "attach,roof,cabin", "2": "screw,roof,cabin"}


class Tool:
    """Another tool with a file open: its rows, and what its users do to them."""

    has_labels = True
    has_text = True
    steps = STEPS
    # The first segment keeps what the tool does not show.
    suffix = ""

    def __init__(self, text):
        self.document = self.load(text)

    def times(self):
        self.set_times(self.rows()[1], 5.4, 8.6)

    def labels(self):
        if self.has_labels:
            self.set_mistake(self.rows()[0])
        self.set_step(self.rows()[1], "2")

    def added(self):
        row = deepcopy(self.rows()[1])
        self.make_own(row)
        self.set_times(row, *ADDED[1:3])
        self.rows().append(row)

    def removed(self):
        del self.rows()[1]

    def reordered(self):
        self.rows().reverse()


class JsonTool(Tool):
    def load(self, text):
        return json.loads(text)

    def text(self):
        return json.dumps(self.document)


class Piev(JsonTool):
    def rows(self):
        return self.document["recordings"][0]["segments"]

    def set_times(self, row, start_s, end_s):
        row |= {"start_s": start_s, "end_s": end_s}

    def set_step(self, row, step_id):
        row["step_id"] = step_id

    def set_mistake(self, row):
        row |= {"label": MISTAKE, "text": WORDS}

    def make_own(self, row):
        row["key"] = ADDED[0]


class EgoOops(JsonTool):
    def rows(self):
        return self.document["videos"][0]["segments"]

    def set_times(self, row, start_s, end_s):
        row |= {"startTime": start_s, "endTime": end_s}

    def set_step(self, row, step_id):
        row["instruction"] = int(step_id)

    def set_mistake(self, row):
        row |= {"labels": [3], "caption": WORDS}

    def make_own(self, row):
        pass


class CaptainCook(JsonTool):
    has_labels = False

    def rows(self):
        return self.document[0]["step_annotations"]

    def set_times(self, row, start_s, end_s):
        row |= {"start_time": start_s, "end_time": end_s}

    def set_step(self, row, step_id):
        row |= {"step_id": int(step_id), "description": STEPS[step_id]}

    def make_own(self, row):
        pass


class EgoExo(CaptainCook):
    def rows(self):
        return self.document["annotations"][0]["segments"]

    def set_step(self, row, step_id):
        row |= {"step_id": int(step_id), "step_name": STEPS[step_id]}


class LabelStudio(JsonTool):
    has_text = False

    def rows(self):
        return self.document[0]["annotations"][0]["result"]

    def set_times(self, row, start_s, end_s):
        frames = {"start": round(start_s * RATE) + 1, "end": round(end_s * RATE)}
        row["value"]["ranges"] = [frames]

    def set_step(self, row, step_id):
        row["value"]["timelinelabels"][0] = STEPS[step_id]

    def set_mistake(self, row):
        row["value"]["timelinelabels"][1] = MISTAKE

    def make_own(self, row):
        del row["meta"]
        row["id"] = ADDED[0]


class CsvTool(Tool):
    def load(self, text):
        return list(csv.reader(io.StringIO(text, newline="")))

    def text(self):
        out = io.StringIO()
        csv.writer(out).writerows(self.document)
        return out.getvalue()

    def rows(self):
        return self.document

    def times(self):
        self.set_times(self.document[2], 5.4, 8.6)

    def labels(self):
        if self.has_labels:
            self.set_mistake(self.document[1])
        self.set_step(self.document[2], "2")

    def added(self):
        row = list(self.document[2])
        self.make_own(row)
        self.set_times(row, *ADDED[1:3])
        self.document.append(row)

    def removed(self):
        del self.document[2]

    def reordered(self):
        self.document[1:] = self.document[:0:-1]

    def put(self, row, **cells):
        for name, cell in cells.items():
            row[self.document[0].index(name.replace("_", " ") if name[0].isupper() else name)] = (
                cell
            )


class Table(CsvTool):
    def set_times(self, row, start_s, end_s):
        self.put(row, start_s=start_s, end_s=end_s)

    def set_step(self, row, step_id):
        self.put(row, step_id=step_id)

    def set_mistake(self, row):
        self.put(row, label=MISTAKE, text=WORDS)

    def make_own(self, row):
        self.put(row, key=ADDED[0])


class Boris(CsvTool):
    def set_times(self, row, start_s, end_s):
        for name, value in (("Start (s)", start_s), ("Stop (s)", end_s)):
            row[self.document[0].index(name)] = value

    def set_step(self, row, step_id):
        self.put(row, Behavior=STEPS[step_id])

    def set_mistake(self, row):
        self.put(row, Modifiers=MISTAKE, Comment_start=WORDS)

    def make_own(self, row):
        self.put(row, Comment_stop="")


class Assembly(Tool):
    has_labels = False
    steps = ASSEMBLY

    def load(self, text):
        return [line.split(",") for line in text.splitlines()]

    def text(self):
        return "".join(",".join(row) + "\n" for row in self.document)

    def rows(self):
        return self.document

    def set_times(self, row, start_s, end_s):
        row[:2] = [str(round(start_s * 30)), str(round(end_s * 30))]

    def set_step(self, row, step_id):
        row[2:5] = ASSEMBLY[step_id].split(",")

    def make_own(self, row):
        pass


class Via(Tool):
    def load(self, text):
        self.head = [line for line in text.splitlines() if line.startswith("# ")]
        [options] = [json.loads(line.partition(" = ")[2]) for line in self.head if "ATTRI" in line]
        self.options = {
            number: {text: name for name, text in attribute["options"].items()}
            for number, attribute in options.items()
        }
        lines = [line for line in text.splitlines() if not line.startswith("# ")]
        rows = list(csv.reader(lines))
        for row in rows:
            row[5] = json.loads(row[5])
        return rows

    def text(self):
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerows([*row[:5], json.dumps(row[5])] for row in self.document)
        return "\n".join([*self.head, out.getvalue()])

    def rows(self):
        return self.document

    def set_times(self, row, start_s, end_s):
        row[3] = json.dumps([start_s, end_s])

    def set_step(self, row, step_id):
        row[5]["1"] = self.options["1"][f"{step_id} {STEPS[step_id]}"]

    def set_mistake(self, row):
        # An option that somebody added to the attribute.
        self.head = [line.replace('"0": "others"', f'"9": "{MISTAKE}"') for line in self.head]
        row[5] |= {"2": "9", "3": WORDS}

    def make_own(self, row):
        row[0] = "1_AbCd1234"
        del row[5]["4"]


class WebVtt(Tool):
    def load(self, text):
        self.head, *blocks = text.split("\n\nNOTE piev {")
        return [["NOTE piev {", *block.split("\n")] for block in blocks]

    def text(self):
        blocks = [row[0] + "\n".join(row[1:]) for row in self.document]
        return "\n\n".join([self.head, *blocks])

    def rows(self):
        return self.document

    def set_times(self, row, start_s, end_s):
        place = next(place for place, line in enumerate(row) if "-->" in line)
        row[place] = f"00:{start_s:06.3f} --> 00:{end_s:06.3f}"

    def set_step(self, row, step_id):
        place = next(place for place, line in enumerate(row) if "-->" in line)
        row[place + 1 :] = [STEPS[step_id], ""]

    def set_mistake(self, row):
        place = next(place for place, line in enumerate(row) if "-->" in line)
        row[place + 1 :] = [f"{MISTAKE}: {WORDS}", ""]

    def make_own(self, row):
        place = next(place for place, line in enumerate(row) if "-->" in line)
        row[:] = ["", *row[place:]]

    def reordered(self):
        # A tool that sorts cues leaves the notes where they are.
        cues = [row[2:] for row in self.document]
        for row, cue in zip(self.document, reversed(cues), strict=True):
            row[2:] = [*cue, ""]


class Elan(Tool):
    def load(self, text):
        return ElementTree.fromstring(text)  # noqa: S314 - our own document

    def text(self):
        return ElementTree.tostring(self.document, encoding="unicode")

    def tier(self, name):
        return self.document.find(f"TIER[@TIER_ID='{name}']")

    def annotation(self, place):
        return self.tier("steps")[place][0]

    def slot(self, time_s):
        order = self.document.find("TIME_ORDER")
        name = f"new{len(order)}"
        slot = {"TIME_SLOT_ID": name, "TIME_VALUE": str(round(time_s * 1000))}
        ElementTree.SubElement(order, "TIME_SLOT", slot)
        return name

    def times(self):
        for name, time_s in (("TIME_SLOT_REF1", 5.4), ("TIME_SLOT_REF2", 8.6)):
            self.annotation(1).set(name, self.slot(time_s))

    def put(self, tier, place, value):
        self.tier(tier)[place][0].find("ANNOTATION_VALUE").text = value

    def labels(self):
        self.put("steps.label", 0, MISTAKE)
        self.put("steps.text", 0, WORDS)
        self.put("steps", 1, "2 Stir well")

    def added(self):
        row = deepcopy(self.tier("steps")[1])
        times = {f"TIME_SLOT_REF{end}": self.slot(ADDED[end]) for end in (1, 2)}
        for name, value in {"ANNOTATION_ID": ADDED[0], **times}.items():
            row[0].set(name, value)
        self.tier("steps").append(row)
        # ELAN can be told to make the annotations below with it, which are empty then.
        for number, below in enumerate(("label", "text", "data")):
            tier = self.tier(f"steps.{below}")
            child = deepcopy(tier[1])
            child[0].set("ANNOTATION_ID", f"{ADDED[0]}{number}")
            child[0].set("ANNOTATION_REF", ADDED[0])
            child[0].find("ANNOTATION_VALUE").text = ""
            tier.append(child)

    def removed(self):
        for name in ("steps", "steps.label", "steps.text", "steps.data"):
            del self.tier(name)[1]

    def reordered(self):
        for name in ("steps", "steps.label", "steps.text", "steps.data"):
            self.tier(name)[:] = reversed(self.tier(name))


class ActivityNet(JsonTool):
    def rows(self):
        return self.document["database"]["v1"]["annotations"]

    def set_times(self, row, start_s, end_s):
        row["segment"] = [start_s, end_s]

    def set_step(self, row, step_id):
        row["label"] = STEPS[step_id]

    def set_mistake(self, row):
        row |= {"piev_label": MISTAKE, "piev_text": WORDS}

    def make_own(self, row):
        del row["piev"]


class TextGrid(Tool):
    """The file as another library reads and saves it: it knows intervals that are not empty."""

    def load(self, text):
        with NamedTemporaryFile("w", suffix=".TextGrid") as file:
            file.write(text)
            file.flush()
            return Praat.TextGrid(file.name)

    def text(self):
        tier = self.document.get_tier("steps")
        tier.intervals = [tuple(row) for row in self.rows()]
        with NamedTemporaryFile("r", suffix=".TextGrid") as file:
            self.document.to_file(file.name)
            return file.read()

    def rows(self):
        tier = self.document.get_tier("steps")
        if not all(isinstance(row, list) for row in tier.intervals):
            self.document.xmax = tier.xmax = 20.0
            tier.intervals = [list(row) for row in tier.get_intervals() if row[2]]
        return tier.intervals

    def set_times(self, row, start_s, end_s):
        row[:2] = [start_s, end_s]

    def put(self, row, words):
        row[2] = words + row[2][row[2].index(" <piev> ") :]

    def set_step(self, row, step_id):
        self.put(row, STEPS[step_id])

    def set_mistake(self, row):
        self.put(row, f"{MISTAKE}: {WORDS}")

    def make_own(self, row):
        row[2] = row[2].partition(" <piev> ")[0]

    def reordered(self):
        # Intervals are in the order of time; tiers can be moved.
        self.document.tiers.reverse()


TOOLS = {
    "activitynet": ActivityNet, "assembly101": Assembly, "boris": Boris,
    "captaincook4d": CaptainCook, "egoexo4d": EgoExo,
    "egooops": EgoOops, "elan": Elan, "label_studio": LabelStudio, "piev": Piev, "table": Table,
    "textgrid": TextGrid,
    "via3": Via, "webvtt": WebVtt,
}  # fmt: skip
# In these a remark of ours holds what the tool does not show; a changed time is in no remark.
WITH_REMARKS = {
    "activitynet": 2, "elan": 2, "webvtt": 2, "via3": 2, "boris": 2, "label_studio": 2,
    "textgrid": 2,
}  # fmt: skip


def original(tool):
    segments = tuple(
        replace(item, step_id=ASSEMBLY[item.step_id] if tool is Assembly else item.step_id)
        if tool.has_labels
        else replace(
            item, label="", text="",
            step_id=ASSEMBLY[item.step_id] if tool is Assembly else item.step_id,
        )
        for item in SEGMENTS
    )  # fmt: skip
    steps = {item: " ".join(item.split(",")) for item in ASSEMBLY.values()}
    return SegmentedRecording(
        "v1", segments, rate=RATE, steps=steps if tool is Assembly else STEPS, scenario="tea",
        scheme="egooops", scheme_version=1,
    )  # fmt: skip


def expected(tool, change):
    """What somebody sees in the other tool after the change, in the order of time."""
    first, second, third = original(tool).segments
    step_ids = ASSEMBLY if tool is Assembly else {item: item for item in STEPS}
    if change == "times":
        second = replace(second, start_s=5.4, end_s=8.6)
    if change == "labels":
        second = replace(second, step_id=step_ids["2"])
        if tool.has_labels:
            first = replace(first, label=MISTAKE, text=WORDS if tool.has_text else first.text)
    segments = [first, third] if change == "removed" else [first, second, third]
    if change == "added":
        segments.append(Segment(ADDED[0], "steps", *ADDED[1:3], step_ids[ADDED[3]]))
    return [seen(item.to_dict()) for item in segments]


def seen(values):
    names = ("track", "start_s", "end_s", "step_id", "label", "text")
    return tuple(values[name] for name in names)


def imported(name, text, tmp_path, recording, scheme="egooops"):
    """Return the proposals after the import of a file, and the notes of the import."""
    made = SegmentRoundFactory(source=SegmentSource.FILE, scheme=scheme).round
    take = make_take(uid="v1", scenario="tea", steps=())
    take.steps.bulk_create(
        take.steps.model(take=take, index=index, step_id=step_id, text=words)
        for index, (step_id, words) in enumerate(recording.steps.items())
    )
    row = made.recordings.create(take=Take.objects.get(pk=take.pk))
    path = tmp_path / f"v1{segment_formats()[name].suffix}"
    path.write_text(text, newline="")
    report = import_proposals(
        round_=made, paths=[path], request=ProposalRequest(name, "people", RATE), actor=None
    )
    row.refresh_from_db()
    return row.proposals, report.notes


@pytest.mark.parametrize("change", ["times", "labels", "added", "removed", "reordered"])
@pytest.mark.parametrize("name", sorted(segment_formats()))
def test_what_was_changed_in_another_tool_is_what_comes_back(name, change, tmp_path):
    recording = original(TOOLS[name])
    text = segment_formats()[name].write(SegmentFile((recording,)), Settings()).text

    tool = TOOLS[name](text)
    getattr(tool, change)()
    proposals, notes = imported(name, tool.text(), tmp_path, recording)

    assert sorted(map(seen, proposals)) == sorted(expected(TOOLS[name], change))
    changed = WITH_REMARKS.get(name, 0) if change == "labels" else 0
    if (name, change) == ("label_studio", "times"):
        changed = 1
    assert len([note for note in notes if "changed in another tool" in note]) == changed
    assert all(re.match(r"v1\.\w+, ", note) for note in notes)
