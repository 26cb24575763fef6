"""How results look in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = lambda tag, values: "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values)  # noqa: E731
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><tr>{cells('th', head)}</tr>{body}</table>"


def _warned(warnings: Iterable[str]) -> str:
    return "".join(f"<p><b>warning:</b> {escape(warning)}</p>" for warning in warnings)


def run_line(run: Any) -> str:
    summary = run.summary
    columns = f"{len(run.columns)} columns"
    return f"<Run of {summary['model'] or 'Model'}: {run.steps} steps, {summary['status']}, {columns}>"


def run(run: Any) -> str:
    summary = run.summary
    drifts = [
        (name, f"{drift.first:.8g}", f"{drift.last:.8g}", f"{drift.max_drift:.3g}")
        for name, drift in run.drifts.items()
        if drift.first is not None and drift.last is not None
    ]
    line = f"{summary['method']}, step {summary['step']:g}, {run.steps} steps, {summary['status']}"
    table = _rows(("conserved?", "first", "last", "max drift"), drifts)
    return f"<p>{escape(line)}</p>{_warned(run.warnings)}{table}{run.svg()}"


def ensemble(ensemble: Any) -> str:
    columns = ensemble.summary["columns"]
    pairs = columns.items() if isinstance(columns, dict) else columns
    rows = [(name, f"{low['min']:.6g}", f"{low['max']:.6g}") for name, low in pairs if _bounded(low)]
    line = f"{ensemble.members} members, {ensemble.failed} failed, {ensemble.warned} with a warning"
    return f"<p>{escape(line)}</p>{_rows(('column', 'least', 'largest'), rows)}"


def _bounded(bounds: Any) -> bool:
    return isinstance(bounds, dict) and bounds.get("min") is not None and bounds.get("max") is not None


def solution(solution: Any) -> str:
    line = f"{solution.status}, objective {solution.objective:.10g}, duration {solution.duration:g}"
    return f"<p>{escape(line)}</p>{_warned(solution.doubts)}{solution.svg()}"


def model(model: Any) -> str:
    about = f"<p>{escape(model.description)}</p>" if model.description else ""
    return f"<p><b>{escape(model.name or 'Model')}</b></p>{about}<pre>{escape(model.text)}</pre>"
