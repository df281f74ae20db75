"""Long tables: searched, sorted, filtered and paged by the address of their page.

A view says once what its table can do; the templates `_table_tools.html`, `_table_head.html` and
`_pages.html` show it. Several tables may stand on one page: every parameter begins with the key of
its table, and links of one keep what was asked of the others. What an address asks for and the
table does not have is left out, as with a page that there is not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import F, Model, Q, QuerySet
from django.http import HttpRequest, QueryDict

ROWS_PER_PAGE = 50
SEARCH_CHARACTERS = 200

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column; `order` is the field that its title sorts by, none where it cannot be sorted."""

    title: str
    order: str = ""
    is_number: bool = False
    is_hidden: bool = False  # the title is for screen readers only


@dataclass(frozen=True, slots=True)
class Filter:
    """A choice above the table: value -> (words, the rows that it keeps)."""

    key: str
    label: str
    choices: Mapping[str, tuple[str, Q]]


@dataclass(frozen=True, slots=True)
class TableKind:
    """What a table can do; `searched` are the fields that the search looks into."""

    key: str
    columns: tuple[ListColumn, ...]
    searched: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    rows_per_page: int = ROWS_PER_PAGE


@dataclass(frozen=True, slots=True)
class Head:
    """The title of a column with the address that sorts by it, "" where none does."""

    column: ListColumn
    address: str
    aria_sort: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    words: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownFilter:
    """A filter with its options."""

    parameter: str
    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class PagedTable:
    """One page of rows and everything that its templates show."""

    key: str
    page: Page
    heads: tuple[Head, ...]
    search: str
    filters: tuple[ShownFilter, ...]
    is_narrowed: bool
    can_search: bool
    # What else the address holds, so that searching here keeps it.
    kept: tuple[tuple[str, str], ...] = field(default=())
    clear_address: str = ""
    page_address: str = ""

    @property
    def has_pages(self) -> bool:
        return self.page.paginator.num_pages > 1

    @property
    def has_tools(self) -> bool:
        """Whether there is enough to look through, or something to take back."""
        return self.is_narrowed or self.page.paginator.count > 1


def read_table(
    request: HttpRequest, kind: TableKind, rows: QuerySet[Model], row_count: int | None = None
) -> PagedTable:
    """The rows that the request's address asks for; `rows` come in their usual order.

    `row_count` is how many they are where the page has counted them.
    """
    sort, search = request.GET.get(f"{kind.key}-sort", ""), _search(request, kind)
    shown_filters, is_filtered = [], False
    for item in kind.filters:
        parameter = f"{kind.key}-{item.key}"
        chosen = request.GET.get(parameter, "")
        if chosen in item.choices:
            rows, is_filtered = rows.filter(item.choices[chosen][1]), True
        choices = tuple(
            Choice(value, words, value == chosen) for value, (words, _) in item.choices.items()
        )
        shown_filters.append(ShownFilter(parameter, item.label, choices))
    for word in search.split() if kind.searched else ():
        found = (Q(**{f"{name}__icontains": word}) for name in kind.searched)
        rows = rows.filter(reduce(or_, found))
    order = sort.removeprefix("-")
    is_sorted = any(order and column.order == order for column in kind.columns)
    if is_sorted:
        # The usual order decides between equals, so that no row is on two pages or on none.
        by = F(order).desc if sort.startswith("-") else F(order).asc
        rows = rows.order_by(by(nulls_last=True), *(rows.query.order_by or ()), "pk")
    pages = Paginator(rows, kind.rows_per_page)
    if row_count is not None and not is_filtered and not search:
        pages.count = row_count  # which would ask the database
    return _paged(request, kind, pages, tuple(shown_filters), is_filtered=is_filtered)


def read_list(
    request: HttpRequest, kind: TableKind, rows: Sequence[Row], name_of: Callable[[Row], str]
) -> PagedTable:
    """The page of rows that the address asks for, of a list in its order, searched by names."""
    words = _search(request, kind).casefold().split()
    found = [row for row in rows if all(word in name_of(row).casefold() for word in words)]
    return _paged(request, kind, Paginator(found, kind.rows_per_page), (), is_filtered=False)


def _search(request: HttpRequest, kind: TableKind) -> str:
    return request.GET.get(f"{kind.key}-q", "").replace("\x00", "").strip()[:SEARCH_CHARACTERS]


def _paged(
    request: HttpRequest,
    kind: TableKind,
    pages: Paginator,
    filters: tuple[ShownFilter, ...],
    *,
    is_filtered: bool,
) -> PagedTable:
    sort, search = request.GET.get(f"{kind.key}-sort", ""), _search(request, kind)
    named = ("q", "sort", *(item.key for item in kind.filters))
    own = [kind.key, *(f"{kind.key}-{name}" for name in named)]
    # What the form of search and filters hands on.
    kept = _parameters(request, drop=[name for name in own if name != f"{kind.key}-sort"])
    return PagedTable(
        key=kind.key,
        page=pages.get_page(request.GET.get(kind.key)),
        heads=tuple(_head(request, kind, column, sort) for column in kind.columns),
        search=search,
        filters=filters,
        is_narrowed=is_filtered or bool(search),
        can_search=bool(kind.searched),
        kept=tuple((name, value) for name, values in kept.lists() for value in values),
        clear_address=_address(request, kind, drop=own),
        page_address=_address(request, kind, drop=[kind.key], is_open=True),
    )


def _head(request: HttpRequest, kind: TableKind, column: ListColumn, sort: str) -> Head:
    """Numbers are sorted from the highest first, all else from A; a second click turns it round."""
    if not column.order:
        return Head(column, "", "")
    down, up = f"-{column.order}", column.order
    first, second = (down, up) if column.is_number else (up, down)
    parameters = _parameters(request, drop=[kind.key])
    parameters[f"{kind.key}-sort"] = second if sort == first else first
    direction = {up: "ascending", down: "descending"}.get(sort, "")
    return Head(column, f"?{parameters.urlencode()}#{kind.key}", direction)


def _parameters(request: HttpRequest, *, drop: Sequence[str]) -> QueryDict:
    parameters = request.GET.copy()
    for name in drop:
        parameters.pop(name, None)
    return parameters


def _address(
    request: HttpRequest, kind: TableKind, *, drop: Sequence[str], is_open: bool = False
) -> str:
    """The address without some parameters; an open one takes another at its end."""
    query = _parameters(request, drop=drop).urlencode()
    if is_open:
        return f"?{query}&{kind.key}=" if query else f"?{kind.key}="
    return f"?{query}#{kind.key}"
