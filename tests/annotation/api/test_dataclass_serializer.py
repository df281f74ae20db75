"""Answers from dataclasses: the fields and properties that a serializer names, by their types."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property

import pytest
from rest_framework import serializers

from annotation.api.records.dataclass_serializer import DataclassSerializer


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Wheel:
    spokes: int
    is_round: bool = True


@dataclass(frozen=True)
class Road:
    cart: "Cart | None"
    number: int


@dataclass(frozen=True)
class Cart:
    name: str
    colour: Colour
    weight_kg: float | None
    built_at: datetime
    loads: tuple[int, ...]
    counts: Mapping[str, int]
    routes: list[tuple[str, str]]
    wheels: tuple[Wheel, ...]

    @property
    def wheel_count(self) -> int:
        return len(self.wheels)

    @cached_property
    def total(self) -> int | None:
        return sum(self.loads)


CART = Cart(
    name="A", colour=Colour.RED, weight_kg=None, built_at=datetime(2026, 1, 2, tzinfo=UTC),
    loads=(1, 2), counts={"apples": 3}, routes=[("a", "b")], wheels=(Wheel(8), Wheel(9)),
)  # fmt: skip


class WheelSerializer(DataclassSerializer[Wheel]):
    pass


class CartSerializer(DataclassSerializer[Cart]):
    wheels = WheelSerializer(many=True)


class ShortSerializer(DataclassSerializer[Cart]):
    title = serializers.CharField(source="name")

    class Meta:
        fields = ["total", "weight_kg", "wheel_count"]
        help_texts = {"total": "Of all loads"}


class RoadSerializer(DataclassSerializer[Road]):
    class Meta:
        fields = {"number": "number", "loads": "cart.loads", "kg": "cart.weight_kg"}


class LongerSerializer(ShortSerializer):
    class Meta:
        fields = [*ShortSerializer.Meta.fields, "colour"]


def test_answer_has_every_field_of_the_dataclass():
    answer = CartSerializer(CART).data

    assert answer == {
        "name": "A",
        "colour": "red",
        "weight_kg": None,
        "built_at": "2026-01-02T00:00:00Z",
        "loads": [1, 2],
        "counts": {"apples": 3},
        "routes": [["a", "b"]],
        "wheels": [{"spokes": 8, "is_round": True}, {"spokes": 9, "is_round": True}],
    }


def test_fields_have_the_kinds_of_their_types_and_are_all_answered():
    found = {
        name: (type(field), field.allow_null, field.required)
        for name, field in CartSerializer().fields.items()
    }

    assert found == {
        "name": (serializers.CharField, False, True),
        "colour": (serializers.CharField, False, True),
        "weight_kg": (serializers.FloatField, True, True),
        "built_at": (serializers.DateTimeField, False, True),
        "loads": (serializers.ListField, False, True),
        "counts": (serializers.DictField, False, True),
        "routes": (serializers.ListField, False, True),
        "wheels": (serializers.ListSerializer, False, True),
    }
    assert {name: type(field) for name, field in WheelSerializer().fields.items()} == {
        "spokes": serializers.IntegerField,
        "is_round": serializers.BooleanField,
    }
    assert all(field.required for field in WheelSerializer().fields.values())


def test_named_fields_and_properties_are_answered_in_their_order_and_nothing_else():
    assert list(ShortSerializer(CART).data.items()) == [
        ("total", 3),
        ("weight_kg", None),
        ("wheel_count", 2),
        ("title", "A"),
    ]
    assert ShortSerializer().fields["total"].help_text == "Of all loads"


def test_heir_answers_what_it_names_and_what_its_parent_declares():
    assert dict(LongerSerializer(CART).data) == {
        "total": 3,
        "weight_kg": None,
        "wheel_count": 2,
        "colour": "red",
        "title": "A",
    }


def test_named_paths_are_followed_and_null_where_something_before_is_none():
    assert [dict(RoadSerializer(Road(cart, 5)).data) for cart in (CART, None)] == [
        {"number": 5, "loads": [1, 2], "kg": None},
        {"number": 5, "loads": None, "kg": None},
    ]
    assert {name: field.allow_null for name, field in RoadSerializer().fields.items()} == {
        "number": False,
        "loads": True,
        "kg": True,
    }


def test_serializers_share_no_fields():
    one, other = ShortSerializer(), ShortSerializer()

    assert one.fields["total"] is not other.fields["total"]


def test_dataclass_inside_has_to_be_declared():
    class Undeclared(DataclassSerializer[Cart]):
        pass

    with pytest.raises(TypeError, match="Undeclared has to declare 'wheels': no field fits tuple"):
        Undeclared().get_fields()


def test_name_that_the_dataclass_has_not_is_refused():
    class Wrong(DataclassSerializer[Wheel]):
        class Meta:
            fields = ("spokes", "hub")

    with pytest.raises(TypeError, match="Wheel has no field or property 'hub'"):
        Wrong().get_fields()
