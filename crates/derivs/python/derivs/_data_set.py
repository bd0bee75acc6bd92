"""A file or a data set that `backfill` has written, read without the service."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set

from ._command import Names, Path, Row, Time, endpoint_names
from ._errors import ArgumentError, Error
from ._pages import Report, Status
from ._table import Rows, Table, empty_columns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .generated import StoredEndpoint, StoredEndpoints, StoredParams

# Columns that belong to a row and not to a value of it.
_OF_ROW = ("endpoint", "fetched_at", "unknown_fields")

_LOG = logging.getLogger("derivs")


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
    def endpoints(self) -> List[StoredEndpoint]:
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
        endpoints: Optional[StoredEndpoints] = None,
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Unpack[StoredParams],
    ) -> Table:
        """Returns the rows as a `Table`, as `derivs.stored`."""
        return self._stored(self.path, endpoint=endpoints, start=start, end=end, as_of=as_of, **params)

    def frame(
        self,
        endpoints: Optional[StoredEndpoints] = None,
        *,
        join: bool = False,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Unpack[StoredParams],
    ) -> Any:
        """Returns the rows as a frame of pandas or, if pandas or pyarrow is not installed, of polars.

        The params select series, such as `coin=["BTC", "ETH"]`; `end` is excluded, and `as_of` returns what was known at
        that time. With `join`, a row has the fields of all endpoints of one time: rows are equal if their times and the
        params that all of the endpoints have are equal, and a row that only one endpoint has stays, with nulls. A field
        whose name several endpoints have gets the name of its endpoint as a prefix: `open_interest.close`. The columns of
        an endpoint without a row are null; if it has no series with these params, they are there only if it is named."""
        own = {"start": start, "end": end, "as_of": as_of, **params}
        if not join:
            return _reader().frame(self._stored(self.path, endpoint=endpoints, **own))
        # By the full name of an endpoint, of which a caller can write several names.
        parts: Dict[str, Table] = {}
        without: Dict[str, Error] = {}
        for name in self.endpoints if endpoints is None else _names(endpoints):
            try:
                table = self._stored(self.path, endpoint=[name], **own)
            except Error as error:
                # Another endpoint may have the params that select series.
                if error.kind != "usage" or "no such series" not in str(error):
                    raise
                without[name] = error
            else:
                parts[table.report[0]["endpoint"]] = table
        if not parts:
            raise next(iter(without.values()))
        for name in without if endpoints is not None else ():
            # An endpoint that the data set does not have is an error here.
            table = self._stored(self.path, endpoint=[name], no_rows=True)
            parts.setdefault(table.report[0]["endpoint"], table)
            _LOG.warning("%s: no series of %s is selected, so its columns have no values", self.path, name)
        return _joined(parts)

    def __repr__(self) -> str:
        return f"<derivs.DataSet: {self.path}>"

    def _repr_html_(self) -> str:
        return self._state()._repr_html_()


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
    def with_nulls(frame: Any, columns: Any) -> Any:
        return frame.join(columns)

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
    def with_nulls(frame: Any, columns: Any) -> Any:
        import polars

        return polars.concat([frame, columns], how="diagonal")

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


def _joined(parts: Dict[str, Table]) -> Any:
    reader = _reader()
    # A table without a row has no row to join, whatever its params are.
    keys = _keys([table for table in parts.values() if len(table)] or list(parts.values()))
    names = _names_of_fields(parts, keys)
    result: Any = None
    for name, table in sorted(parts.items(), key=lambda part: len(part[1]) == 0):
        own = names[name]
        frame = reader.frame(table)
        if result is not None and len(table) == 0:
            result = reader.with_nulls(result, reader.renamed(frame[list(own)], own))
            continue
        time = table.columns[0]
        part = reader.renamed(frame[[time, *keys[1:], *own]], {time: keys[0], **own})
        result = part if result is None else reader.merged(result, part, keys)
    fields = [field for own in names.values() for field in own.values()]
    return reader.in_order(result, keys)[[*keys, *fields]]


def _keys(tables: List[Table]) -> List[str]:
    """Returns the columns that identify a row of all tables: the time, and the params that all of them have."""
    shared = set.intersection(*(_set_params(table) for table in tables))
    first = tables[0].columns
    return [first[0], *(name for name in first[1:] if name in shared)]


def _names_of_fields(parts: Dict[str, Table], keys: List[str]) -> Dict[str, Dict[str, str]]:
    """Returns the fields of each endpoint with their names in a joined frame."""
    fields = {name: _fields(table, keys) for name, table in parts.items()}
    methods = [name.split(".")[-1] for name in parts]
    names: Dict[str, Dict[str, str]] = {}
    for name, method in zip(parts, methods):
        # Endpoints of two groups can have one method name.
        prefix = method if methods.count(method) == 1 else name
        names[name] = {}
        for field in fields[name]:
            is_unique = sum(field in others for others in fields.values()) == 1
            names[name][field] = field if is_unique else f"{prefix}.{field}"
    return names


def _fields(table: Table, keys: List[str]) -> List[str]:
    """Returns the columns of values, and the params that other tables do not have."""
    empty = empty_columns(table._arrow()) if len(table) else table.columns
    unset = (table._param_columns() - _set_params(table)) & set(empty)
    return [name for name in table.columns[1:] if name not in keys and name not in _OF_ROW and name not in unset]


def _set_params(table: Table) -> Set[str]:
    return {name for series in table.report for name in series["params"]}
