"""The data of the command `derivs` in Python: tables of histories, single responses, and new records as they arrive.

Each function runs the command, which is part of the same package, and which handles settings, rate limits and retries.
Keyword arguments are its options: `coin=["BTC", "ETH"]` is `--coin BTC,ETH`, `sandbox=True` is `--sandbox`, and
`fault="coin=DOGE status=404"` with it makes one coin fail. Messages of the command go to the logger `derivs`: with
`logging.basicConfig(level=logging.INFO)`, a long history shows its progress every ten seconds.

    import derivs, polars

    coins = ["BTC", "ETH"]
    rates = derivs.history("funding_rate", coin=coins, exchange="binance_perp_stable", timeframe="1h", start="30d")
    frame = polars.DataFrame(rates)
"""

from __future__ import annotations

import json
import threading
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, AsyncGenerator, Generator, List, Optional, Union, cast

from ._asyncio import iterate_in_thread, run_in_thread
from ._chart import Chart
from ._command import (
    Names,
    Path,
    Row,
    Run,
    Time,
    endpoint_names,
    known_time,
    parse_rows,
    parse_series,
    parse_time,
    path_text,
    range_options,
    time_option,
    warn,
    with_own_options,
    without_repeats,
)
from ._data_set import DataSet, mixed_params
from ._errors import ArgumentError, ColumnError, Error, Interrupt
from ._missing import warnings
from ._options import OF_MESSAGES, OF_SERVICE
from ._pages import Description, Report, Status
from ._table import Rows, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .generated import (
        AsyncFollowFunction,
        AsyncHistoryFunction,
        BackfillFunction,
        FollowFunction,
        GetFunction,
        HistoryFunction,
        StoredEndpoints,
        StoredParams,
    )

__all__ = [
    "ArgumentError",
    "Chart",
    "ColumnError",
    "DataSet",
    "Error",
    "Interrupt",
    "Table",
    "adopt",
    "afollow",
    "ahistory",
    "backfill",
    "describe",
    "endpoints",
    "follow",
    "get",
    "history",
    "open",
    "remove",
    "report",
    "revisions",
    "status",
    "stored",
]


def __dir__() -> List[str]:
    return [name for name in globals() if name in __all__ or name.startswith("__")] + ["__version__"]


if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name):
        if name == "__version__":
            # Importing it takes longer than the rest of the package.
            from importlib.metadata import version

            return version(__name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _history(
    endpoints: Names,
    *,
    start: Time,
    end: Optional[Time] = None,
    path: Optional[Path] = None,
    as_of: Optional[Time] = None,
    **options: Any,
) -> Table:
    """Returns all records from `start` to `end` (excluded; default: now).

    With `path`, the records are those of a file or a data set that `backfill` has written, without the service; `as_of`
    returns what was known there at a time. The service itself has only what is known now. The params select series: those
    of every value of a param that is not set, with a warning if there are several. Without any param, they are those of
    all series.

    A time is a date or a datetime (without an offset: UTC), their text, Unix seconds, or an age such as `"30d"` or a
    timedelta. The first record of the service is that of the interval which contains an age. With `path`, and with any
    other start, no record is before the start.
    The number of requests is not limited, so it can take long: see the progress with `logging`."""
    return _read_history(endpoints, start, end, path, as_of, options)


async def _ahistory(
    endpoints: Names,
    *,
    start: Time,
    end: Optional[Time] = None,
    path: Optional[Path] = None,
    as_of: Optional[Time] = None,
    **options: Any,
) -> Table:
    """Does the same as `history`, for asyncio. Cancellation ends the command."""
    return await run_in_thread(lambda stop: _read_history(endpoints, start, end, path, as_of, options, stop))


def _read_history(
    endpoints: Names,
    start: Time,
    end: Optional[Time],
    path: Optional[Path],
    as_of: Optional[Time],
    options: Row,
    stop: Optional[threading.Event] = None,
) -> Table:
    if path is not None:
        of_service = [name for name in OF_SERVICE if options.get(name)]
        if of_service:
            raise ArgumentError(f"`{of_service[0]}` is not an argument with `path`: no request is sent")
        # The command takes an end that is not set for that of the rows, and would not say what no run has requested since.
        until = datetime.now(timezone.utc).replace(microsecond=0) if end is None or end == "now" else end
        table = _read_stored(path, endpoints, start, until, as_of, options, stop)
        params = {name: value for name, value in options.items() if name not in (*OF_SERVICE, *OF_MESSAGES)}
        for warning in mixed_params(table, params):
            warn(f"{path_text(path)}: {warning}")
        return table
    if as_of is not None:
        raise ArgumentError("`as_of` needs `path`, a file or a data set: the service has only what is known now")
    own = {"out": "-", "format": "arrow", "json": True, "dry_run": False}
    run = Run(["backfill", *endpoint_names(endpoints)], with_own_options(options, {**range_options(start, end), **own}))
    out = run.read(stop)
    return run.result(Table(out, run.objects))


def _get(
    endpoints: Names, *, start: Optional[Time] = None, end: Optional[Time] = None, **options: Any
) -> List[Row]:
    """Returns the records of one response for each series, or the body of a response without records.

    Without `all=True`, a response has at most one page of records. With it, all pages are fetched, up to `max_pages` of each
    series (default: 10,000), if the catalogue has the `pages` of the endpoint; otherwise, that is an error. The service
    decides whether `end` is included, as it is by the sandbox. A time is a text such as `"2025-01-31T12:00:00Z"`, which
    `pandas.to_datetime` converts. `history` returns all
    records of a range without `end`, in columns with types."""
    run = Run(["get", *endpoint_names(endpoints)], with_own_options(options, {**range_options(start, end), "format": "jsonl"}))
    return run.result(parse_rows(run.read()))


def _backfill(
    endpoints: Names = (),
    *,
    out: Optional[Path] = None,
    start: Optional[Time] = None,
    end: Optional[Time] = None,
    **options: Any,
) -> List[Row]:
    """Writes histories to a file or a folder, or does the job of a TOML file (`job="job.toml"`).

    Returns for each series its range, the numbers of records added, filled and revised, its files, its gaps, and `notes`
    about other series in the same target, for example with another timeframe, and about times that no run has fetched or
    requested, which are also logged as warnings."""
    if out == "-":
        raise ArgumentError("`out` is a file or a folder; `history` returns records")
    run = Run(["backfill", *endpoint_names(endpoints)], with_own_options(options, {**range_options(start, end), "out": out, "json": True}))
    changes = run.read()
    if run.objects:
        raise ArgumentError("the target of the job file is standard output; set `out`, or use `history`")
    return run.result(parse_rows(changes))


def status(path: Path, *, max_age: Union[str, timedelta, None] = None, verify: bool = False) -> Status:
    """Returns the state of a file or a folder that `backfill` has written, with a list of its `series`.

    Each series has its endpoint, params and `files`; its `path` is its name in messages, and not that of a file.
    If a file is damaged, records are missing that a run should have fetched, or, with `max_age`, a series has no record or
    its last record is older and a newer interval has ended, the error of the kind `incomplete` has the state as its
    `result`. `verify` reads every row."""
    run = Run(["status", path_text(path)], {"max_age": max_age, "verify": verify, "json": True})
    state = run.read()
    return run.result(Status(json.loads(state or b"{}")))


def stored(
    path: Path,
    *,
    endpoint: Optional[StoredEndpoints] = None,
    start: Optional[Time] = None,
    end: Optional[Time] = None,
    as_of: Optional[Time] = None,
    **params: Unpack[StoredParams],
) -> Table:
    """Returns the rows of a file or a data set, without the service; with `as_of`, as they were known at that time.

    The params select series, such as `coin="BTC"`, and `end` is excluded. If the rows of a damaged or missing file are left
    out, or if there is no row because the service has rejected a series or a part of the range was never fetched, the error
    of the kind `incomplete` has the others as its `result`. Warnings of the logger name series that lack a part of the
    range, because no run has requested it, or because the service had no record; `report` has gaps and what was never
    requested, too."""
    return _read_stored(path, endpoint, start, end, as_of, {**params})


def _read_stored(
    path: Path,
    endpoint: Optional[Names],
    start: Optional[Time],
    end: Optional[Time],
    as_of: Optional[Time],
    params: Row,
    stop: Optional[threading.Event] = None,
) -> Table:
    own = {
        **range_options(start, end),
        "endpoint": None if endpoint is None else endpoint_names(endpoint),
        "as_of": time_option("as_of", as_of),
        "format": "arrow",
        "json": True,
    }
    with without_repeats():
        run = Run(["export", path_text(path)], with_own_options(params, own))
        table = Table(run.read(stop), run.objects)
        # A range with a start ends now. What was known earlier has other ends.
        until = "now" if end is None and start is not None else end
        _warn_of_missing(path, table, until if as_of is None else None)
    return run.result(table)


def _warn_of_missing(path: Path, table: Table, end: Optional[Time]) -> None:
    """Warns about series without all records of a range."""
    if not len(table):
        return
    for warning in warnings(table.report, lambda: _states(path), known_time(end)):
        warn(f"{path_text(path)}: {warning}")


def _states(path: Path) -> List[Row]:
    """Returns the state of all series, also if some are not complete."""
    state = Run(["status", path_text(path)], {"json": True, "quiet": True}).read()
    return list(json.loads(state)["series"]) if state else []


def revisions(path: Path, *, endpoint: Optional[StoredEndpoints] = None, **params: Unpack[StoredParams]) -> List[Row]:
    """Returns the earlier values of a file or a data set, which later runs have replaced.

    Each has its endpoint and params, both also as the text `series`, the time of the record, the field, the value as text,
    and the times at which it was fetched and replaced. The params select series, such as `coin="BTC"`."""
    own = {"endpoint": None if endpoint is None else endpoint_names(endpoint), "revisions": True, "format": "jsonl"}
    run = Run(["export", path_text(path)], with_own_options({**params}, own))
    rows = parse_rows(run.read())
    for row in rows:
        for name in ("time", "fetched_at", "replaced_at"):
            row[name] = row[name] and parse_time(row[name])
    return run.result(Rows({**parse_series(row["series"]), **row} for row in rows))


def report(path: Path) -> Report:
    """Returns figures about the values of a file or a data set, for each of its `series` and their `fields`: nulls, values out
    of range, the longest constant run, the largest step, and the number of revisions."""
    run = Run(["report", path_text(path)], {"json": True})
    figures = run.read()
    return run.result(Report(json.loads(figures or b"{}")))


def open(path: Path) -> DataSet:
    """Opens a file or a data set that `backfill` has written: its `endpoints`, its `coverage`, and its rows as frames.

    A path at which nothing was written is an error; a target that is incomplete is opened."""
    data_set = DataSet(path, status, stored, report)
    data_set.coverage  # Fails if there is nothing.
    return data_set


def adopt(path: Path) -> List[Row]:
    """Rebuilds the state of a data set from its files, for example after its folder was copied without `.backfill`, and
    returns its series, as `derivs.open(path).coverage`.

    The files do not list the times that were requested and have no record: the next run requests them again."""
    run = Run(["adopt", path_text(path)], {})
    run.read()
    run.result(None)
    return open(path).coverage


def remove(
    path: Path, *, endpoint: Optional[StoredEndpoints] = None, dry_run: bool = False, **params: Unpack[StoredParams]
) -> List[Row]:
    """Deletes the series with all these params, such as `coin=["DOGE", "PEPE"]`, and returns their endpoints and params.

    `dry_run` deletes nothing. `param="exchange="` selects the series without an exchange."""
    for name in (name for name, value in params.items() if value is None):
        raise ArgumentError(f"`{name}` is None: omit it, or write `param=\"{name}=\"` for the series without it")
    own = {"endpoint": None if endpoint is None else endpoint_names(endpoint), "dry_run": dry_run, "json": True}
    run = Run(["remove", path_text(path)], with_own_options({**params}, own))
    return run.result(parse_rows(run.read()))


def _follow(
    endpoints: Names, *, start: Time = "now", stop: Optional[threading.Event] = None, **options: Any
) -> Generator[Row, None, None]:
    """Yields each record when its interval has ended, without an end, or until `records` of all series together have
    arrived (`records=5`).

    `break` and Ctrl-C end it, and so does another thread that sets `stop`, even while no record arrives. If the service
    rejects one series, all of them end. A record has the params in which the series differ."""
    if stop is not None and not hasattr(stop, "is_set"):
        raise ArgumentError(f"`stop` is a threading.Event, not {stop!r}")
    if "end" in options:
        raise ArgumentError("`end` is not an argument: `records` or `stop` ends this function")
    run = Run(["poll", *endpoint_names(endpoints)], with_own_options(options, {"from": time_option("start", start), "format": "jsonl"}))
    with closing(run.chunks(stop)) as chunks:
        rest = b""
        for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            yield from map(json.loads, lines)
    if not (stop and stop.is_set()):
        run.result(None)


async def _afollow(endpoints: Names, *, start: Time = "now", **options: Any) -> AsyncGenerator[Row, None]:
    """Does the same as `follow`, for `async for`. `break`, cancellation and Ctrl-C end it."""
    records = iterate_in_thread(lambda stop: _follow(endpoints, start=start, stop=stop, **options))
    async for record in records:
        yield record


def endpoints(*words: str, history: bool = False) -> List[Row]:
    """Returns the endpoints that have all these words in names, params, fields or descriptions; there may be none.

    Each has the names of its `required` params; `describe` returns all of its params and fields."""
    if not all(isinstance(word, str) for word in words):
        raise ArgumentError(f"each word is an argument, as in `endpoints(\"open\", \"interest\")`, not {words!r}")
    run = Run(["list", *words], {"history": history, "json": True})
    return run.result(parse_rows(run.read()))


def describe(endpoint: Union[str, Row]) -> Description:
    """Returns all known facts about an endpoint, with its `params` and `fields`, which are None if they are unknown."""
    run = Run(["describe", *endpoint_names(endpoint)], {"json": True})
    facts = run.read()
    return run.result(Description(json.loads(facts or b"{}")))


# The types of these functions are those of the catalogue: the names of endpoints, their params and values, and rows. An
# editor shows the texts below, and `help` those of the functions above.
history: "HistoryFunction" = cast("HistoryFunction", _history)
"""Returns all records from `start` to `end` (excluded; default: now) as a table."""
ahistory: "AsyncHistoryFunction" = cast("AsyncHistoryFunction", _ahistory)
"""Returns all records from `start` to `end` as `history` does, for asyncio."""
backfill: "BackfillFunction" = cast("BackfillFunction", _backfill)
"""Writes all records from `start` to `end` to a file or a folder, and returns what has changed."""
get: "GetFunction" = cast("GetFunction", _get)
"""Returns the records of one response for each series."""
follow: "FollowFunction" = cast("FollowFunction", _follow)
"""Yields each record when its interval has ended, until `records` of them have arrived."""
afollow: "AsyncFollowFunction" = cast("AsyncFollowFunction", _afollow)
"""Yields each record when its interval has ended, for `async for`."""
for _function in (_history, _ahistory, _backfill, _get, _follow, _afollow):
    _function.__name__ = _function.__qualname__ = _function.__name__[1:]
