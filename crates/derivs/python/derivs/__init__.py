"""The data of the command `derivs` in Python: tables of histories, single responses, and new records as they arrive.

Each function runs the command, which is part of the same package, and which handles settings, rate limits and retries.
Keyword arguments are its options: `coin=["BTC", "ETH"]` is `--coin BTC,ETH`, `sandbox=True` is `--sandbox`, and
`fault="coin=DOGE status=404"` with it makes one coin fail. Messages of the command go to the logger `derivs`: with
`logging.basicConfig(level=logging.INFO)`, a long history shows its progress every ten seconds.

    import derivs, polars

    rates = derivs.history("funding_rate", coin=["BTC", "ETH"], timeframe="1h", start="30d")
    frame = polars.DataFrame(rates)
"""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import shutil
import signal
import subprocess
import sysconfig
import threading
from contextlib import closing, suppress
from datetime import date, datetime, timedelta, timezone
from typing import Any, Dict, Generator, Iterable, Iterator, List, Optional, TypeVar, Union

__all__ = ["Error", "Table", "backfill", "describe", "endpoints", "follow", "get", "history", "remove", "status"]

Row = Dict[str, Any]
# An endpoint is its name, its path, or an entry of `endpoints()`.
Names = Union[str, Row, Iterable[Union[str, Row]]]
Path = Union[str, "os.PathLike[str]"]
# A number is Unix seconds.
Time = Union[str, date, timedelta, float]
T = TypeVar("T")

_LOG = logging.getLogger("derivs")
_KINDS = {1: "io", 2: "usage", 3: "credentials", 4: "service", 5: "rejected", 6: "incomplete"}


class Error(Exception):
    """The command failed; the text is its message.

    code: The exit code of the command, which is negative if a signal has ended it.
    kind: `io`, `usage`, `credentials`, `service`, `rejected`, `incomplete`, `stopped` (by a signal) or `unknown`.
    result: What the function would have returned, with everything from before the failure. None if that is nothing.
    """

    def __init__(self, text: str, code: int, result: Any) -> None:
        super().__init__(text)
        self.code = code
        self.kind = "stopped" if code < 0 or code > 128 else _KINDS.get(code, "unknown")
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code, self.result)


class Table:
    """Rows of histories. `polars.DataFrame(table)`, `pyarrow.table(table)` and `table.to_pandas()` convert them.

    ipc: The rows as a stream in Arrow's IPC format.
    report: For each series its endpoint, params and range, the number of records `added`, the times of the `first` and
        the `last` one, the `gaps` between them, and an `error` or None.
    """

    def __init__(self, ipc: bytes, report: List[Row]) -> None:
        self.ipc = ipc
        self.report = report

    @property
    def gaps(self) -> List[Row]:
        """The ranges without a record between the first and the last record of a series.

        Each has an endpoint, params, from, and to, which is excluded."""
        return [
            {"endpoint": series["endpoint"], "params": series["params"], "from": start, "to": end}
            for series in self.report
            for start, end in series["gaps"]
        ]

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`; needs pandas and pyarrow."""
        import pyarrow  # type: ignore[import-untyped,unused-ignore]

        return pyarrow.table(self).to_pandas()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        try:
            from pyarrow import ipc

            table: Any = ipc.open_stream(self.ipc).read_all()
        except ImportError:
            try:
                import polars
            except ImportError:
                raise ImportError("reading a table needs pyarrow or polars: pip install pyarrow") from None
            table = polars.read_ipc_stream(self.ipc)
        return table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return sum(series["added"] for series in self.report)

    def __repr__(self) -> str:
        return f"<derivs.Table: {len(self)} rows of {len(self.report)} series, {len(self.gaps)} gaps>"


def history(endpoints: Names, *, start: Time, end: Optional[Time] = None, **options: Any) -> Table:
    """Returns all records from `start` to `end` (excluded; default: now).

    A time is a date or a datetime (without an offset: UTC), their text, Unix seconds, or an age such as `"30d"` or a
    timedelta. The first record is that of the interval which contains an age; no record is before any other start.
    The number of requests is not limited, so it can take long: see the progress with `logging`."""
    own = {"out": "-", "format": "arrow", "json": True, "dry_run": False}
    run = _Run(["backfill", *_names(endpoints)], _all(options, {**_range(start, end), **own}))
    out = run.read()
    return run.result(Table(out, run.objects))


def get(
    endpoints: Names, *, start: Optional[Time] = None, end: Optional[Time] = None, **options: Any
) -> List[Row]:
    """Returns the records of one response for each series, or the body of a response without records.

    A response has at most one page of records, and the service decides whether `end` is included, as it is by the
    sandbox. A time is a text such as `"2025-01-31T12:00:00Z"`, which `pandas.to_datetime` converts. `history` returns all
    records of a range without `end`, in columns with types."""
    run = _Run(["get", *_names(endpoints)], _all(options, {**_range(start, end), "format": "jsonl"}))
    return run.result(_rows(run.read()))


def backfill(
    endpoints: Names = (),
    *,
    out: Optional[Path] = None,
    start: Optional[Time] = None,
    end: Optional[Time] = None,
    **options: Any,
) -> List[Row]:
    """Writes histories to a file, a folder or a bucket, or does the job of a TOML file (`job="job.toml"`).

    Returns for each series its range, the numbers of records added, filled and revised, its files, its gaps, and `notes`
    about other series in the same target, for example with another timeframe, and about times that no run has fetched or
    requested, which are also logged as warnings."""
    if out == "-":
        raise ValueError("`out` is a file, a folder or a bucket; `history` returns records")
    run = _Run(["backfill", *_names(endpoints)], _all(options, {**_range(start, end), "out": out, "json": True}))
    changes = run.read()
    if run.objects:
        raise ValueError("the target of the job file is standard output; set `out`, or use `history`")
    return run.result(_rows(changes))


def status(path: Path, *, max_age: Union[str, timedelta, None] = None, verify: bool = False) -> Row:
    """Returns the state of a file, a folder or a bucket that `backfill` has written, with a list of its `series`.

    Each series has its endpoint, params and `files`; its `path` is its name in messages, and not that of a file.
    If a file is damaged, records are missing that a run should have fetched, or the last record of a series is older
    than `max_age` and a newer interval has ended, the error of the kind `incomplete` has the state as its `result`. `verify` reads every row."""
    run = _Run(["status", os.fspath(path)], {"max_age": max_age, "verify": verify, "json": True})
    state = run.read()
    return run.result(json.loads(state or b"{}"))


def remove(path: Path, *, endpoint: Optional[Names] = None, dry_run: bool = False, **params: Any) -> List[Row]:
    """Deletes the series with all these params, such as `coin=["DOGE", "PEPE"]`, and returns their endpoints and params.

    `dry_run` deletes nothing. `param="exchange="` selects the series without an exchange."""
    for name in (name for name, value in params.items() if value is None):
        raise TypeError(f"`{name}` is None: omit it, or write `param=\"{name}=\"` for the series without it")
    run = _Run(["remove", os.fspath(path)], _all(params, {"endpoint": endpoint, "dry_run": dry_run, "json": True}))
    return run.result(_rows(run.read()))


def follow(
    endpoints: Names, *, start: Time = "now", stop: Optional[threading.Event] = None, **options: Any
) -> Iterator[Row]:
    """Yields each record when its interval has ended, without an end, or until `records` of all series together have
    arrived (`records=5`).

    `break` and Ctrl-C end it, and so does another thread that sets `stop`, even while no record arrives. If the service
    rejects one series, all of them end. A record has the params in which the series differ."""
    if stop is not None and not hasattr(stop, "is_set"):
        raise TypeError(f"`stop` is a threading.Event, not {stop!r}")
    if "end" in options:
        raise TypeError("`end` is not an argument: `records` or `stop` ends this function")
    run = _Run(["poll", *_names(endpoints)], _all(options, {"from": _time("start", start), "format": "jsonl"}))
    with closing(run.chunks(stop)) as chunks:
        rest = b""
        for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            yield from map(json.loads, lines)
    if not (stop and stop.is_set()):
        run.result(None)


def endpoints(*words: str, history: bool = False) -> List[Row]:
    """Returns the endpoints that have all these words in names, params, fields or descriptions; there may be none.

    Each has the names of its `required` params; `describe` returns all of its params and fields."""
    if not all(isinstance(word, str) for word in words):
        raise TypeError(f"each word is an argument, as in `endpoints(\"open\", \"interest\")`, not {words!r}")
    run = _Run(["list", *words], {"history": history, "json": True})
    return run.result(_rows(run.read()))


def describe(endpoint: Union[str, Row]) -> Row:
    """Returns all known facts about an endpoint, with its `params` and `fields`, which are None if they are unknown."""
    run = _Run(["describe", *_names(endpoint)], {"json": True})
    facts = run.read()
    return run.result(json.loads(facts or b"{}"))


class _Run:
    """A process of the command."""

    def __init__(self, command: List[str], options: Row) -> None:
        # The process ends when its standard input has a byte or is closed, so it ends with this program, however that ends.
        # A signal would be the second one after Ctrl-C, and the process would not complete its work.
        self.process = subprocess.Popen(
            [_program(), *command, *_options(options), "--end-with-stdin"],
            env={**os.environ, "NO_COLOR": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        # The process waits while nobody takes the data that it has written.
        self.out: queue.Queue[Optional[bytes]] = queue.Queue(maxsize=16)
        self.objects: List[Row] = []
        self.error = ""
        self.has_output = False
        self.threads = [threading.Thread(target=read, daemon=True) for read in (self._read_out, self._read_messages)]
        for thread in self.threads:
            thread.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        while chunk := os.read(self.process.stdout.fileno(), 1 << 16):
            self.out.put(chunk)
        self.out.put(None)

    def _read_messages(self) -> None:
        assert self.process.stderr is not None
        for line in (line.decode(errors="replace").rstrip() for line in self.process.stderr):
            if line.startswith("For more information, try"):
                continue
            if line.startswith("error: ") or self.error:
                self.error += line + "\n"
            elif line.startswith('{"'):
                with suppress(ValueError):
                    self.objects.append(json.loads(line))
            elif line.startswith("warning: "):
                text = line[len("warning: ") :]
                _LOG.warning(text.replace("`derivs backfill` fetches it", "`derivs.history` fetches it"))
            else:
                _LOG.info(line)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        """Waits for the process. After Ctrl-C, and if nobody wants more records, asks it to end."""
        assert self.process.stdin is not None
        if kind is not None:
            self.end()
        for thread in self.threads:
            thread.join()
        self.process.wait()
        self.process.stdin.close()

    def end(self) -> None:
        """Asks the process to end, and ignores what it still writes."""
        assert self.process.stdin is not None
        with suppress(OSError):
            os.write(self.process.stdin.fileno(), b"\n")
        while self.threads[0].is_alive():
            with suppress(queue.Empty):
                self.out.get(timeout=0.2)

    def chunks(self, stop: Optional[threading.Event] = None) -> Generator[bytes, None, None]:
        with self:
            while not (stop and stop.is_set()):
                try:
                    # Without a timeout, a signal handler of another library can keep Ctrl-C from ending the wait.
                    chunk = self.out.get(timeout=0.2)
                except queue.Empty:
                    continue
                if chunk is None:
                    return
                self.has_output = True
                yield chunk
            self.end()

    def read(self) -> bytes:
        return b"".join(self.chunks())

    def result(self, result: T) -> T:
        """Returns the result, or raises the error of the command."""
        code = self.process.returncode
        if code:
            # The usage is that of the command line.
            text = self.error.split("\nUsage: ")[0].strip()[len("error: ") :]
            text = text or f"the command ended with {_ending(code)}"
            # The other options have the names of their arguments.
            text = re.sub(r"--from\b", "start", re.sub(r"--to\b", "end", text))
            raise Error(text, code, result if self.has_output else None)
        return result


def _ending(code: int) -> str:
    try:
        return f"the signal {signal.Signals(-code).name}"
    except ValueError:
        # An exit code, or a signal without a name, such as a real-time signal.
        return f"the exit code {code}" if code > 0 else f"the signal {-code}"


def _program() -> str:
    name = "derivs" + (sysconfig.get_config_var("EXE") or "")
    installed = os.path.join(sysconfig.get_path("scripts"), name)
    found = installed if os.path.isfile(installed) else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the command `{name}` is neither in {os.path.dirname(installed)} nor in PATH")
    return found


def _names(endpoints: Names) -> List[str]:
    if isinstance(endpoints, (str, dict)) or not isinstance(endpoints, Iterable):
        return [_name(endpoints)]
    return [_name(endpoint) for endpoint in endpoints]


def _name(endpoint: Any) -> str:
    name = endpoint.get("endpoint") if isinstance(endpoint, dict) else endpoint
    if isinstance(name, str):
        return name
    raise TypeError(f"an endpoint is a name or an entry of `endpoints()`, not {endpoint!r}")


def _range(start: Optional[Time], end: Optional[Time]) -> Row:
    return {"from": _time("start", start), "to": _time("end", end)}


def _time(name: str, time: Optional[Time]) -> Any:
    if isinstance(time, bool) or time != time:
        raise TypeError(f"`{name}` is not a time: {time!r}")
    return datetime.fromtimestamp(time, timezone.utc) if isinstance(time, float) else time


def _all(options: Row, own: Row) -> Row:
    """Returns the options of a caller and those that a function sets. No option of a caller is ignored."""
    for name in options:
        option = name.rstrip("_").replace("-", "_")
        if option in ("from", "to"):
            raise TypeError(f"`{name}` is not an argument: the arguments for a range are `start` and `end`")
        if option in own:
            raise TypeError(f"`{name}` is not an argument: this function sets `--{option.replace('_', '-')}` itself")
    return {**options, **own}


def _options(options: Row) -> Iterator[str]:
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            yield option
        elif value is not None and value is not False:
            many = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
            if not many:
                raise ValueError(f"`{name}` is an empty list")
            # A missing value of a data frame is None, or differs from itself.
            if any(one is None or one != one for one in many):
                raise TypeError(f"`{name}` has a missing value: {value!r}")
            yield from (f"{option}={_text(one)}" for one in many)


def _text(value: Any) -> str:
    if isinstance(value, timedelta):
        # The unit is that of timeframes, such as `4h`.
        seconds = int(value.total_seconds())
        sizes = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
        return next(f"{seconds // size}{unit}" for unit, size in sizes.items() if seconds % size == 0)
    return value.isoformat() if isinstance(value, date) else str(value)


def _rows(lines: bytes) -> List[Row]:
    return [json.loads(line) for line in lines.splitlines()]
