"""The table that `model.summary()` prints."""

from __future__ import annotations

import importlib.util
import io
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import ml_dtypes  # noqa: F401 - NumPy knows "bfloat16" by name from then on
import numpy as np

from kops import tree

if TYPE_CHECKING:
    from klayers.layer import Layer

__all__ = ["print_summary", "summary_text"]


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: Sequence[str] | None = None,
) -> None:
    """Prints the summary of a model; see `Model.summary`."""
    table = _Table(model, expand_nested, show_trainable, layer_range)
    if print_fn is None and sys.stdout.isatty() and importlib.util.find_spec("rich") is not None:
        _print_rich(table, line_length)
        return
    text = table.text(line_length, positions)
    if print_fn is None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    else:
        print_fn(text)


def summary_text(model: Any, **options: Any) -> str:
    """The summary of a model as plain text."""
    out = io.StringIO()
    print_summary(model, print_fn=lambda text: out.write(text), **options)
    return out.getvalue()


class _Table:
    """Cells of the summary, and the totals below it."""

    def __init__(
        self,
        model: Any,
        expand_nested: bool,
        show_trainable: bool,
        layer_range: Sequence[str] | None,
    ):
        self.title = f'Model: "{model.name}"'
        self.show_trainable = show_trainable
        self.connected = _is_branched(model)
        self.header = ["Layer (type)", "Output Shape", "Param #"]
        self.weights = [0.40, 0.34, 0.26]
        if self.connected:
            self.header.append("Connected to")
            self.weights = [0.30, 0.28, 0.16, 0.26]
        if show_trainable:
            self.header.append("Trainable")
            self.weights = [w * 0.87 for w in self.weights] + [0.13]
        self.rows = [
            self._row(model, layer, depth)
            for layer, depth in _listed(model, expand_nested, _selected(model, layer_range))
        ]
        self.totals = _totals(model)

    def _row(self, model: Any, layer: Layer, depth: int) -> list[str]:
        indent = "    " * (depth - 1) + "└ " if depth else ""
        name = f"{indent}{layer.name} ({type(layer).__name__})"
        row = [name, _output_shape(layer), _parameter_count(layer)]
        if self.connected:
            row.append(_connections(model, layer) if depth == 0 else "-")
        if self.show_trainable:
            row.append(("Y" if layer.trainable else "N") if layer.weights else "-")
        return row

    def text(self, line_length: int | None, positions: Sequence[float] | None) -> str:
        total = line_length or _width(len(self.header))
        widths = self._widths(total, positions)
        parts = [self.title, _rule("┏", "━", "┳", "┓", widths)]
        parts.append(_line(self.header, widths, "┃"))
        parts.append(_rule("┡", "━", "╇", "┩", widths))
        for i, row in enumerate(self.rows):
            if i:
                parts.append(_rule("├", "─", "┼", "┤", widths))
            parts.append(_line(row, widths, "│"))
        parts.append(_rule("└", "─", "┴", "┘", widths))
        parts.extend(f" {t}" for t in self.totals)
        return "\n".join(parts)

    def _widths(self, total: int, positions: Sequence[float] | None) -> list[int]:
        n = len(self.header)
        inner = max(total - 3 * n - 1, 4 * n)
        if positions:
            scale = total if max(positions) <= 1 else 1
            ends = [0, *(p * scale for p in positions[:n])]
            widths = [b - a for a, b in zip(ends, ends[1:], strict=False)]
            if len(widths) == n:
                return [max(4, round(w * inner / max(sum(widths), 1))) for w in widths]
        return [max(4, round(w * inner)) for w in self.weights]


def _width(columns: int) -> int:
    return min(max(shutil.get_terminal_size((80, 24)).columns, 60), 98 if columns > 3 else 80)


def _rule(left: str, line: str, cross: str, right: str, widths: list[int]) -> str:
    return left + cross.join(line * (w + 2) for w in widths) + right


def _line(cells: list[str], widths: list[int], bar: str) -> str:
    """One row, as many text lines high as its longest cell needs."""
    wrapped = [_wrap(c, w) for c, w in zip(cells, widths, strict=True)]
    lines = []
    for i in range(max(map(len, wrapped))):
        texts = []
        for column, (cell, width) in enumerate(zip(wrapped, widths, strict=True)):
            text = cell[i] if i < len(cell) else ""
            texts.append(text.rjust(width) if column == 2 else text.ljust(width))
        lines.append(f"{bar} " + f" {bar} ".join(texts) + f" {bar}")
    return "\n".join(lines)


def _wrap(text: str, width: int) -> list[str]:
    lines = [""]
    for word in re.findall(r"\s*\S+", text):
        if len(lines[-1]) + len(word) <= width:
            lines[-1] += word
            continue
        word = word.strip()
        if lines[-1]:
            lines.append("")
        while len(word) > width:
            lines[-1] = word[:width]
            word = word[width:]
            lines.append("")
        lines[-1] = word
    return lines


def _print_rich(table: _Table, line_length: int | None) -> None:
    from rich.console import Console  # a tool for terminals, not a dependency
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=line_length)
    grid = Table(width=line_length or _width(len(table.header)), show_lines=True)
    for i, name in enumerate(table.header):
        grid.add_column(
            name, justify="right" if i == 2 else "left", ratio=int(table.weights[i] * 100)
        )
    styles = ("cyan", "green", "green", "cyan", "bold")
    for row in table.rows:
        grid.add_row(*(Text(c, style=s) for c, s in zip(row, styles, strict=False)))
    console.print(Text(table.title, style="bold"))
    console.print(grid)
    for text in table.totals:
        label, _, value = text.partition(": ")
        console.print(Text.assemble((f" {label}: ", "bold"), (value, "green")))


# -- what the cells say -----------------------------------------------------------------


def _is_branched(model: Any) -> bool:
    """Whether the graph is more than a chain, so that a column says what feeds what."""
    function = getattr(model, "_function", None)
    if function is None:
        return False
    operations = model.operations
    if len(function.inputs) > 1 or len(function.outputs) > 1:
        return True
    used = {id(n) for n in function.nodes}
    for operation in operations:
        nodes = [n for n in operation._inbound_nodes if id(n) in used]
        if len(nodes) > 1 or any(len(n.input_tensors) > 1 for n in nodes):
            return True
        outgoing = [n for n in operation._outbound_nodes if id(n) in used]
        if len(outgoing) > 1:
            return True
    return False


def _selected(model: Any, layer_range: Sequence[str] | None) -> list[Layer]:
    layers = list(model.operations if hasattr(model, "_function") else model.layers)
    if not layer_range:
        return layers
    if len(layer_range) != 2:
        raise ValueError(
            f"`layer_range` must hold two names, of the first and the last layer; "
            f"got {layer_range!r}."
        )
    ends = []
    for pattern in layer_range:
        matches = [i for i, x in enumerate(layers) if re.fullmatch(pattern, x.name)]
        if not matches:
            raise ValueError(
                f"`layer_range` names {pattern!r}, which matches none of the layers "
                f"{[x.name for x in layers]}."
            )
        ends.append(matches)
    start, stop = ends[0][0], ends[1][-1]
    return layers[min(start, stop) : max(start, stop) + 1]


def _listed(
    model: Any, expand: bool, layers: Sequence[Any], depth: int = 0
) -> Iterator[tuple[Any, int]]:
    for layer in layers:
        if not getattr(layer, "_is_layer", False):
            yield _OpRow(layer), depth  # type: ignore[misc]
            continue
        yield layer, depth
        if expand and hasattr(layer, "layers"):
            yield from _listed(model, True, layer.layers, depth + 1)


class _OpRow:
    """An op of a graph, looking like a layer without weights."""

    trainable = True
    built = True

    def __init__(self, operation: Any):
        self.name = operation.name
        self.operation = operation
        self.weights: list[Any] = []
        self._inbound_nodes = operation._inbound_nodes

    def count_params(self) -> int:
        return 0


def _output_shape(layer: Any) -> str:
    nodes = getattr(layer, "_inbound_nodes", [])
    shapes: list[Any] = []
    if nodes:
        shapes = [t.shape for t in nodes[0].output_tensors]
    elif (
        getattr(layer, "_function", None) is not None
        or getattr(layer, "_functional", None) is not None
    ):
        shapes = [tuple(t.shape) for t in layer.outputs]
    elif getattr(layer, "_build_shapes", None):
        shapes = _inferred(layer)
    if not shapes:
        return "?"
    return ", ".join(map(str, shapes)) if len(shapes) > 1 else str(shapes[0])


def _inferred(layer: Any) -> list[Any]:
    """Output shapes of a layer that was never in a graph, from the shapes it was built with."""
    given = layer._build_shapes
    if any(s is None for s in given.values()):
        return []
    try:
        if len(given) == 1:
            shapes = layer.compute_output_shape(next(iter(given.values())))
        else:
            shapes = layer.compute_output_shape(**given)
    except Exception:
        return []
    found: list[Any] = []
    tree.map_shape_structure(lambda s: found.append(tuple(s)), shapes)
    return found


def _parameter_count(layer: Any) -> str:
    if not layer.built:
        return "0 (unbuilt)"
    return f"{layer.count_params():,}"


def _connections(model: Any, layer: Any) -> str:
    function = model._function
    used = {id(n) for n in function.nodes}
    texts = []
    for node in layer._inbound_nodes:
        if id(node) not in used:
            continue
        for tensor in node.input_tensors:
            operation, node_index, tensor_index = tensor._keras_history
            texts.append(f"{operation.name}[{node_index}][{tensor_index}]")
    return ", ".join(texts) or "-"


def _totals(model: Any) -> list[str]:
    trainable = {id(v): v for v in model.trainable_weights}
    frozen = {id(v): v for v in model.non_trainable_weights}
    optimizer = getattr(model, "optimizer", None)
    state = list(getattr(optimizer, "variables", ())) if getattr(optimizer, "built", False) else []
    rows = [
        ("Total params", [*trainable.values(), *frozen.values(), *state]),
        ("Trainable params", list(trainable.values())),
        ("Non-trainable params", list(frozen.values())),
    ]
    if state:
        rows.append(("Optimizer params", state))
    return [f"{name}: {_amount(variables)}" for name, variables in rows]


def _amount(variables: list[Any]) -> str:
    count = sum(v.size for v in variables)
    size = sum(v.size * np.dtype(v.dtype).itemsize for v in variables)
    return f"{count:,} ({_bytes(size)})"


def _bytes(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if size < 1024 or unit == "TB":
            return f"{size:.2f} {unit}"
        size /= 1024
    return ""
