"""Figures by matplotlib."""

from __future__ import annotations

from typing import Any, Sequence


def figure(result: Any, names: Sequence[str]) -> Any:
    """Columns against the first one; those of one panel share their axes."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'extremal[plot]'") from error
    panels = [[name] for name in names] or _usual(result)
    drawn = Figure(figsize=(7, 1 + 2 * len(panels)), layout="constrained")
    axes = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels):
        for name in panel:
            axis.plot(result.t, result[name], label=name)
        axis.legend(loc="upper right")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel(result.columns[0])
    return drawn


def _usual(result: Any) -> list[list[str]]:
    """What moves, and the energy."""
    columns = result.columns[1:]
    moving = [name for name in columns if f"{name}'" in columns] or list(columns[:1])
    return [moving[:8], *([["energy"]] if "energy" in columns else [])]
