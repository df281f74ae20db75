"""Files of answers: joined strictly, as the challenge does, and refused."""

import json
import math
import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.engine.corpus.formats.errors import FormatError
from benchmarks.engine.guiding.pairing import (
    AnswerRow,
    official_scores,
    pair_predictions,
    read_answers,
)

TEXTS = (
    "$silent$", "$interrupt$Go on.", " $interrupt$ Wait.", "Sure: $interrupt$ No.", "", "$SILENT$",
    "$silent$ Fine.", "$interrupt$", "\n$silent$",
)  # fmt: skip


def kit_scores(golden, predictions):
    """The challenge's rules as its description states them, written without looking at ours."""
    label = lambda text: "I" if text.lstrip()[:11] == "$interrupt$" else "S"  # noqa: E731
    table = {"II": 0, "IS": 0, "SI": 0, "SS": 0}
    left = 0
    for right, said in zip(golden, predictions, strict=True):
        length = min(len(right), len(said))
        left += len(right) - length + len(said) - length
        for place in range(length):
            table[label(right[place]) + label(said[place])] += 1

    def f1(tp, fp, fn):
        precision = tp / (tp + fp) if tp + fp else 0.0
        recall = tp / (tp + fn) if tp + fn else 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    interrupt = f1(table["II"], table["SI"], table["IS"])
    silent = f1(table["SS"], table["IS"], table["SI"])
    return {
        "interrupt_f1": interrupt, "silent_f1": silent, "macro_f1": (interrupt + silent) / 2,
        "gmean_f1": math.sqrt(interrupt * silent), "support": sum(table.values()),
        "tp": table["II"], "fp": table["SI"], "tn": table["SS"], "fn": table["IS"],
        "skipped_chunks": left,
    }  # fmt: skip


def test_official_is_what_the_challenge_prints_on_1000_random_files():
    rng = random.Random(32)
    for _ in range(1000):
        golden, said = (
            [[rng.choice(TEXTS) for _ in range(rng.randrange(6))] for _ in range(count)]
            for count in [rng.randrange(1, 6)] * 2
        )
        names = [f"{place}.mp4" for place in range(len(golden))]
        rows, own = (
            [AnswerRow(name, tuple(texts)) for name, texts in zip(names, lists, strict=True)]
            for lists in (golden, said)
        )

        found = official_scores(rows, own)

        expected = kit_scores(golden, said)
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, abs=0.5001e-4), name
        assert found.keys() == expected.keys()


def test_strict_agrees_with_official_where_files_are_whole_and_in_order():
    rows = [AnswerRow("a.mp4", TEXTS), AnswerRow("b.mp4", TEXTS[::-1])]
    said = [AnswerRow("a.mp4", TEXTS[::-1]), AnswerRow("b.mp4", TEXTS)]

    pairs = pair_predictions(rows, said).pairs

    found = official_scores(rows, said)
    assert sum(right == own == "interrupt" for right, own in pairs) == found["tp"]
    assert len(pairs) == found["support"]


def test_a_repeated_video_is_named_once_and_in_either_file():
    twice = [AnswerRow("a.mp4", ("$silent$",))] * 3

    found = pair_predictions(twice, twice)

    assert [str(fault) for fault in found.faults] == [
        "a.mp4: duplicate golden",
        "a.mp4: duplicate prediction",
    ]
    assert found.pairs is None


def line(**changes):
    row = {"video_path": "a.mp4", "answers": ["$interrupt$Go on.", "$silent$"]} | changes
    return json.dumps({key: value for key, value in row.items() if value is not KeyError})


# Each is the whole file; nothing of it may be taken.
MALFORMED = {
    "cut off": line()[:-1],
    "no JSON": "video_path,answers",
    "two objects on a line": line() + line(),
    "a comma after": line() + ",",
    "one list": f"[{line()}]",
    "a number": "3",
    "null": "null",
    "a text": '"a.mp4"',
    "no video": line(video_path=KeyError),
    "video null": line(video_path=None),
    "video a number": line(video_path=3),
    "video empty": line(video_path=""),
    "video blank": line(video_path="  "),
    "video a list": line(video_path=["a.mp4"]),
    "NUL in video": line(video_path="a\x00.mp4"),
    "lone surrogate in video": line(video_path="\ud800.mp4"),
    "no answers": line(answers=KeyError),
    "answers null": line(answers=None),
    "answers a text": line(answers="$silent$"),
    "answers an object": line(answers={"0": "$silent$"}),
    "answer a number": line(answers=["$silent$", 0]),
    "answer null": line(answers=["$silent$", None]),
    "answer true": line(answers=[True, "$silent$"]),
    "answer a list": line(answers=[["$silent$"]]),
    "NUL in an answer": line(answers=["$silent$\x00", "$silent$"]),
    "lone surrogate in an answer": line(answers=["$interrupt$\udfff", "$silent$"]),
    "key twice": '{"video_path": "a.mp4", "video_path": "b.mp4", "answers": []}',
    "video twice": f"{line()}\n{line()}",
    "good, then bad": f"{line()}\n{{",
    "nested deeply": "[" * 100_000,
    "huge number": '{"video_path": "a.mp4", "answers": [], "n": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, name):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(MALFORMED[name].encode("utf-8", "surrogatepass"))

    with pytest.raises(FormatError) as raised:
        read_answers(path)

    assert raised.value.problems[0].file == "answers.jsonl"
    assert "expected" in str(raised.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"video_path": "\xff"}')

    with pytest.raises(FormatError, match="UTF-8"):
        read_answers(path)


def test_every_fault_of_a_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([line(), "", line(video_path="", answers=[1])]))

    with pytest.raises(FormatError) as raised:
        read_answers(path)

    assert [(one.place, one.field) for one in raised.value.problems] == [
        ("line 3", "video_path"),
        ("line 3.answers[0]", ""),
    ]


def test_separators_within_texts_end_no_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    text = "$interrupt$Go\u2028on.\x85"
    path.write_text(json.dumps({"video_path": "a", "answers": [text]}, ensure_ascii=False))

    assert read_answers(path) == (AnswerRow("a", (text,)),)


def scored(*arguments):
    out = StringIO()
    call_command("score_guidance", *map(str, arguments), stdout=out)
    return json.loads(out.getvalue())


def test_the_command_scores_by_both_rules(tmp_path):
    golden, said = tmp_path / "golden.jsonl", tmp_path / "said.jsonl"
    golden.write_text(line(answers=["$interrupt$A.", "$silent$", "$interrupt$B."]))
    said.write_text(line(answers=["$interrupt$A."]))

    official = scored(golden, said, "--rule", "official")
    strict = scored(golden, said, "--missing", "silent")

    assert (official["rule"], official["macro_f1"], official["skipped_chunks"]) == (
        "official",
        0.5,
        2,
    )
    assert (strict["rule"], strict["missing_count"]) == ("strict", 2)
    assert (strict["tp"], strict["fn"], strict["tn"], strict["fp"]) == (1, 1, 1, 0)
    with pytest.raises(CommandError, match="too few answers: 1 answers; expected 3"):
        scored(golden, said)
