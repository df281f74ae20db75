"""Profiles as TOML files and as JSON values, and the check of a profile's values.

A TOML file names the shipped profile it starts from and changes single values:

    base = "piev"
    name = "careful"

    [count]
    max_errors = 2

    [types.priors.phase_1]
    deletion = 0.5

Mappings are changed key by key, lists replace what was there. Error types go by their published
names (`wrong_execution`). `profile_to_dict` has the same form with every value written out,
and `stored_profile` reads that.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from annotation.engine.taxonomy import OpenWord
from generation.engine.planner.exceptions import ProfileError
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import DEFAULT_PROFILE, PUBLISHED, SHIPPED_PROFILES

MAX_NAME_CHARACTERS = 64


def load_profile(name_or_path: str) -> Profile:
    """A shipped profile by name, or the one in the TOML file at a path."""
    shipped = SHIPPED_PROFILES.get(name_or_path)
    if shipped is not None:
        return shipped
    path = Path(name_or_path)
    if not path.is_file():
        names = ", ".join(sorted(SHIPPED_PROFILES))
        raise ProfileError("name", name_or_path, f"one of {names}, or a TOML file")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError("file", path.name, f"TOML; {error}") from error
    return profile_from_dict({"name": path.stem[:MAX_NAME_CHARACTERS], **data})


def profile_from_dict(data: Mapping[str, Any]) -> Profile:
    """The base profile with the changes in `data`; raises ProfileError for a wrong field."""
    changes = dict(data)
    base_name = changes.pop("base", DEFAULT_PROFILE.name)
    base = SHIPPED_PROFILES.get(base_name) if isinstance(base_name, str) else None
    if base is None:
        raise ProfileError("base", base_name, f"one of {', '.join(sorted(SHIPPED_PROFILES))}")
    profile: Profile = _Reader(keeps_other_keys=True).with_changes(base, changes, "")
    name = profile.name
    if not name.strip() or "\x00" in name or len(name) > MAX_NAME_CHARACTERS:
        raise ProfileError("name", name, f"text of 1 to {MAX_NAME_CHARACTERS} characters")
    check_profile(profile)
    return profile


def stored_profile(data: Mapping[str, Any]) -> Profile:
    """The profile that `profile_to_dict` wrote, with no value from its namesake of today."""
    # A setting that an older version did not have yet differs from `published` only in what came
    # later: a run that goes on plans its other takes by the rule of its first.
    profile: Profile = _Reader(keeps_other_keys=False).with_changes(PUBLISHED, data, "")
    check_profile(profile)
    return profile


def profile_to_dict(profile: Profile) -> dict[str, Any]:
    """Every value of a profile as JSON values; `stored_profile` reads them."""
    written: dict[str, Any] = _plain(profile)
    return written


def check_profile(profile: Profile) -> None:
    """Raise ProfileError for the first value outside the limits of its field."""
    _check_settings(profile, "")
    if "*" not in profile.wrong_execution.scope_weights:
        raise ProfileError("wrong_execution.scope_weights", None, "an entry for the other roles, *")


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, OpenWord):
        return value.name
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads TOML values as settings; `keeps_other_keys`: a mapping keeps keys without a change."""

    keeps_other_keys: bool

    def with_changes(self, settings: Any, changes: Mapping[str, Any], path: str) -> Any:
        types = get_type_hints(type(settings))
        values = {item.name: getattr(settings, item.name) for item in fields(settings)}
        for name, change in changes.items():
            where = f"{path}{name}"
            if name not in values:
                raise ProfileError(where, change, f"one of the fields {', '.join(values)}")
            values[name] = self.read(change, types[name], values[name], where)
        return type(settings)(**values)

    def read(self, change: Any, hint: Any, current: Any, where: str) -> Any:
        """The value of type `hint`; `current` is the value that it changes, None for a new key."""
        origin = get_origin(hint)
        if isinstance(hint, type) and is_dataclass(hint):
            table = _as_table(change, where)
            return self.with_changes(hint() if current is None else current, table, f"{where}.")
        if origin is not None and issubclass(origin, Mapping):
            key_type, value_type = get_args(hint)
            merged = dict(current or {}) if self.keeps_other_keys else {}
            for name, value in _as_table(change, where).items():
                key = _read_scalar(name, key_type, where)
                merged[key] = self.read(value, value_type, merged.get(key), f"{where}.{name}")
            return merged
        if origin in (frozenset, tuple):
            if not isinstance(change, list | tuple):
                raise ProfileError(where, change, "a list")
            inner = get_args(hint)[0]
            return origin(_read_scalar(item, inner, where) for item in change)
        return _read_scalar(change, hint, where)


def _as_table(change: Any, where: str) -> Mapping[str, Any]:
    if isinstance(change, Mapping):
        return change
    raise ProfileError(where, change, "a table")


def _read_scalar(change: Any, hint: Any, where: str) -> Any:
    if isinstance(hint, type) and issubclass(hint, OpenWord):
        words = hint.by_name()
        if change not in words:
            raise ProfileError(where, change, f"one of {', '.join(words)}")
        return words[change]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if change not in set(hint):
            raise ProfileError(where, change, f"one of {', '.join(hint)}")
        return hint(change)
    is_flag = isinstance(change, bool)  # Python counts True as a whole number
    if hint is float and isinstance(change, int | float) and not is_flag:
        return float(change)
    if isinstance(change, hint) and is_flag is (hint is bool):
        return change
    names = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
    raise ProfileError(where, change, names[hint])


def _check_settings(settings: Any, path: str) -> None:
    for item in fields(settings):
        value, where = getattr(settings, item.name), f"{path}{item.name}"
        kind = item.metadata.get("kind")
        if is_dataclass(value):
            _check_settings(value, f"{where}.")
        elif kind == "predicates":
            _check_predicates(value, where)
        elif kind == "range":
            if len(value) != 2 or not all(map(math.isfinite, value)) or value[0] >= value[1]:
                raise ProfileError(where, list(value), "two finite numbers, the smaller first")
        else:
            _check_numbers(value, item, where)


def _check_numbers(value: Any, item: Field[Any], where: str) -> None:
    """Check a number, or every number of a mapping, against the limits of its field."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _check_numbers(inner, item, f"{where}.{_plain(key)}")
        numbers = [inner for inner in value.values() if isinstance(inner, int | float)]
        if item.metadata.get("is_weights") and numbers and sum(numbers) <= 0:
            raise ProfileError(where, _plain(value), "weights that are not all 0")
    elif is_dataclass(value):
        _check_settings(value, f"{where}.")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = item.metadata.get("low", -math.inf), item.metadata.get("high", math.inf)
        if not (math.isfinite(value) and low <= value <= high):
            limits = f"{low:g} or more" if high == math.inf else f"between {low:g} and {high:g}"
            raise ProfileError(where, value, f"a number, {limits}")


def _check_predicates(value: Any, where: str) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _check_predicates(frozenset({key}), where)
            _check_predicates(inner, f"{where}.{key}")
        return
    for name in sorted(value):
        if name != name.upper() or not name:
            raise ProfileError(where, name, "predicates in upper case")
