"""Find the choice that a text states: said by itself, at the head of a clause, or as the answer.

That the word of a choice occurs is no statement: "done with no problems" does not say *no*, "a
spoon" not *A*. Statements rank by how they are made: as the final answer, as the answer, or by
themselves. Those of the highest rank have to agree with each other, and with how the text begins.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

# Of a longer text, so many characters of its start and its end.
MOST_CHARACTERS = (4_000, 16_000)
# A choice of several words may also be the only one in a sentence of at most so many.
SHORT_WORDS = 12

_THOUGHTS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection")
_MARKS = re.compile(
    rf"<(?P<end>/?)(?:{'|'.join(_THOUGHTS)})>|(?P<kimi>◁(?P<kimi_end>/?)think▷)"
    r"|(?P<channel><\|channel\|>(?P<name>\w+)(?:<\|message\|>)?)",
    re.IGNORECASE,
)
# What models put their final answer into.
_FINAL = re.compile(
    r"<answer>(?P<tag>.{0,200}?)</answer>|\\boxed\{(?:\\text\{)?(?P<boxed>[^{}]{0,200})\}"
    r"|<\|begin_of_box\|>(?P<box>.{0,200}?)<\|end_of_box\|>",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(r"<\|[\w ]{1,30}\|>|</?(?:answer|response|output|s)>", re.IGNORECASE)
_MARKUP = re.compile(r"[*_`\"“”‘<>\[\]{}#~|\\$✅❌✔✓✗]|(?<!\w)['’]|['’](?!\w)")
_ARROW = re.compile(r"[-=]>|→")
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-•+]|\d{1,2}[.)])[ \t]+(?=\S)", re.MULTILINE)
_NUMBER = re.compile(r"\bno\.\s*(?=\d)", re.IGNORECASE)
_PIECE_ENDS = r"(?<!\d)\.|\.(?!\d)|[!?;\n…]"
_PREFIX = (
    r"(?:(?:so|thus|therefore|hence|overall|actually|well|ok|okay|sure|conclusion|in conclusion|"
    r"in short|in summary|to conclude|wait|hmm|final|probably|likely|definitely|certainly|clearly|"
    r"option|choice|letter|class|category|label|stay|remain|keep|it is|it's|i would stay|"
    r"i will stay|i stay)[\s:–—-]+)*"
)
_ANSWER = re.compile(
    r"\b(?P<final>final )?(?:answer|choice|decision|verdict|conclusion|rating|classification|"
    r"label|prediction|diagnosis|judg(?:e)?ment|assessment)\s*(?:\([^)\n]{0,60}\)\s*)?"
    r"(?:(?:is|was|would be|will be|should be|must be|remains|=|:|：)\s*)+"
    r"|\b(?:i|we)(?:'d|’d|'ll|’ll| would| will|)\s+(?:therefore |thus |probably )?(?:choose|select|"
    r"pick|go with|say|answer|answer with|vote(?: for)?|rate (?:it|this)(?: as| at| with| a)*|"
    r"give (?:it|this)(?: a)?|classify (?:it|this) as|label (?:it|this) as|"
    r"conclude(?: that (?:it|this) is)?|"
    r"think (?:it is|it's|this is)|believe (?:it is|it's|this is))\s*:?\s*"
    r"|\banswering\s*:?\s*",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"\b(?:it|this|that|the (?:\w+ )?(?:step|segment|clip|action|item|event|video|recording|person)"
    r")(?: step| segment| clip| action| event)?(?: is|'s|’s| was| shows| contains)"
    r"(?: clearly| probably| likely| definitely| therefore| best described as| classified as)*\s+",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:if|whether|unless|not|never|either|neither|might|may|could|suppose|assume|imagine|"
    r"cannot|can|unsure|unclear|hard|one of|except|instead)\b|n['’]t\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\s+(?:because|since|as|due|given|for|based|but|it|there|he|she|they|i)\b", re.IGNORECASE
)
_NO_HEADING = {"yes", "no", "none", "not", "n/a", "na", "true", "false", "absent", "unknown"}
_FINAL_RANK, _ANSWER_RANK, _BARE_RANK = 3, 2, 1


def without_thoughts(text: str) -> str:
    """The text without the thoughts of models that think in it; nothing of one that never ends."""
    kept: list[str] = []
    place, is_thought = 0, False
    for mark in _MARKS.finditer(text):
        if not is_thought:
            kept.append(text[place : mark.start()])
        place = mark.end()
        if mark["channel"]:
            is_thought = mark["name"].casefold() != "final"
            # Channels are whole answers: what came before was another.
            kept = kept if is_thought else []
        else:
            is_end = bool(mark["kimi_end"] if mark["kimi"] else mark["end"])
            # The end mark alone: the thought began in the prompt.
            kept = [] if is_end else kept
            is_thought = not is_end
    if not is_thought:
        kept.append(text[place:])
    return "".join(kept).strip()


def stated_choice(text: str, choices: Sequence[str]) -> tuple[str | None, set[str]]:
    """The choice that a text states, and those that it may mean where it states none or several.

    >>> stated_choice("The answer is (B).", ("A", "B"))[0]
    'B'
    >>> stated_choice("The answer is a spoon", ("A", "B"))[0] is None
    True
    """
    first, last = MOST_CHARACTERS
    if len(text) > first + last:
        text = f"{text[:first]}\n{text[-last:]}"
    forms = _forms_of(tuple(choices))
    if choice := forms.whole(_words(text)):
        return choice, {choice}
    stated = list(_statements(text, forms))
    if not stated:
        return _only_one(text, forms)
    highest = max(rank for rank, _, _ in stated)
    said = {choice for rank, choice, _ in stated if rank == highest}
    said |= {choice for _, choice, is_opening in stated if is_opening}
    return (said.copy().pop() if len(said) == 1 else None), said


class _Forms:
    """How each choice may be written."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.by_plain = {_plain(choice): choice for choice in choices}
        self.is_listed = any("," in choice for choice in choices)
        # Longest first, so that "wrong action" is not found in "correct wrong action".
        patterns = [
            self._pattern(plain) for plain in sorted(self.by_plain, key=len, reverse=True) if plain
        ]
        either = "|".join(patterns) or "(?!)"
        self.head = re.compile(rf"(?P<choice>{either})(?!\w)")
        self.anywhere = re.compile(rf"(?<!\w)(?P<choice>{either})(?!\w)")
        numbers = [int(plain) for plain in self.by_plain if plain.isdigit()]
        self.highest = max(numbers) if len(numbers) == len(self.by_plain) else None
        # "4/5" is a point of a scale, "yes/no" a list.
        between = r"\s*(?:[,/]\s*(?:or|and)?|\bor\b|\band\b|\bvs\b)\s*"
        between = between.replace("/", "") if numbers else between
        self.list = re.compile(rf"(?<!\w)(?:{either})(?:{between}(?:{either}))+(?!\w)")

    @staticmethod
    def _pattern(plain: str) -> str:
        if len(plain) == 1 and plain.isalpha():
            # Lower case, "a" and "i" are words.
            return re.escape(plain.upper())
        return "(?i:" + r"[\s_-]+".join(map(re.escape, plain.split())) + ")"

    def named(self, words: str) -> str:
        return self.by_plain[_plain(words)]

    def whole(self, words: str) -> str | None:
        """The choice that all words are, perhaps again and again."""
        if choice := self.by_plain.get(_plain(words)):
            return choice
        parts = set(_plain(words).split())
        return self.by_plain.get(parts.pop()) if len(parts) == 1 else None

    def at_head(self, words: str) -> str | None:
        """The choice that a clause begins with, where what follows does not change it."""
        words = words.lstrip(" \t(:–—-'’")
        article = _ARTICLE.match(words)
        found = self.head.match(words)
        if found is None and article is not None:
            found = self.head.match(words, article.end())
            # "a B"; and "the" before a yes is no article.
            if found is not None and len(_plain(found["choice"])) <= len("yes"):
                return None
        if found is None:
            return None
        choice, rest = self.named(found["choice"]), words[found.end() :]
        return choice if self._is_ended(rest) else None

    def _is_ended(self, rest: str) -> bool:
        if not rest.strip(" \t)'’"):
            return True
        if self.highest is not None and (of := re.match(r"\s*(?:/|out of|of)\s*(\d+)\b", rest)):
            return int(of[1]) == self.highest and self._is_ended(rest[of.end() :])
        if re.match(r"[\s)]*(?:/|\b(?:or|and|vs)\b)", rest):
            return False
        if not (re.match(r"\s*[):(–—]|\s+-+\s", rest) or _REASON.match(rest)):
            return False
        other = _plain(rest)
        return other not in self.by_plain and other not in _NO_HEADING


@lru_cache(256)
def _forms_of(choices: tuple[str, ...]) -> _Forms:
    return _Forms(choices)


def _statements(text: str, forms: _Forms) -> Iterator[tuple[int, str, bool]]:
    """Each statement's rank and choice, and whether the text begins with it."""
    for final in _FINAL.finditer(text):
        inner = _words(final["tag"] or final["boxed"] or final["box"] or "")
        if choice := forms.whole(inner) or forms.at_head(inner):
            yield _FINAL_RANK, choice, False
    words = forms.list.sub(" ⟂ ", _words(_FINAL.sub(" ", text)))
    ends = _PIECE_ENDS if forms.is_listed else rf"{_PIECE_ENDS}|,"
    is_opening = True
    for piece in re.split(ends, words):
        if not piece.strip():
            continue
        for rank, choice in _of_piece(piece, forms):
            yield rank, choice, is_opening
        is_opening = False


def _of_piece(piece: str, forms: _Forms) -> Iterator[tuple[int, str]]:
    prefix = re.match(rf"\s*{_PREFIX}", piece, re.IGNORECASE)
    head = piece[prefix.end() if prefix else 0 :]
    if choice := forms.at_head(head):
        yield _BARE_RANK, choice
        return
    for marker in _ANSWER.finditer(piece):
        if _DOUBT.search(piece[: marker.start()]):
            continue
        after = re.match(rf"\s*{_PREFIX}", piece[marker.end() :], re.IGNORECASE)
        rest = piece[marker.end() + (after.end() if after else 0) :]
        if choice := forms.at_head(rest):
            yield (_FINAL_RANK if marker["final"] else _ANSWER_RANK), choice
    label, colon, rest = piece.rpartition(":")
    if colon and not _ANSWER.search(piece) and not _DOUBT.search(label):
        if choice := forms.whole(rest):
            yield _BARE_RANK, choice
        return
    for found in _IT_IS.finditer(piece):
        rest = piece[found.end() :]
        choice = forms.at_head(rest)
        # "It is no mistake", "that was a B".
        if choice and len(_plain(choice)) > len("yes") and not _DOUBT.search(piece[: found.end()]):
            yield _BARE_RANK, choice


def _only_one(text: str, forms: _Forms) -> tuple[str | None, set[str]]:
    """The only choice that is named, where that says enough; else all that are named."""
    words = _words(text)
    named = {forms.named(found["choice"]) for found in forms.anywhere.finditer(words)}
    if len(named) != 1:
        return None, named
    [choice] = named
    is_short = len(words.split()) <= SHORT_WORDS and len(re.findall(_PIECE_ENDS, words)) <= 1
    if is_short and len(choice.split()) > 1 and not _DOUBT.search(words):
        return choice, named
    return None, set()


def _words(text: str) -> str:
    """The text without markup, numbers of lists and "No. 3"."""
    text = _ARROW.sub(": ", _CONTROL.sub(" ", text))
    text = _LIST_ITEM.sub("", _MARKUP.sub(" ", text))
    return _NUMBER.sub("number ", text)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w/]+|_", " ", text).casefold().split())
