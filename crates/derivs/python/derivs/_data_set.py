"""A file or a data set that `backfill` has written, read without the service."""

from __future__ import annotations

import inspect
import logging
import os
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from ._chart import Chart
from ._command import (
    Names,
    Path,
    Row,
    Run,
    Time,
    endpoint_names,
    path_text,
    range_options,
    time_option,
    with_own_options,
    without_repeats,
)
from ._errors import ArgumentError, Error
from ._pages import Report, Status
from ._table import NAMED, Rows, Table, labels, with_own_params

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    from .generated import StoredEndpoint, StoredEndpoints, StoredParams

    Engine = Literal["pandas", "polars"]

_LOG = logging.getLogger("derivs")

# The columns of the time and the params of a row, the name of the endpoint, and its rows.
Part = Tuple[List[str], str, Any]


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
        and the `gaps` between them.

        Each param is also a value of its own, such as `series["coin"]`, for a column of a frame."""
        return Rows(with_own_params(series) for series in self._state()["series"])

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

    def plot(
        self,
        endpoints: Optional[StoredEndpoints] = None,
        *,
        field: Union[str, Sequence[str], None] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        dark: bool = False,
        **params: Unpack[StoredParams],
    ) -> Chart:
        """Returns a chart of the values over time, which a notebook draws: of the first number, or of these fields. By default,
        it has the latest 100 records of each series."""
        with TemporaryDirectory() as folder:
            file = os.path.join(folder, "chart.svg")
            own = {**self._selection(endpoints, start, end), "field": field, "dark": dark, "out": file}
            run = Run(["plot", path_text(self.path)], with_own_options({**params}, own))
            run.read()
            svg = _text_of(file)
        return run.result(Chart(svg))

    def export(
        self,
        out: Path,
        endpoints: Optional[StoredEndpoints] = None,
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Unpack[StoredParams],
    ) -> None:
        """Writes the rows to a file of CSV, JSON Lines or Excel, as its name ends: `.csv`, `.jsonl` or `.xlsx`."""
        own = {**self._selection(endpoints, start, end), "as_of": time_option("as_of", as_of), "out": out}
        run = Run(["export", path_text(self.path)], with_own_options({**params}, own))
        run.read()
        run.result(None)

    def _selection(
        self, endpoints: Optional[StoredEndpoints], start: Optional[Time], end: Optional[Time]
    ) -> Row:
        names = None if endpoints is None else endpoint_names(endpoints)
        return {**range_options(start, end), "endpoint": names}

    def frame(
        self,
        endpoints: Optional[StoredEndpoints] = None,
        *,
        join: bool = False,
        engine: Optional[Engine] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        as_of: Optional[Time] = None,
        **params: Unpack[StoredParams],
    ) -> Any:
        """Returns the rows as a frame of the `engine`, `"pandas"` or `"polars"`; by default of pandas or, if pandas or pyarrow
        is not installed, of polars.

        The params select series, such as `coin=["BTC", "ETH"]`; `end` is excluded, and `as_of` returns what was known at
        that time. With `join`, a row has the fields of all endpoints of one time and one value of each param; a param that
        was not set is a value of its own. An endpoint that does not have some of the params, such as an index of the whole
        market, has its values in all rows of the others at their time, and a param that it does not have does not exclude
        it. No row is lost: what an endpoint does not have is null, and a warning names each series of which no row is joined.
        Two endpoints with several rows of one time and of the same values of params cannot be joined. A field whose name
        several endpoints have gets the name of its endpoint as a prefix: `open_interest.close`. The columns of an endpoint
        without a row are null; if it has no series with these params, they are there only if it is named. An
        endpoint that the data set does not have is an error."""
        reader = _reader(engine)
        own = {"start": start, "end": end, "as_of": as_of}
        with without_repeats():
            if not join:
                return reader.frame(self._read(endpoints, {**own, **params}))
            parts = self._parts(endpoints, own, {**params})
            for warning in _unjoined_params(parts):
                _LOG.warning("%s: %s", self.path, warning)
            return _joined(parts, reader, str(self.path))

    def _parts(self, endpoints: Optional[StoredEndpoints], own: Row, params: Row) -> Dict[str, Table]:
        """Returns the rows of each endpoint. An endpoint that was named has its columns, also without a series."""
        # By the full name of an endpoint, of which a caller can write several names.
        parts: Dict[str, Table] = {}
        without: Dict[str, Error] = {}
        has_all_params = False
        for name in self.endpoints if endpoints is None else _names(endpoints):
            try:
                table, has_own = self._selected(name, own, params)
            except Error as error:
                # Another endpoint may have series with these params.
                if not _is_no_series(error):
                    raise
                without[name] = error
            else:
                parts[table.report[0]["endpoint"]] = table
                has_all_params = has_all_params or has_own
        # Endpoints without the params, such as an index of the whole market, are not what was asked for.
        if without and not has_all_params:
            raise next(iter(without.values()))
        for name in without:
            consequence = ""
            if endpoints is not None:
                # An endpoint that the data set does not have is an error here.
                table = self._stored(self.path, endpoint=[name], no_rows=True)
                parts.setdefault(table.report[0]["endpoint"], table)
                consequence = ", so its columns have no values"
            _LOG.warning("%s: no series of %s is selected%s", self.path, name, consequence)
        return parts

    def _selected(self, name: str, own: Row, params: Row) -> Tuple[Table, bool]:
        """Returns the rows of one endpoint, of which only those params select series that it has, and whether it has all of
        them."""
        try:
            return self._read([name], {**own, **params}), True
        except Error as error:
            if not _is_no_series(error):
                raise
            # An endpoint that the data set does not have is an error here.
            every = self._stored(self.path, endpoint=[name], no_rows=True)
            known = {_plain(param) for series in every.report for param in series["params"]}
            rest = {param: value for param, value in params.items() if param == "param" or _plain(param) in known}
            if len(rest) == len(params):
                raise
            return self._read([name], {**own, **rest}), False

    def _read(self, endpoints: Optional[StoredEndpoints], options: Row) -> Table:
        """Returns rows. Series without a row that the service has rejected are a warning, so that a frame has their columns."""
        try:
            return self._stored(self.path, endpoint=endpoints, **options)
        except Error as error:
            table = error.result
            if not isinstance(table, Table) or len(table) or not all(series["error"] for series in table.report):
                raise
            _LOG.warning("%s", error)
            return table

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
    def matching(one: Any, other: Any, keys: List[str]) -> Any:
        return one.merge(other[keys].drop_duplicates(), on=keys)

    @staticmethod
    def distinct(frame: Any, keys: List[str]) -> Set[Tuple[Any, ...]]:
        rows = frame[keys].drop_duplicates().itertuples(index=False, name=None)
        # A null differs from itself.
        return {tuple(None if value != value else value for value in row) for row in rows}

    @staticmethod
    def both_repeat(one: Any, other: Any, keys: List[str]) -> bool:
        repeated = [frame.loc[frame.duplicated(keys), keys].drop_duplicates() for frame in (one, other)]
        return len(repeated[0].merge(repeated[1], on=keys)) > 0

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
        return one.join(other, how="full", on=keys, coalesce=True, **_with_nulls())

    @staticmethod
    def matching(one: Any, other: Any, keys: List[str]) -> Any:
        return one.join(other, on=keys, how="semi", **_with_nulls())

    @staticmethod
    def distinct(frame: Any, keys: List[str]) -> Set[Tuple[Any, ...]]:
        if not keys:
            return {()} if len(frame) else set()
        return set(frame.select(keys).unique().rows())

    @staticmethod
    def both_repeat(one: Any, other: Any, keys: List[str]) -> bool:
        import polars

        repeated = [frame.filter(polars.struct(keys).is_duplicated()) for frame in (one, other)]
        return len(_Polars.matching(repeated[0], repeated[1], keys)) > 0

    @staticmethod
    def with_nulls(frame: Any, columns: Any) -> Any:
        import polars

        return polars.concat([frame, columns], how="diagonal")

    @staticmethod
    def in_order(frame: Any, keys: List[str]) -> Any:
        return frame.sort(keys)


def _with_nulls() -> Dict[str, Any]:
    """Returns the option of polars that joins null with null."""
    import polars

    # Polars 1.24 has renamed it. Python 3.8 has an earlier version.
    options = inspect.signature(polars.DataFrame.join).parameters
    return {"nulls_equal" if "nulls_equal" in options else "join_nulls": True}


def _reader(engine: Optional[str] = None) -> Any:
    if engine not in (None, "pandas", "polars"):
        raise ArgumentError(f"`engine` is \"pandas\" or \"polars\", not {engine!r}")
    if engine == "pandas" or engine is None and _has_pandas():
        return _Pandas
    try:
        import polars  # noqa: F401
    except ImportError:
        if engine == "polars":
            raise
        raise ImportError("a frame needs pandas and pyarrow, or polars: pip install pandas pyarrow") from None
    return _Polars


def _has_pandas() -> bool:
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
        import pyarrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        return False
    return True


def _text_of(file: str) -> str:
    """Returns the text of a file; empty if a command that has failed has not written it."""
    try:
        with open(file, encoding="utf-8") as text:
            return text.read()
    except FileNotFoundError:
        return ""


def _is_no_series(error: Error) -> bool:
    return error.kind == "usage" and "no such series" in str(error)


def _plain(param: str) -> str:
    """Returns the name of a param without the characters in which its spellings differ."""
    return param.replace("_", "").replace("-", "").lower()


def _names(endpoints: Names) -> List[str]:
    """Returns the names of endpoints, which commas separate in a text, as in the command."""
    names = [part for name in endpoint_names(endpoints) for part in name.split(",")]
    if not names:
        raise ArgumentError("`endpoints` is an empty list")
    return names


def _unjoined_params(parts: Dict[str, Table]) -> List[str]:
    """Returns a warning for each param that series of an endpoint do not set, although those of another one do."""
    warnings = []
    for name, table in parts.items():
        for param in table._endpoint_params():
            others = [other for other in parts.values() if other is not table and param in other._set_params()]
            if others and any(param not in series["params"] for series in table.report if series["added"]):
                warnings.append(f"series of {name} without {param} are not joined with those of one {param}")
    return warnings


def mixed_params(table: Table, params: Row) -> List[str]:
    """Returns a warning for each param that a call does not set, although it sets others, and of which the rows have several
    values."""
    passed = params.get("param") or []
    names = [text.partition("=")[0] for text in ([passed] if isinstance(passed, str) else passed)]
    names += [name for name, value in params.items() if name != "param" and value is not None]
    named = set(map(_plain, names))
    # Without any param, all series are meant.
    if not named:
        return []
    warnings = []
    for endpoint in sorted({series["endpoint"] for series in table.report}):
        series_of = [series["params"] for series in table.report if series["endpoint"] == endpoint and series["added"]]
        for param in sorted({param for set_params in series_of for param in set_params}):
            values = sorted({set_params.get(param, "none") for set_params in series_of})
            if len(values) > 1 and _plain(param) not in named:
                more = f" and {len(values) - NAMED} more" if len(values) > NAMED else ""
                warnings.append(
                    f"the rows of {endpoint} have several values of {param}: {', '.join(values[:NAMED])}{more}; set it, or "
                    f"filter by the column `{param}`"
                )
    return warnings


def _joined(parts: Dict[str, Table], reader: Any, path: str) -> Any:
    keys = _keys(list(parts.values()))
    names = _names_of_fields(parts, keys)
    frames = []
    empty = []
    for name, table in parts.items():
        own = names[name]
        # The time has one name in all frames.
        frame = reader.renamed(reader.frame(table), {table.columns[0]: keys[0], **own})
        own_keys = {*table._set_params(), *table._endpoint_params()}
        of_row = [keys[0], *(key for key in keys[1:] if key in own_keys)]
        if len(table):
            frames.append((of_row, name, frame[[*of_row, *own.values()]]))
        else:
            empty.append(frame[[*of_row, *own.values()]])
    # Those with the most params are first, so a frame with fewer params is joined with frames that have all of them.
    frames.sort(key=lambda part: (-len(part[0]), part[0]))
    unjoined = _unjoined(frames, reader)
    if unjoined:
        _LOG.warning(
            "%s: no row of %s is joined with one of another endpoint with the same params: none has its time and values of these",
            path,
            labels(unjoined),
        )
    result = _merged(frames, keys, reader) if frames else empty.pop(0)
    for frame in empty:
        result = reader.with_nulls(result, frame[[name for name in frame.columns if name not in result.columns]])
    fields = [field for own in names.values() for field in own.values()]
    return reader.in_order(result, keys)[[*keys, *fields]]


def _unjoined(frames: List[Part], reader: Any) -> List[Row]:
    """Returns the series without a row that is joined with one of another endpoint; of an endpoint without any, only its
    name."""
    found: List[Row] = []
    for part in frames if len(frames) > 1 else []:
        of_row, name, frame = part
        params = of_row[1:]
        every = reader.distinct(frame, params)
        lone = sorted(every - _joined_series(part, [other for other in frames if other is not part], reader), key=str)
        if len(lone) == len(every):
            found.append({"endpoint": name, "params": {}})
            continue
        for values in lone:
            set_params = {param: value for param, value in zip(params, values) if value is not None}
            found.append({"endpoint": name, "params": set_params})
    return found


def _joined_series(part: Part, others: List[Part], reader: Any) -> Set[Tuple[Any, ...]]:
    """Returns the values of params of which a row is joined with one of another endpoint.

    Only endpoints with the most params in common count: a market-wide endpoint is joined with every row of its time."""
    of_row, _, frame = part
    shared = [[key for key in of_row if key in other[0]] for other in others]
    most = max(map(len, shared))
    joined: Set[Tuple[Any, ...]] = set()
    for keys, other in zip(shared, others):
        if len(keys) == most:
            joined |= reader.distinct(reader.matching(frame[of_row], other[2], keys), of_row[1:])
    return joined


def _merged(frames: List[Part], keys: List[str], reader: Any) -> Any:
    """Returns the frames joined by the keys that they share."""
    [(of_row, first, result), *others] = frames
    joined = [first]
    known = set(of_row)
    # A market-wide frame is joined with rows of other market-wide frames before these are repeated.
    for of_row, name, frame in others:
        shared = [key for key in keys if key in known and key in of_row]
        if reader.both_repeat(result, frame, shared):
            differing = ", ".join(key for key in keys if (key in known) != (key in of_row))
            remedy = f"select one value of {differing}, or " if differing else ""
            raise ArgumentError(
                f"{name} and {', '.join(joined)} both have several rows of one time and the same "
                f"{', '.join(shared[1:]) or 'params'}, so it is unknown which belong together; {remedy}join fewer endpoints"
            )
        result = reader.merged(result, frame, shared)
        joined.append(name)
        known.update(of_row)
    return result


def _keys(tables: List[Table]) -> List[str]:
    """Returns the columns that identify a row: the time, and every param that is set in a table."""
    keys = {tables[0].columns[0]: None}
    for table in tables:
        keys.update({name: None for name in table._set_params()})
    return list(keys)


def _names_of_fields(parts: Dict[str, Table], keys: List[str]) -> Dict[str, Dict[str, str]]:
    """Returns the fields of each endpoint with their names in a joined frame."""
    fields = {name: [field for field in table._fields() if field != table.columns[0]] for name, table in parts.items()}
    methods = [name.split(".")[-1] for name in parts]
    names: Dict[str, Dict[str, str]] = {}
    for name, method in zip(parts, methods):
        # Endpoints of two groups can have one method name.
        prefix = method if methods.count(method) == 1 else name
        names[name] = {}
        for field in fields[name]:
            is_unique = field not in keys and sum(field in others for others in fields.values()) == 1
            names[name][field] = field if is_unique else f"{prefix}.{field}"
    return names
