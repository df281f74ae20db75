"""Which traces of its data sets a round is drawn from, as it is stored and said."""

from dataclasses import asdict, dataclass

from annotation.engine.stored import from_stored


@dataclass(frozen=True, slots=True)
class TraceChoice:
    """What a trace has to have; `scenarios` empty takes any, `per_dataset` None all of each."""

    per_dataset: int | None = None
    has_video: bool = False
    has_correction: bool = False
    scenarios: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether some traces are left out by what they are."""
        return self.has_video or self.has_correction or bool(self.scenarios)

    @property
    def words(self) -> str:
        """What was asked of the traces, "" where anything was taken.

        >>> TraceChoice(5, has_video=True, has_correction=True, scenarios=("tea", "")).words
        'with a video and a correction, of the scenarios tea, (none)'
        >>> TraceChoice(5).words
        ''
        """
        things = [
            words
            for is_asked, words in (
                (self.has_video, "a video"),
                (self.has_correction, "a correction"),
            )
            if is_asked
        ]
        parts = [f"with {' and '.join(things)}"] if things else []
        if self.scenarios:
            names = ", ".join(name or "(none)" for name in self.scenarios)
            parts.append(f"of the scenario{'s' if len(self.scenarios) > 1 else ''} {names}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, object]:
        return asdict(self) | {"scenarios": list(self.scenarios)}

    @classmethod
    def from_dict(cls, stored: dict[str, object]) -> "TraceChoice":
        return from_stored(cls, stored)
