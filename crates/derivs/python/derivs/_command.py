"""Runs the command `derivs`, and converts keyword arguments to its options."""

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
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import date, datetime, timedelta, timezone
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Optional, Set, TypeVar, Union
from urllib.parse import unquote

from ._errors import ArgumentError, Error, Interrupt, is_in_notebook
from ._progress import ProgressLine
from ._table import Row as Row, Rows

# An endpoint is its name, its path, or an entry of `endpoints()`.
Names = Union[str, Row, Iterable[Union[str, Row]]]
Path = Union[str, "os.PathLike[str]"]
# A number is Unix seconds.
Time = Union[str, date, timedelta, float]
T = TypeVar("T")

_LOG = logging.getLogger("derivs")

# The options that are paths.
_PATHS = ("job", "metrics_file", "out", "settings")

# The warnings that a call has already logged; None outside of `without_repeats`.
_LOGGED: ContextVar[Optional[Set[str]]] = ContextVar("_LOGGED", default=None)


@contextmanager
def without_repeats() -> Iterator[None]:
    """Logs each warning once, if a call runs several commands."""
    known = _LOGGED.get()
    token = _LOGGED.set(set() if known is None else known)
    try:
        yield
    finally:
        _LOGGED.reset(token)


def is_new(text: str, known: Optional[Set[str]]) -> bool:
    """Returns whether a warning is not among the known ones, and adds it to them."""
    if known is None:
        return True
    if text in known:
        return False
    known.add(text)
    return True


def warn(text: str) -> None:
    if is_new(text, _LOGGED.get()):
        _LOG.warning(text)


class Run:
    """A process of the command."""

    def __init__(self, command: List[str], options: Row) -> None:
        # The process ends when its standard input has a byte or is closed, so it ends with this program, however that ends.
        # A signal would be the second one after Ctrl-C, and the process would not complete its work.
        self.process = subprocess.Popen(
            # After `--`, a name or a path that begins with `-` is not an option.
            [program(), command[0], *_options(options), "--end-with-stdin", "--progress-json", "--python", "--", *command[1:]],
            env={**os.environ, "NO_COLOR": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        # The process waits while nobody takes the data that it has written.
        self.out: queue.Queue[Optional[bytes]] = queue.Queue(maxsize=16)
        self.sends_requests = command[0] in ("backfill", "get")
        self.objects: List[Row] = []
        self.error = ""
        self.has_output = False
        self.progress = ProgressLine()
        # A thread does not have the context of its creator.
        self.logged = _LOGGED.get()
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
            elif line.startswith('{"progress":'):
                self.progress.show(json.loads(line)["progress"])
            elif line.startswith('{"'):
                with suppress(ValueError):
                    self.objects.append(json.loads(line))
            elif line.startswith("warning: "):
                self._warn(line[len("warning: ") :])
            else:
                _LOG.info(line)
        self.progress.end()

    def _warn(self, text: str) -> None:
        if is_new(text, self.logged):
            self.progress.clear()
            _LOG.warning(text)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        """Waits for the process. After Ctrl-C, and if nobody wants more records, asks it to end."""
        if kind is not None:
            self.end()
        for thread in self.threads:
            thread.join()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def end(self) -> None:
        """Asks the process to end, and ignores what it still writes."""
        assert self.process.stdin is not None
        with suppress(OSError):
            os.write(self.process.stdin.fileno(), b"\n")
        while self.threads[0].is_alive():
            with suppress(queue.Empty):
                self.out.get(timeout=0.2)

    def chunks(
        self, stop: Optional[threading.Event] = None, wait: Callable[[], None] = lambda: None
    ) -> Generator[bytes, None, None]:
        """Yields the output. `wait` is called several times a second while there is none."""
        with self:
            while not (stop and stop.is_set()):
                try:
                    # Without a timeout, a signal handler of another library can keep Ctrl-C from ending the wait.
                    chunk = self.out.get(timeout=0.2)
                except queue.Empty:
                    wait()
                    continue
                except KeyboardInterrupt:
                    # Python ends by the signal only for the exact class, and a shell ends its loop only for that.
                    if not is_in_notebook():
                        raise
                    raise Interrupt("the command was ended by Ctrl-C or the stop button") from None
                if chunk is None:
                    return
                self.has_output = True
                yield chunk
            self.end()

    def read(self, stop: Optional[threading.Event] = None) -> bytes:
        return b"".join(self.chunks(stop, self._wait))

    def _wait(self) -> None:
        if self.sends_requests and not self.has_output:
            self.progress.wait()

    def result(self, result: T) -> T:
        """Returns the result, or raises the error of the command."""
        code = self.process.returncode
        if code:
            text = self.error.strip()[len("error: ") :] or f"the command ended with {_ending(code)}"
            raise Error(text, code, result if self.has_output else None)
        return result


def _ending(code: int) -> str:
    try:
        return f"the signal {signal.Signals(-code).name}"
    except ValueError:
        # An exit code, or a signal without a name, such as a real-time signal.
        return f"the exit code {code}" if code > 0 else f"the signal {-code}"


def program() -> str:
    """Returns the path of the command."""
    name = "derivs" + (sysconfig.get_config_var("EXE") or "")
    installed = os.path.join(sysconfig.get_path("scripts"), name)
    found = installed if os.path.isfile(installed) else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the command `{name}` is neither in {os.path.dirname(installed)} nor in PATH")
    return found


def endpoint_names(endpoints: Names) -> List[str]:
    if isinstance(endpoints, (str, dict)) or not isinstance(endpoints, Iterable):
        return [endpoint_name(endpoints)]
    return [endpoint_name(endpoint) for endpoint in endpoints]


def endpoint_name(endpoint: Any) -> str:
    name = endpoint.get("endpoint") if isinstance(endpoint, dict) else endpoint
    if isinstance(name, str):
        return name
    raise ArgumentError(f"an endpoint is a name or an entry of `endpoints()`, not {endpoint!r}")


def range_options(start: Optional[Time], end: Optional[Time]) -> Row:
    return {"from": time_option("start", start), "to": time_option("end", end)}


def time_option(name: str, time: Optional[Time]) -> Any:
    if isinstance(time, bool) or time != time:
        raise ArgumentError(f"`{name}` is not a time: {time!r}")
    if not isinstance(time, float):
        return time
    try:
        return datetime.fromtimestamp(time, timezone.utc)
    except (OverflowError, ValueError):
        raise ArgumentError(f"`{name}` is not a time in Unix seconds: {time!r}") from None


def known_time(time: Optional[Time]) -> Optional[datetime]:
    """Returns a time of a caller; None without one, and for a form that only the command knows."""
    if time is None:
        return None
    now = datetime.now(timezone.utc)
    with suppress(OverflowError, ValueError):
        if isinstance(time, timedelta):
            return now - time
        text = _text(time_option("time", time)).strip()
        if re.fullmatch(r"\d{10}", text):
            return datetime.fromtimestamp(int(text), timezone.utc)
        if text == "now" or re.fullmatch(r"(\d+ *[smhdw] *)+", text):
            units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
            parts = re.findall(r"(\d+) *(\w)", text)
            return now - sum((timedelta(**{units[unit]: int(count)}) for count, unit in parts), timedelta())
        known = datetime.fromisoformat(re.sub("Z$", "+00:00", text))
        return known.astimezone(timezone.utc) if known.tzinfo else known.replace(tzinfo=timezone.utc)
    return None


def path_text(path: Union[Path, bytes]) -> str:
    """Returns a path as text, in which `~` is the home folder, as for a shell."""
    return os.path.expanduser(os.fsdecode(path))


def with_own_options(options: Row, own: Row) -> Row:
    """Returns the options of a caller and those that a function sets. No option of a caller is ignored."""
    for name in options:
        option = name.rstrip("_").replace("-", "_")
        if option in ("from", "to"):
            raise ArgumentError(f"`{name}` is not an argument: the arguments for a range are `start` and `end`")
        if option in own:
            raise ArgumentError(f"`{name}` is not an argument: this function sets it itself")
    return {**options, **own}


def _options(options: Row) -> Iterator[str]:
    for name, value in options.items():
        if name == "help" or not re.fullmatch(r"[^\W\d_][\w-]*", name):
            raise ArgumentError(f"`{name}` is not the name of an argument")
        option = "--" + name.rstrip("_").replace("_", "-")
        if type(value).__name__ in ("bool", "bool_"):
            # A flag of numpy is not the same object as True.
            value = bool(value)
        if value is True:
            yield option
        elif name in _PATHS and isinstance(value, (str, bytes, os.PathLike)):
            yield f"{option}={path_text(value)}"
        elif isinstance(value, bytes):
            raise ArgumentError(f"`{name}` is not a text: {value!r}")
        elif value is not None and value is not False:
            many = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
            if not many:
                raise ArgumentError(f"`{name}` is an empty list")
            if any(isinstance(one, bytes) for one in many):
                raise ArgumentError(f"`{name}` has a value that is not a text: {value!r}")
            if any(isinstance(one, (list, tuple, dict, set)) for one in many):
                raise ArgumentError(f"`{name}` is a list in a list: {value!r}")
            # A missing value of a data frame is None, or differs from itself.
            if any(one is None or one != one for one in many):
                raise ArgumentError(f"`{name}` has a missing value: {value!r}")
            yield from (f"{option}={_text(one)}" for one in many)


def _text(value: Any) -> str:
    if isinstance(value, timedelta):
        if value.microseconds:
            raise ArgumentError(f"{value!r} is not a whole number of seconds")
        # The unit is that of timeframes, such as `4h`.
        seconds = int(value.total_seconds())
        sizes = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
        return next(f"{seconds // size}{unit}" for unit, size in sizes.items() if seconds % size == 0)
    text = value.isoformat() if isinstance(value, date) else str(value)
    if "\0" in text:
        raise ArgumentError(f"a value has the character NUL: {value!r}")
    return text


def parse_rows(lines: bytes) -> Rows:
    return Rows(json.loads(line) for line in lines.splitlines())


def parse_series(text: str) -> Row:
    """Parses the text of a series, such as `funding_rate.funding_rate/coin=BTC`: its endpoint and params."""
    endpoint, *params = text.split("/")
    series = {"endpoint": endpoint}
    for param in params:
        name, _, value = param.partition("=")
        series[unquote(name)] = unquote(value)
    return series


def parse_time(text: str) -> datetime:
    """Parses a time in UTC that the command has written, to the microsecond."""
    seconds, _, fraction = text.rstrip("Z").partition(".")
    micros = int(fraction[:6].ljust(6, "0"))
    return datetime.fromisoformat(seconds).replace(microsecond=micros, tzinfo=timezone.utc)
