"""A line that shows the progress of a command, on a terminal and in a notebook."""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any, Dict

_LOG = logging.getLogger("derivs")
_BAR = 20
# Seconds between two messages of the logger.
_LOGGED_EVERY = 10.0


class ProgressLine:
    """Draws the progress on standard error if a person reads it; otherwise, logs it every ten seconds.

    A command that ends within a second draws nothing."""

    def __init__(self) -> None:
        self.is_notebook = "ipykernel" in sys.modules
        self.is_read = self.is_notebook or (sys.stderr is not None and sys.stderr.isatty())
        # The output of a cell that shows the line.
        self.output: Any = None
        self.started = time.monotonic()
        self.logged = self.started
        self.drawn = 0
        self.is_waiting = True
        # The seconds that the last line of the wait names.
        self.waited = 0
        # Two threads draw: the one that reads the messages, and the one that waits for the output.
        self.lock = threading.Lock()

    def wait(self) -> None:
        """Shows that the command is at work before the first of its requests has ended."""
        elapsed = int(time.monotonic() - self.started)
        with self.lock:
            if self.is_waiting and self.is_read and elapsed > self.waited:
                self.waited = elapsed
                self._draw(f"waiting for the first response, {_duration(elapsed)}")

    def show(self, progress: Dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self.started < 1:
            return
        done, requests = progress["done"], max(progress["requests"], 1)
        filled = _BAR * done // requests
        bar = "\u2588" * filled + " " * (_BAR - filled)
        text = f"{100 * done // requests:3}%|{bar}| {done:,}/{requests:,} requests, {progress['records']:,} records"
        if progress["seconds_left"] is not None:
            text += f", {_duration(progress['seconds_left'])} left"
        if self.is_read:
            with self.lock:
                self.is_waiting = False
                self._draw(text)
        elif now - self.logged >= _LOGGED_EVERY:
            self.logged = now
            _LOG.info(text)

    def clear(self) -> None:
        with self.lock:
            self._clear()

    def end(self) -> None:
        """Clears the line for good."""
        with self.lock:
            self.is_waiting = False
            self._clear()

    def _clear(self) -> None:
        if self.drawn:
            self._draw("")
            if not self.is_notebook:
                sys.stderr.write("\r")
            self.drawn = 0

    def _draw(self, text: str) -> None:
        if self.is_notebook:
            self._draw_output(text)
            self.drawn = len(text)
            return
        # The rest of a longer line is overwritten.
        sys.stderr.write("\r" + text.ljust(self.drawn))
        sys.stderr.flush()
        self.drawn = len(text)

    def _draw_output(self, text: str) -> None:
        """Replaces the line in the output of the cell. A notebook that a program executes keeps every write to a stream."""
        import IPython.display  # type: ignore[import-not-found,unused-ignore]

        display: Any = IPython.display.display
        data = {"text/plain": text}
        if self.output is None:
            self.output = display(data, raw=True, display_id=True)
        else:
            self.output.update(data, raw=True)


def _duration(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
