"""Facts and figures as dicts, which a notebook and a terminal show as tables."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Tuple

from ._table import Row, html_table, is_long, text_table


# The figures of a field, as in the report of the command.
_FIGURES = (
    "values",
    "nulls",
    "min",
    "max",
    "mean",
    "out_of_range",
    "longest_constant",
    "largest_step",
    "largest_step_at",
    "revisions",
)


# The state of a series, as in the status of the command. A report has some of it.
_STATE = ("state", "records", "first", "last", "missing")


# The columns of a series that needs attention have a value.
_ATTENTION = ("missing", "never requested", "never fetched", "rejected")


# The errors of a page whose keys or values a user has changed.
_CHANGED = (AttributeError, LookupError, TypeError, ValueError)


class _Page(Dict[str, Any]):
    def _title(self) -> str:
        raise NotImplementedError

    def _sections(self) -> List[Tuple[str, List[Row]]]:
        raise NotImplementedError

    def __repr__(self) -> str:
        try:
            texts = [self._title()]
            for name, rows in self._sections():
                texts.append(f"{name}\n{text_table(rows)}")
        except _CHANGED:
            return super().__repr__()
        return "\n\n".join(texts)

    def _repr_html_(self) -> str:
        try:
            texts = [f"<p>{escape(self._title())}</p>"]
            for name, rows in self._sections():
                texts.append(html_table(rows, name))
        except _CHANGED:
            return f"<pre>{escape(repr(self))}</pre>"
        return "".join(texts)


class Description(_Page):
    """All known facts about an endpoint, as a dict."""

    def _title(self) -> str:
        history = "with a history" if self["history"] else "without a history"
        return f"{self['endpoint']}, {history}: {self['summary']}"

    def _sections(self) -> List[Tuple[str, List[Row]]]:
        params = []
        for param in self["params"] or []:
            # A constant is set by the command.
            if param["value"] is None:
                params.append(
                    {
                        "argument": param["option"],
                        "required": param["required"],
                        "values": [value["value"] for value in param["values"]] or param["allowed_values"],
                        "default": param["default"],
                        "meaning": param["summary"],
                        "source": param["evidence"],
                        "undocumented": "; ".join(param["undocumented"]),
                    }
                )
        fields = []
        for field in self["fields"] or []:
            fields.append(
                {
                    "field": field["name"],
                    "type": field["type"],
                    "unit": field["unit"],
                    "optional": field["optional"] or None,
                    "meaning": field["summary"],
                    "source": field["evidence"],
                    "undocumented": "; ".join(field["undocumented"]),
                }
            )
        sections = [("Arguments", params), ("Fields", fields)]
        return [(name, rows) for name, rows in sections if rows]


class Status(_Page):
    """The state of a file or a data set, as a dict."""

    def _title(self) -> str:
        return _totals(self)

    def _sections(self) -> List[Tuple[str, List[Row]]]:
        return [("Series", _series(self))]


class Report(_Page):
    """Figures about the values of a file or a data set, as a dict."""

    def _title(self) -> str:
        return _totals(self)

    def _sections(self) -> List[Tuple[str, List[Row]]]:
        rows = []
        for series in self["series"]:
            for field in series["fields"]:
                figures = {name: field[name] for name in _FIGURES}
                rows.append({**_identity(series), "field": field["field"], **figures})
        return [("Series", _series(self)), ("Values", rows)]


def _totals(page: Row) -> str:
    series = page["series"]
    records = sum(one["records"] for one in series)
    missing = sum(one["missing"] for one in series)
    parts = [f"{len(series):,} series", f"{records:,} records", f"{missing:,} missing"]
    rejected = sum(bool(one["rejected"]) for one in series)
    if rejected:
        parts.append(f"{rejected:,} series rejected")
    return f"{page['path']}: {', '.join(parts)}"


def _series(page: Row) -> List[Row]:
    """Returns the state of each series, also of those without a record."""
    rows = []
    for series in page["series"]:
        state = {name: series[name] for name in _STATE if name in series}
        ranges = {f"never {what[2:]}": _spans(series[what]) for what in ("unrequested", "unfetched")}
        rows.append({**_identity(series), **state, **ranges, "rejected": series["rejected"]})
    # A long table shows only its first and last rows, so those that need attention are first.
    return sorted(rows, key=_is_complete) if is_long(rows) else rows


def _is_complete(row: Row) -> bool:
    return bool(row.get("records")) and not any(row.get(name) for name in _ATTENTION)


def _spans(ranges: List[List[str]]) -> str:
    """Returns ranges of times without what all times in UTC share."""
    return ", ".join(" to ".join(time.replace("T00:00:00Z", "").rstrip("Z") for time in pair) for pair in ranges)


def _identity(series: Row) -> Row:
    return {"endpoint": series["endpoint"].split(".")[-1], **series["params"]}
