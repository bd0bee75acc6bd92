"""A file or a data set that `backfill` has written, read without the service."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ._command import Names, Path, Row, Time, endpoint_names
from ._errors import ArgumentError, Error
from ._pages import Report, Status
from ._table import Rows, Table, empty_columns

# Columns that belong to a row and not to a value of it.
_OF_ROW = ("endpoint", "fetched_at", "unknown_fields")


class DataSet:
    """A file or a data set. Rows are read with each call, and nothing is kept.

    path: The path that was opened.
    """

    def __init__(
        self,
        path: Path,
        status: Callable[[Path], Status],
        stored: Callable[..., Table],
        report: Callable[[Path], Report],
    ) -> None:
        self.path = path
        self._status = status
        self._stored = stored
        self._report = report

    @property
    def endpoints(self) -> List[str]:
        """The names of the endpoints, such as `funding_rate.funding_rate`."""
        return sorted({series["endpoint"] for series in self.coverage})

    @property
    def coverage(self) -> List[Row]:
        """The series, each with its endpoint, params, the number of `records`, the times of the `first` and the `last` one,
        and the `gaps` between them."""
        return Rows(self._state()["series"])

    def _state(self) -> Status:
        try:
            return self._status(self.path)
        except Error as error:
            # The state says what is missing; `derivs.status` raises the error.
            if error.kind != "incomplete" or error.result is None:
                raise
            state: Status = error.result
            return state

    def report(self) -> Report:
        """Returns figures about the values, as `derivs.report`."""
        return self._report(self.path)

    def table(
        self,
        endpoints: Optional[Names] = None,
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Any,
    ) -> Table:
        """Returns the rows as a `Table`, as `derivs.stored`."""
        return self._stored(self.path, endpoint=endpoints, start=start, end=end, as_of=as_of, **params)

    def frame(
        self,
        endpoints: Optional[Names] = None,
        *,
        join: bool = False,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Any,
    ) -> Any:
        """Returns the rows as a frame of pandas or, if pandas or pyarrow is not installed, of polars.

        The params select series, such as `coin=["BTC", "ETH"]`; `end` is excluded, and `as_of` returns what was known at
        that time. With `join`, a row has the fields of all endpoints of one time: rows are equal if their times and the
        params that all of the endpoints have are equal, and a row that only one endpoint has stays, with nulls. A field
        whose name several endpoints have gets the name of its endpoint as a prefix: `open_interest.close`. An endpoint
        without any row in the data set is left out."""
        own = {"start": start, "end": end, "as_of": as_of, **params}
        if not join:
            return _reader().frame(self.table(endpoints, **own))
        names = self.endpoints if endpoints is None else _names(endpoints)
        # By the full name of an endpoint, of which a caller can write several names.
        parts: Dict[str, _Part] = {}
        none: Optional[Error] = None
        for name in names:
            try:
                table = self.table([name], **own)
                # Without a range, there are rows, which show the columns.
                has_rows = len(table) > 0
                part = _Part(table.report[0]["endpoint"], table if has_rows else self.table([name], **params), has_rows)
                parts[part.name] = part
            except Error as error:
                # Another endpoint may have the params that select series.
                if error.kind != "usage" or "no such series" not in str(error):
                    raise
                none = error
        if none is not None and not parts:
            raise none
        return _joined(list(parts.values()))

    def __repr__(self) -> str:
        return f"<derivs.DataSet: {self.path}>"

    def _repr_html_(self) -> str:
        return self._state()._repr_html_()


class _Part(NamedTuple):
    """The rows of one endpoint."""

    name: str
    table: Table
    # Otherwise, the table is only used for its columns.
    has_rows: bool


class _Pandas:
    """Frames of pandas."""

    @staticmethod
    def frame(table: Table) -> Any:
        return table.to_pandas()

    @staticmethod
    def renamed(frame: Any, names: Dict[str, str]) -> Any:
        return frame.rename(columns=names)

    @staticmethod
    def merged(one: Any, other: Any, keys: List[str]) -> Any:
        if one.empty and other.empty:
            # pandas 3.1 cannot merge columns of texts without rows.
            return one.join(other.drop(columns=keys))
        return one.merge(other, how="outer", on=keys)

    @staticmethod
    def in_order(frame: Any, keys: List[str]) -> Any:
        return frame.sort_values(keys, ignore_index=True)


class _Polars:
    """Frames of polars."""

    @staticmethod
    def frame(table: Table) -> Any:
        import polars

        return polars.DataFrame(table)

    @staticmethod
    def renamed(frame: Any, names: Dict[str, str]) -> Any:
        return frame.rename(names)

    @staticmethod
    def merged(one: Any, other: Any, keys: List[str]) -> Any:
        return one.join(other, how="full", on=keys, coalesce=True, nulls_equal=True)

    @staticmethod
    def in_order(frame: Any, keys: List[str]) -> Any:
        return frame.sort(keys)


def _reader() -> Any:
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
        import pyarrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        try:
            import polars  # noqa: F401
        except ImportError:
            raise ImportError("a frame needs pandas and pyarrow, or polars: pip install pandas pyarrow") from None
        return _Polars
    return _Pandas


def _names(endpoints: Names) -> List[str]:
    """Returns the names of endpoints, which commas separate in a text, as in the command."""
    names = [part for name in endpoint_names(endpoints) for part in name.split(",")]
    if not names:
        raise ArgumentError("`endpoints` is an empty list")
    return names


def _joined(parts: List[_Part]) -> Any:
    reader = _reader()
    # Without a data file, as after rejected requests, only the time at which rows are fetched is a column.
    with_file = [part for part in parts if len(part.table.columns) > 1]
    if not with_file:
        return reader.frame(parts[0].table)
    return _joined_files(with_file, reader)


def _joined_files(parts: List[_Part], reader: Any) -> Any:
    keys = _keys([part.table for part in parts])
    fields = [_fields(part.table, keys) for part in parts]
    methods = [part.name.split(".")[-1] for part in parts]
    result: Any = None
    for part, method, own in zip(parts, methods, fields):
        names = {part.table.columns[0]: keys[0]}
        for field in own:
            if sum(field in others for others in fields) > 1:
                # Endpoints of two groups can have one method name.
                names[field] = f"{method if methods.count(method) == 1 else part.name}.{field}"
        frame = reader.renamed(reader.frame(part.table)[[part.table.columns[0], *keys[1:], *own]], names)
        frame = frame if part.has_rows else frame.head(0)
        result = frame if result is None else reader.merged(result, frame, keys)
    return reader.in_order(result, keys)


def _keys(tables: List[Table]) -> List[str]:
    """Returns the columns that identify a row of all tables: the time, and the params that all of them have."""
    of_each = []
    for table in tables:
        of_each.append({name for series in table.report for name in series["params"]})
    shared = set.intersection(*of_each)
    first = tables[0].columns
    return [first[0], *(name for name in first[1:] if name in shared)]


def _fields(table: Table, keys: List[str]) -> List[str]:
    """Returns the columns of values, and the params that other tables do not have."""
    empty = empty_columns(table._arrow())
    return [name for name in table.columns[1:] if name not in keys and name not in _OF_ROW and name not in empty]
