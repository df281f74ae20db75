"""Answers that are dataclasses: `DataclassSerializer[Drift]` answers the fields of a `Drift`.

`Meta.fields` names what is answered where that is not every field, or where properties are answered
too; as a mapping it gives the path of each value. Name them wherever something must stay hidden:
a field that the class gets later would be answered too. `Meta.help_texts` describes fields. A field
that the serializer declares takes precedence. Dataclasses inside have to be declared, so that each
has a name in the schema.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields
from datetime import datetime
from functools import cache, cached_property
from types import NoneType
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin, get_type_hints

from rest_framework import serializers

Answered = TypeVar("Answered")

# Searched in this order, since a `bool` is an `int`. An enumeration is the text that it is.
FIELD_OF: dict[type, type[serializers.Field]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
    datetime: serializers.DateTimeField,
}


class DataclassSerializer(serializers.Serializer[Any], Generic[Answered]):
    # No docstring: the schema would show it of every serializer that has none.
    dataclass: ClassVar[type]

    def __class_getitem__(cls, dataclass: type) -> Any:
        return serializers.SerializerMetaclass(cls.__name__, (cls,), {"dataclass": dataclass})

    def get_fields(self) -> dict[str, serializers.Field]:
        return deepcopy(_fields_of(type(self)))


@cache
def _fields_of(serializer: type[DataclassSerializer[Any]]) -> dict[str, serializers.Field]:
    meta = getattr(serializer, "Meta", None)
    names = getattr(meta, "fields", [field.name for field in fields(serializer.dataclass)])
    help_texts = getattr(meta, "help_texts", {})
    declared = serializer._declared_fields
    serialized = {}
    for name in names:
        if name in declared:
            serialized[name] = declared[name]
            continue
        path = names[name] if isinstance(names, Mapping) else name
        # The framework refuses a source that is the name.
        source = None if path == name else path
        type_ = _type_at(path, serializer.dataclass)
        field = _field_of(type_, source=source, help_text=help_texts.get(name))
        if field is None:
            where = f"{serializer.__name__} has to declare {name!r}"
            raise TypeError(f"{where}: no field fits {type_}.")
        serialized[name] = field
    return serialized | declared


def _type_at(path: str, dataclass: type) -> Any:
    """The type of what stands at a path with dots, which is None where anything before it is."""
    type_: Any = dataclass
    is_optional = False
    for name in path.split("."):
        if NoneType in get_args(type_):
            is_optional = True
            (type_,) = set(get_args(type_)) - {NoneType}
        type_ = _type_of(type_, name)
    return type_ | None if is_optional else type_


def _type_of(dataclass: type, name: str) -> Any:
    member = getattr(dataclass, name, None)
    if isinstance(member, property):
        return get_type_hints(member.fget)["return"]
    if isinstance(member, cached_property):
        return get_type_hints(member.func)["return"]
    types = get_type_hints(dataclass)
    if name not in types:
        raise TypeError(f"{dataclass.__name__} has no field or property {name!r}.")
    return types[name]


def _field_of(type_: Any, **settings: Any) -> serializers.Field | None:
    """A field for values of a type, None for a type that each serializer declares by itself."""
    origin, parts = get_origin(type_), get_args(type_)
    if NoneType in parts and len(parts) == 2:
        (other,) = set(parts) - {NoneType}
        return _field_of(other, allow_null=True, **settings)
    if origin in (list, tuple) and set(parts[1:]) <= {..., parts[0]}:
        child = _field_of(parts[0])
        return child and serializers.ListField(child=child, **settings)
    if origin in (dict, Mapping):
        child = _field_of(parts[1])
        return child and serializers.DictField(child=child, **settings)
    for plain, field in FIELD_OF.items():
        if isinstance(type_, type) and issubclass(type_, plain):
            return field(**settings)
    return None
