"""A chart as SVG, which a notebook draws."""

from __future__ import annotations

from pathlib import Path as FilePath

from ._command import Path, path_text
from ._errors import ArgumentError


class Chart:
    """A chart of records over time.

    svg: The text of the chart as SVG.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Path) -> None:
        """Writes the chart to an SVG file, whose name ends with `.svg`."""
        file = FilePath(path_text(path))
        if file.suffix.lower() != ".svg":
            raise ArgumentError(f"{str(file)!r} is not an SVG file: charts are written as .svg files")
        file.write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<derivs.Chart: {len(self.svg):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg
