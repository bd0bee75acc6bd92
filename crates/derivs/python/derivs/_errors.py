"""The errors of this package. A notebook shows the line of the caller, and no line of the package."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, List, Optional

_KINDS = {1: "io", 2: "usage", 3: "credentials", 4: "service", 5: "rejected", 6: "incomplete"}


class _OfCaller(BaseException):
    def _render_traceback_(self) -> List[str]:
        """Returns what IPython and notebooks show of this error."""
        from IPython import get_ipython  # type: ignore[import-not-found,attr-defined,unused-ignore]

        formatter: Any = get_ipython().InteractiveTB  # type: ignore[no-untyped-call,unused-ignore]
        lines: List[str] = formatter.structured_traceback(type(self), self, _before_package(self.__traceback__))
        return lines


def is_in_notebook() -> bool:
    """Whether IPython or a notebook shows the errors of this process."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def _before_package(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """Returns the frames that have called this package."""
    if traceback is None or traceback.tb_frame.f_globals.get("__package__") == __package__:
        return None
    rest = _before_package(traceback.tb_next)
    return TracebackType(rest, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


class ArgumentError(_OfCaller, TypeError, ValueError):
    """An argument of a function is wrong, and the command was not run."""

    __module__ = "derivs"


class Error(_OfCaller, Exception):
    """The command failed; the text is its message.

    code: The exit code of the command, which is negative if a signal has ended it.
    kind: `io`, `usage`, `credentials`, `service`, `rejected`, `incomplete`, `stopped` (by a signal) or `unknown`.
    result: What the function would have returned, with everything from before the failure. None if that is nothing.
    """

    __module__ = "derivs"

    def __init__(self, text: str, code: int, result: Any) -> None:
        super().__init__(text)
        self.code = code
        self.kind = "stopped" if code < 0 or code > 128 else _KINDS.get(code, "unknown")
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code, self.result)


class Interrupt(_OfCaller, KeyboardInterrupt):
    """Ctrl-C or the stop button of a notebook has ended the command."""

    __module__ = "derivs"


class ColumnError(_OfCaller, KeyError):
    """A table has no such column."""

    __module__ = "derivs"
    # A KeyError quotes its text.
    __str__ = Exception.__str__
