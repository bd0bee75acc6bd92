"""Warnings about stored series without all records of a range, in the words of the run that requests this range."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Callable, List, Optional, Tuple

from ._command import parse_time
from ._table import NAMED, Row, labels, shown

# The service has this time to publish a record.
_MARGIN = timedelta(days=1)


def warnings(report: List[Row], read_state: Callable[[], List[Row]], end: Optional[datetime]) -> List[str]:
    """Returns a line for each series whose records end before the range, and for each with gaps.

    `read_state` returns the state of all series; it is called only if some may lack records. An end that is None is not
    judged."""
    found = [series for series in report if series["gaps"] or end and _may_end_early(series, end)]
    states = {_identity(state): state for state in read_state()} if found else {}
    ends = []
    gaps = []
    for series in found:
        state = states.get(_identity(series))
        # A damaged target may not have it.
        if state is None:
            continue
        if end:
            ends += _end(series, state, end)
        if state["missing"]:
            gaps += _gaps(series, state)
    return [*_first(ends), *_first(gaps)]


def _may_end_early(series: Row, end: datetime) -> bool:
    """Returns whether the rows of a series end before the range."""
    if series["last"] is None:
        return True
    first, last = parse_time(series["first"]), parse_time(series["last"])
    step: timedelta = (last - first) / max(series["added"] - 1, 1)
    return end - last >= 2 * step


def _end(series: Row, state: Row, end: datetime) -> List[str]:
    """Returns a line if at least two records are missing at the end of the range, and the service has had time to publish
    them."""
    if state["last"] is None or state["unfetched"] or state["is_retired"]:
        return []
    first, last = parse_time(state["first"]), parse_time(state["last"])
    empty = [(parse_time(since), parse_time(until)) for since, until in state["empty"]]
    after = [(since, until) for since, until in empty if since >= last]
    if not after:
        return []
    last_end = after[0][0]
    asked = min(end, after[-1][1])
    # If the time of a record is the end of its interval, the difference is zero.
    mean = (last - first) / max(state["records"] - 1, 1)
    step = (last_end - last) * (state["spacing"] or 1) or mean or _MARGIN
    least = 2 * step if state["has_step"] else _MARGIN
    if asked - last_end < least or last_end + _MARGIN > datetime.now(timezone.utc):
        return []
    return [f"{labels([series])}: asked until {shown(asked)}, the last record ends at {shown(last_end)}"]


def _gaps(series: Row, state: Row) -> List[str]:
    """Returns a line about gaps in the range, which have a part of the missing records of the series."""
    share = _length(series["gaps"]) / _length([*state["gaps"], *state["unfetched"]])
    count = round(state["missing"] * share)
    if not count:
        return []
    records = "1 record" if count == 1 else f"{count:,} records"
    return [f"{labels([series])}: {records} missing between its first and last record"]


def _length(ranges: List[List[str]]) -> timedelta:
    return sum((parse_time(end) - parse_time(start) for start, end in ranges), timedelta())


def _identity(series: Row) -> Tuple[Any, ...]:
    return (series["endpoint"], *sorted(series["params"].items()))


def _first(lines: List[str]) -> List[str]:
    """Returns the first lines and the number of the others."""
    more = len(lines) - NAMED
    return [*lines[:NAMED], f"and {more} more like this"] if more > 0 else lines
