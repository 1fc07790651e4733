"""Griffe extension: puts interactive examples in docstrings into fenced code blocks."""

from __future__ import annotations

from typing import Any

import griffe


class FenceExamples(griffe.Extension):
    """Rewrites each docstring whose examples start with `>>>` outside a fence."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = fence(obj.docstring.value)


def fence(text: str) -> str:
    """Wraps each run of lines from `>>>` to the next blank line."""
    lines: list[str] = []
    fenced = inside = False
    for line in [*text.split("\n"), ""]:
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        if not fenced and not inside and stripped.startswith(">>>"):
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            lines += ["", f"{indent}```pycon"]
        elif inside and not stripped:
            inside = False
            lines.append(f"{indent}```")
        lines.append(line)
    return "\n".join(lines[:-1])
