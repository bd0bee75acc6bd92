"""Rows and tables of records, as a notebook and data frames read them."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, List, Optional, Set, SupportsIndex, Union, overload

from ._errors import ArgumentError, ColumnError

Row = Dict[str, Any]

# The row of a table as a dict, and the names of its columns.
if TYPE_CHECKING:
    from typing_extensions import TypeVar

    TableRow = TypeVar("TableRow", covariant=True, default=Any)
    Column = TypeVar("Column", bound=str, contravariant=True, default=Any)
else:
    from typing import TypeVar

    TableRow = TypeVar("TableRow", covariant=True)
    Column = TypeVar("Column", bound=str, contravariant=True)

# The column with the members of records that the catalogue does not list by name, as JSON objects.
_OTHERS = "others"

# The rows at each end of a table that a notebook shows.
_SHOWN = 5

# The rows of a table of facts or figures, of which the middle is left out if there are more.
_MANY = 60

# The number of series that a text names.
NAMED = 5

# The longest text of an object or a list in a cell.
_MAX_TEXT = 80

# The longest text of a cell that is not broken into lines.
_SHORT = 32

# The largest width of a column on a terminal.
_WIDTH = 40

# The columns of rows that a reader looks for.
_FIRST = (
    *("endpoint", "params", "summary", "required", "history", "error", "added", "filled", "revised"),
    *("records", "first", "last", "missing", "gaps"),
)

# The smallest width of a cell that is broken into lines.
_BROKEN = "16em"

# An object with a longer text.
_OBJECT = "{\u2026}"


class Table(Generic[TableRow, Column]):
    """Rows of histories. Iteration yields each row as a dict with times as datetimes in UTC.

    `table.to_pandas()`, `polars.DataFrame(table)` and `pyarrow.table(table)` convert it, and DuckDB queries
    `pyarrow.table(table)`. `table["fundingRate"]` is a column as a list, `table[0]` and `table[-1]` are rows. All of it
    needs pyarrow or polars.

    The first columns are the time, the params that were set and the fields; columns without any value are the last. Each
    member of the records that the catalogue does not list by name, but by type, is a column.

    ipc: The rows as a stream in Arrow's IPC format, with the columns of a file.
    report: For each series its endpoint, params and range, the number of records `added`, the times of the `first` and
        the `last` one, the `gaps` between them, the ranges that no run has requested (`unrequested`), also before
        the first record (`skipped`), the number of records that were not fetched (`unfetched`), and an `error` or None. Stored rows also have the columns of values
        (`fields`).
    """

    def __init__(self, ipc: bytes, report: List[Row]) -> None:
        self.ipc = ipc
        self.report = report
        self._read: Any = None

    @property
    def gaps(self) -> List[Row]:
        """The ranges without a record between the first and the last record of a series.

        Each has an endpoint, params, from, and to, which is excluded."""
        return [
            {"endpoint": series["endpoint"], "params": series["params"], "from": start, "to": end}
            for series in self.report
            for start, end in series["gaps"]
        ]

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(_column_names(self._arrow()))

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`; needs pandas and pyarrow.

        `pandas.DataFrame(table)` reads the rows one by one, and does not know the columns of a table without a row."""
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
            import pyarrow  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("a pandas.DataFrame needs pandas and pyarrow: pip install pandas pyarrow") from None
        return pyarrow.table(self).to_pandas()

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame`; needs polars."""
        try:
            import polars
        except ImportError:
            raise ImportError("a polars.DataFrame needs polars: pip install polars") from None
        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        table = self._arrow()
        # Polars 1.8, the last version for Python 3.8, reads only one of several chunks.
        whole = table.combine_chunks() if hasattr(table, "combine_chunks") else table.rechunk()
        return whole.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return sum(series["added"] for series in self.report)

    def __iter__(self) -> Iterator[TableRow]:
        table = self._arrow()
        if hasattr(table, "iter_rows"):
            yield from table.iter_rows(named=True)
        else:
            for batch in table.to_batches():
                yield from batch.to_pylist()

    def __contains__(self, key: object) -> bool:
        """Whether the table has a column of this name, or an equal row."""
        if isinstance(key, str):
            return key in self.columns
        return any(row == key for row in self)

    def _ipython_key_completions_(self) -> List[str]:
        return self.columns

    @overload
    def __getitem__(self, key: int) -> TableRow: ...
    @overload
    def __getitem__(self, key: slice) -> List[TableRow]: ...
    @overload
    def __getitem__(self, key: Column) -> List[Any]: ...

    def __getitem__(self, key: Union[int, slice, str]) -> Any:
        table = self._arrow()
        if isinstance(key, str):
            if key not in _column_names(table):
                raise ColumnError(f"no column `{key}`; the columns are {', '.join(self.columns)}")
            column = table[key]
            return column.to_list() if hasattr(column, "to_list") else column.to_pylist()
        if isinstance(key, slice):
            return [self._row(index) for index in range(len(self))[key]]
        try:
            # `range` also checks the index.
            return self._row(range(len(self))[key])
        except IndexError:
            raise IndexError(f"no row {key}; the table has {len(self)} rows") from None
        except TypeError:
            raise ArgumentError(f"not the name of a column, the index of a row or a slice: {key!r}") from None

    def _row(self, index: int) -> Row:
        part = self._arrow().slice(index, 1)
        rows: List[Row] = part.to_dicts() if hasattr(part, "to_dicts") else part.to_pylist()
        return rows[0]

    def _fields(self) -> List[str]:
        """Returns the columns of values of stored rows. A member that the catalogue does not list by name has no column in a
        file."""
        stored = _column_names(_open(self.ipc))
        known = {name for series in self.report for name in series["fields"]}
        return [name for name in self.columns if name in known or name not in stored]

    def _set_params(self) -> List[str]:
        """Returns the columns of the params that a series with rows has or, without a row, that any series has."""
        series = [one for one in self.report if one["added"]] or self.report
        return [name for name in self.columns if any(name in one["params"] for one in series)]

    def _endpoint_params(self) -> List[str]:
        """Returns the columns of the params that the endpoints of stored rows have, also if no series sets them."""
        return [name for name in self.columns if any(name in one["endpoint_params"] for one in self.report)]

    def _arrow(self) -> Any:
        """Returns the rows as a table of pyarrow or, if that is not installed, of polars."""
        if self._read is None:
            self._read = _ordered(_wide(_open(self.ipc)))
        return self._read

    def __repr__(self) -> str:
        size = f"{len(self)} rows of {len(self.report)} series, {len(self.gaps)} gaps"
        return f"<derivs.Table: {', '.join([size, *self._missing()])}>"

    def _missing(self) -> List[str]:
        """Returns what the report says about series that are not complete."""
        failed = [series for series in self.report if series.get("error")]
        unfetched = [series for series in self.report if series.get("unfetched") and series not in failed]
        unrequested = [series for series in self.report if series.get("unrequested") or series.get("skipped")]
        kinds = [("failed", failed), ("not all fetched", unfetched), ("not all requested", unrequested)]
        return [f"{kind}: {labels(series)}" for kind, series in kinds if series]

    def _repr_html_(self) -> str:
        try:
            columns = self.columns
        except ImportError as error:
            return f"<p>{escape(repr(self))}<br>{escape(str(error))}</p>"
        size = f"{len(self):,} rows of {len(self.report):,} series"
        gaps = [f"{len(self.gaps):,} gaps"] if self.gaps else []
        empty = empty_columns(self._arrow())
        without = f"; no value: {', '.join(empty)}" if empty else ""
        caption = f"{', '.join([size, *gaps, *self._missing()])}; times in UTC{without}"
        return _html_table([name for name in columns if name not in empty], self, caption)


class Rows(List[Row]):
    """A list of rows, which a notebook shows as a table.

    The table has no columns that are empty, zero, false or large objects in all rows, and of a long list it has only the
    length."""

    @overload
    def __getitem__(self, key: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Rows: ...

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Rows(found) if isinstance(key, slice) else found

    def _repr_html_(self) -> str:
        # The body of a response may be a list of other values.
        if not all(isinstance(row, dict) for row in self):
            return f"<pre>{escape(repr(list(self)))}</pre>"
        columns: Dict[str, None] = {}
        for row in self:
            columns.update({name: None for name, value in row.items() if shown(value) not in ("", "0", "False", _OBJECT)})
        # The cell with all params shows them.
        params: Set[str] = set()
        for row in self:
            if isinstance(row.get("params"), dict):
                params.update(name for name, value in row["params"].items() if row.get(name) == value)
        first = [name for name in _FIRST if name in columns]
        others = [name for name in columns if name not in first and name not in params]
        count = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        return _html_table([*first, *others], self, f"{count}; empty columns are left out")


def with_own_params(series: Row) -> Row:
    """Returns a series with each param as a value of its own, unless it has another value of that name."""
    return {"endpoint": series["endpoint"], **series["params"], **series}


def is_long(rows: List[Row]) -> bool:
    """Returns whether a table of facts leaves out rows in the middle."""
    return len(rows) > _MANY


def html_table(rows: List[Row], title: str) -> str:
    """Returns rows with the columns that have a value, and leaves out rows in the middle only if there are very many."""
    return f"<p><b>{title}</b></p>" + _html_table(_columns_with_values(rows), Rows(rows), "", _MANY // 2)


def text_table(rows: List[Row]) -> str:
    """Returns rows for a terminal, with the columns that have a value. Long texts are cut."""
    columns = _columns_with_values(rows)
    lines = [columns]
    for row in rows:
        texts = [shown(row.get(column)) for column in columns]
        lines.append([text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}\u2026" for text in texts])
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    rows_of_text = []
    for line in lines if len(lines) <= _MANY else [*lines[: _MANY // 2], ["\u2026"], *lines[-_MANY // 2 :]]:
        rows_of_text.append("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    return "\n".join(rows_of_text)


def _columns_with_values(rows: List[Row]) -> List[str]:
    columns: Dict[str, None] = {}
    for row in rows:
        columns.update({name: None for name in row})
    return [name for name in columns if any(row.get(name) not in (None, "", []) for row in rows)]


def _html_table(columns: List[str], rows: Union[Table, Rows], caption: str, shown: int = _SHOWN) -> str:
    """Returns the first and the last rows, or all if they are few."""
    is_long = len(rows) > 2 * shown
    first = list(rows[:shown] if is_long else rows[:])
    last = list(rows[-shown:]) if is_long else []
    # Numbers are aligned to the right.
    texts = [any(isinstance(row.get(column), (str, list, dict)) for row in first + last) for column in columns]
    lines = [_html_row("th", columns, texts)]
    for row in first:
        lines.append(_html_row("td", [row.get(column) for column in columns], texts))
    if is_long:
        lines.append(_html_row("td", ["\u2026"] * len(columns), texts))
    for row in last:
        lines.append(_html_row("td", [row.get(column) for column in columns], texts))
    return f"<table>{''.join(lines)}</table>" + (f"<p>{escape(caption)}</p>" if caption else "")


def labels(all_series: List[Row]) -> str:
    """Returns the names of the first series."""
    names = []
    for series in all_series[:NAMED]:
        names.append(" ".join([series["endpoint"].split(".")[-1], *map(str, series["params"].values())]))
    more = len(all_series) - len(names)
    return "; ".join(names) + (f" and {more} more" if more else "")


def _open(ipc: bytes) -> Any:
    try:
        import pyarrow.ipc  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError("reading a table needs pyarrow or polars: pip install pyarrow") from None
        return polars.read_ipc_stream(ipc)
    return pyarrow.ipc.open_stream(ipc).read_all()


def _wide(table: Any) -> Any:
    """Returns the table with a column for each member that the catalogue does not list by name.

    A member with the name of another column stays in the column of objects."""
    names = _column_names(table)
    objects = _objects(table[_OTHERS]) if _OTHERS in names else None
    if objects is None:
        return table
    members: Dict[str, List[Any]] = {}
    rest: List[Optional[str]] = []
    for row, members_of_row in enumerate(objects):
        without_column = {}
        for name, value in members_of_row.items():
            if name in names:
                without_column[name] = value
            else:
                members.setdefault(name, [None] * len(objects))[row] = value
        rest.append(json.dumps(without_column) if without_column else None)
    columns = {name: table[name] for name in names if name != _OTHERS}
    columns.update({name: _of_one_type(members[name]) for name in sorted(members)})
    if any(rest):
        columns[_OTHERS] = rest
    return _with_columns(table, columns)


def _objects(column: Any) -> Optional[List[Row]]:
    """Returns the JSON objects of a column; None if it has other values."""
    values = column.to_list() if hasattr(column, "to_list") else column.to_pylist()
    objects: List[Row] = []
    for value in values:
        try:
            objects.append({} if value is None else json.loads(value, parse_float=_number))
        except (TypeError, ValueError):
            return None
    return objects if all(isinstance(value, dict) for value in objects) else None


def _number(text: str) -> Union[float, str]:
    """Returns a number; as text if a float does not have its digits."""
    number = float(text)
    return number if Decimal(text) == Decimal(repr(number)) else text


def _of_one_type(values: List[Any]) -> List[Any]:
    """Returns values of one type: other than numbers, texts and flags, they are texts in JSON."""
    types = {type(value) for value in values if value is not None}
    if types == {int, float}:
        return [None if value is None else float(value) for value in values]
    if types in ({float}, {str}, {bool}):
        return values
    if types == {int} and all(value is None or abs(value) < 1 << 63 for value in values):
        return values
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]


def _with_columns(table: Any, columns: Dict[str, Any]) -> Any:
    if hasattr(table, "column_names"):
        import pyarrow  # type: ignore[import-untyped,unused-ignore]

        # Descriptions of the columns stay.
        fields = {field.name: field for field in table.schema}
        schema = []
        for name, column in columns.items():
            if isinstance(column, list):
                columns[name] = pyarrow.array(column)
            schema.append(fields.get(name, pyarrow.field(name, columns[name].type)))
        return pyarrow.table(list(columns.values()), schema=pyarrow.schema(schema))
    import polars

    return polars.DataFrame(columns)


def _column_names(table: Any) -> List[str]:
    names: List[str] = getattr(table, "column_names", None) or list(table.columns)
    return names


def _ordered(table: Any) -> Any:
    """Returns the table with the time first, then the params that were set and the fields, then all other columns.

    A file begins with all params of its endpoint, most of which have no value in a table of a few series."""
    names = _column_names(table)
    times = [name for name in names if _is_time(table, name)][:1]
    empty = empty_columns(table)
    last = [name for name in names if name in empty or name == "endpoint"]
    middle = [name for name in names if name not in times and name not in last]
    return table.select(times + middle + last)


def empty_columns(table: Any) -> List[str]:
    """Returns the columns without any value, of a table of pyarrow or polars that has rows."""
    empty = []
    for name in _column_names(table) if len(table) else []:
        count = table[name].null_count
        # In polars, it is a method.
        if (count() if callable(count) else count) == len(table):
            empty.append(name)
    return empty


def _is_time(table: Any, name: str) -> bool:
    column = table[name]
    return "timestamp" in str(getattr(column, "type", "")) or "Datetime" in str(getattr(column, "dtype", ""))


def _html_row(tag: str, values: Any, texts: List[bool]) -> str:
    cells = []
    for value, is_text in zip(values, texts):
        text = shown(value)
        align = "left" if is_text else "right"
        wrap = "white-space: nowrap" if len(text) <= _SHORT else f"white-space: normal; min-width: {_BROKEN}"
        cells.append(f'<{tag} style="text-align: {align}; {wrap}">{escape(text)}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"


def shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        text = value.strftime("%Y-%m-%d %H:%M:%S")
        return text[:-3] if text.endswith(":00") else text
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, list):
        return _shown_list(value)
    if isinstance(value, dict):
        text = ", ".join(f"{key}={shown(member)}" for key, member in value.items())
        return text if len(text) <= _MAX_TEXT else _OBJECT
    return str(value)


def _shown_list(values: List[Any]) -> str:
    """Returns the texts of a list of names, of which those that do not fit are counted, or else the number of values."""
    if not values:
        return ""
    if not all(isinstance(value, str) for value in values):
        return f"[{len(values):,}]"
    text = ", ".join(values)
    if len(text) <= _MAX_TEXT:
        return text
    return f"{text[:_MAX_TEXT].rpartition(', ')[0]}, \u2026 ({len(values):,})"
