"""The options of the functions that are the same for every endpoint, for type checkers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Sequence, Union

# The options of `history` that are about requests.
OF_SERVICE = (
    *("sandbox", "fault", "settings", "shared_rate_limit", "shared_rate_limit_name"),
    *("strict", "include_partial", "allow_empty"),
)

# The options that are about messages.
OF_MESSAGES = ("quiet", "verbose")

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    from ._command import Path, Time

    class _Service(TypedDict, total=False):
        sandbox: bool
        fault: Union[str, Sequence[str]]
        settings: Path
        shared_rate_limit: str
        shared_rate_limit_name: str
        quiet: bool
        verbose: bool

    class GetOptions(_Service, total=False):
        all: bool
        max_pages: int

    class _Fetch(_Service, total=False):
        strict: bool
        include_partial: bool
        allow_empty: bool

    class HistoryOptions(_Fetch, total=False):
        path: Path
        as_of: Time

    class BackfillOptions(_Fetch, total=False):
        refetch: Union[str, timedelta]
        refetch_gaps: bool
        partition: str
        dry_run: bool

    class FollowOptions(_Service, total=False):
        records: int
