"""A file or a data set that `backfill` has written, read without the service."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from ._command import Error, Names, Path, Row, Time, endpoint_names
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
        status: Callable[[Path], Row],
        stored: Callable[..., Table],
        report: Callable[[Path], Row],
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
        try:
            state = self._status(self.path)
        except Error as error:
            # The state says what is missing; `derivs.status` raises the error.
            if error.kind != "incomplete" or error.result is None:
                raise
            state = error.result
        return Rows(state["series"])

    def report(self) -> Row:
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
        whose name several endpoints have gets the name of its endpoint as a prefix: `open_interest.close`."""
        own = {"start": start, "end": end, "as_of": as_of, **params}
        if not join:
            return _reader().frame(self.table(endpoints, **own))
        names = self.endpoints if endpoints is None else endpoint_names(endpoints)
        tables = []
        none: Optional[Error] = None
        for name in names:
            try:
                table = self.table([name], **own)
            except Error as error:
                # Another endpoint may have the params that select series.
                if error.kind != "usage" or "no such series" not in str(error):
                    raise
                none = error
                continue
            tables.append((name, table))
        if none is not None and not tables:
            raise none
        # pandas cannot merge frames without rows.
        return _joined([named for named in tables if len(named[1])] or tables[:1])

    def __repr__(self) -> str:
        return f"<derivs.DataSet: {self.path}>"


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


def _joined(tables: List[Tuple[str, Table]]) -> Any:
    reader = _reader()
    keys = _keys([table for _, table in tables])
    fields = [_fields(table, keys) for _, table in tables]
    methods = [name.split(".")[-1] for name, _ in tables]
    result: Any = None
    for (name, table), own in zip(tables, fields):
        names = {table.columns[0]: keys[0]}
        for field in own:
            if sum(field in others for others in fields) > 1:
                method = name.split(".")[-1]
                # Endpoints of two groups can have one method name.
                names[field] = f"{method if methods.count(method) == 1 else name}.{field}"
        frame = reader.renamed(reader.frame(table)[[table.columns[0], *keys[1:], *own]], names)
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
