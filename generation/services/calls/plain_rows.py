"""Write single rows in plain SQL, for the few places that do so for every call of a model.

Building a statement through the ORM costs three times what the database takes to execute it.
Values go through the fields of the model, so each database gets them as the ORM would write them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils import timezone

# What a field of exactly this kind hands to every database unchanged, as it does None: most values.
UNCHANGED: "dict[type[models.Field[Any, Any]], type]" = {
    models.CharField: str,
    models.TextField: str,
    models.BooleanField: bool,
    models.FloatField: float,
    models.IntegerField: int,
    models.PositiveIntegerField: int,
    models.PositiveSmallIntegerField: int,
    models.ForeignKey: int,
}
# What fields of exactly these kinds make of all other values.
ADAPTED: "dict[type[models.Field[Any, Any]], Callable[[BaseDatabaseOperations, Any], Any]]" = {
    models.DateTimeField: lambda database, moment: database.adapt_datetimefield_value(moment),
    models.JSONField: lambda database, value: database.adapt_json_value(value, None),
}


def insert_row(model: type[models.Model], values: Mapping[str, Any]) -> int:
    """Write a new row and return its key; signals and `save` are not called.

    `values` by the names of the model's fields; fields that are left out get their defaults.
    """
    written = [
        values[name] if name in values else field.default()
        for name, field in _fields_of(model).items()
    ]
    return _written(model, written, _insert_sql(model))


def put_row(row: models.Model, unique: tuple[str, ...]) -> int:
    """Write a new row, or change the one with the same `unique` fields into it; return its key."""
    model = type(row)
    written = [
        getattr(row, field.name) if field.name else field.default()
        for field in _fields_of(model).values()
    ]
    return _written(model, written, _insert_sql(model, unique))


def _written(model: type[models.Model], values: Iterable[Any], sql: str) -> int:
    # Through the proxy of all threads, each field would look the connection up again.
    database = connections[DEFAULT_DB_ALIAS]
    prepared = _prepared(_fields_of(model).values(), values, database)
    with database.cursor() as cursor:
        cursor.execute(sql, prepared)
        return int(cursor.fetchone()[0])


def update_row(model: type[models.Model], key: int, values: Mapping[str, Any]) -> None:
    """Change fields of one row; `values` by the names of the model's fields."""
    database, fields = connections[DEFAULT_DB_ALIAS], _fields_of(model)
    prepared = _prepared(map(fields.__getitem__, values), values.values(), database)
    with database.cursor() as cursor:
        cursor.execute(_update_sql(model, tuple(values)), [*prepared, key])


@dataclass(frozen=True, slots=True)
class _Field:
    """A field, the attribute with its value, "" where the row's time is its value, its default.

    `unchanged` is of `UNCHANGED`, and `adapted` of `ADAPTED`.
    """

    field: Any
    name: str
    default: Callable[[], Any]
    unchanged: type | None
    adapted: Callable[[BaseDatabaseOperations, Any], Any] | None


def _prepared(
    fields: Iterable[_Field], values: Iterable[Any], database: BaseDatabaseWrapper
) -> list[Any]:
    """Values as the database gets them."""
    return [
        value
        if value is None or type(value) is field.unchanged
        else field.adapted(database.ops, value)
        if field.adapted is not None
        else field.field.get_db_prep_save(value, database)
        for field, value in zip(fields, values, strict=True)
    ]


@lru_cache
def _fields_of(model: type[models.Model]) -> dict[str, _Field]:
    """The fields of a row without its key, by name."""
    return {
        field.name: _field(field) for field in model._meta.concrete_fields if not field.primary_key
    }


def _field(field: Any) -> _Field:
    is_time = getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    return _Field(
        field,
        name="" if is_time else field.attname,
        default=timezone.now if is_time else field.get_default,
        unchanged=UNCHANGED.get(type(field)),
        adapted=None if getattr(field, "encoder", None) else ADAPTED.get(type(field)),
    )


@lru_cache
def _insert_sql(model: type[models.Model], unique: tuple[str, ...] = ()) -> str:
    fields = {name: written.field for name, written in _fields_of(model).items()}
    columns = [_column(field) for field in fields.values()]
    places = ", ".join(["%s"] * len(columns))
    table, names = connection.ops.quote_name(model._meta.db_table), ", ".join(columns)
    again = ""
    if unique:
        same = [_column(fields[name]) for name in unique]
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in columns if name not in same)
        again = f"ON CONFLICT ({', '.join(same)}) DO UPDATE SET {changes} "
    # Names of our own tables and columns are put together here, never values.
    return f"INSERT INTO {table} ({names}) VALUES ({places}) {again}RETURNING {_key(model)}"  # noqa: S608


@lru_cache
def _update_sql(model: type[models.Model], names: tuple[str, ...]) -> str:
    changes = ", ".join(f"{_column(_fields_of(model)[name].field)} = %s" for name in names)
    table = connection.ops.quote_name(model._meta.db_table)
    return f"UPDATE {table} SET {changes} WHERE {_key(model)} = %s"  # noqa: S608


def _key(model: type[models.Model]) -> str:
    return next(_column(field) for field in model._meta.concrete_fields if field.primary_key)


def _column(field: "models.Field[Any, Any]") -> str:
    return str(connection.ops.quote_name(str(field.column)))
