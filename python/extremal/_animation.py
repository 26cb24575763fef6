"""Animations that work offline: one canvas, some numbers, forty lines of script."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any, Sequence

import numpy as np

#: Pictures of a film; more are not seen.
_MOST_FRAMES = 600

_PAGE = """<div><canvas width="{width}" height="{width}" style="border:1px solid #ccc"></canvas><div style="font:12px sans-serif"></div>
<script>(function() {{
const film = {data}, box = document.currentScript.parentElement, canvas = box.querySelector("canvas");
const label = box.querySelector("div"), ink = canvas.getContext("2d"), size = canvas.width;
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
function flat(p) {{ return p.length === 2 ? p : [p[0] - 0.4 * p[1], p[2] - 0.25 * p[1]]; }}
let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
for (const body of film.bodies) for (const p of body) {{
  const q = flat(p);
  for (const i of [0, 1]) {{ low[i] = Math.min(low[i], q[i]); high[i] = Math.max(high[i], q[i]); }}
}}
const span = Math.max(high[0] - low[0], high[1] - low[1]) || 1, scale = 0.9 * size / span;
const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
function place(p) {{
  const q = flat(p);
  return [size / 2 + scale * (q[0] - middle[0]), size / 2 - scale * (q[1] - middle[1])];
}}
function draw(at) {{
  ink.clearRect(0, 0, size, size);
  film.bodies.forEach(function(body, number) {{
    ink.strokeStyle = ink.fillStyle = colours[number % colours.length];
    ink.globalAlpha = 0.4;
    ink.beginPath();
    for (let i = Math.max(0, at - film.trail); i <= at; i++) ink.lineTo(...place(body[i]));
    ink.stroke();
    ink.globalAlpha = 1;
    ink.beginPath();
    ink.arc(...place(body[at]), 6, 0, 2 * Math.PI);
    ink.fill();
  }});
  label.textContent = "t = " + film.t[at].toPrecision(4);
}}
const frames = film.t.length;
function next(now) {{
  draw(Math.floor(now / 1000 / film.seconds * frames) % frames);
  if (canvas.isConnected) requestAnimationFrame(next);
}}
requestAnimationFrame(next);
}})();</script></div>"""


class Animation:
    """A film of bodies: a notebook shows it, `save` writes a page."""

    def __init__(self, html: str) -> None:
        #: The film as a piece of HTML, with nothing to be fetched from anywhere.
        self.html = html

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a page that any browser shows."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<!DOCTYPE html><meta charset='utf-8'><title>extremal</title>{self.html}")

    def _repr_html_(self) -> str:
        return self.html


def animated(
    run: Any, bodies: Sequence[Sequence[Any]], trail: int = 200, seconds: float | None = None, width: int = 480
) -> Animation:
    """Bodies by the names of their columns, or by arrays as long as the run."""
    bodies = bodies or _usual(run)
    every = max(1, -(-len(run) // _MOST_FRAMES))
    t = run.t[::every]
    films = []
    for body in bodies:
        if len(body) not in (2, 3):
            raise ValueError("a body has an x and a y, or an x, a y and a z")
        places = [np.asarray(run[one] if isinstance(one, str) else one, dtype=float) for one in body]
        if any(place.shape != (len(run),) for place in places):
            raise ValueError(f"the places of a body are columns of the run, or arrays of {len(run)} numbers")
        films.append(np.stack(places, axis=1)[::every].round(6).tolist())
    lasts = seconds if seconds is not None else max(1.0, min(20.0, float(t[-1] - t[0])))
    data = {"t": t.tolist(), "bodies": films, "trail": trail, "seconds": lasts}
    return Animation(_PAGE.format(width=width, data=json.dumps(data)))


def _usual(run: Any) -> list[tuple[str, ...]]:
    """x, y and z, or their numbered families."""
    found: list[tuple[str, ...]] = []
    for end in ["", *(str(i) for i in range(1, 100)), *(f"[{i}]" for i in range(1, 100))]:
        body = tuple(f"{axis}{end}" for axis in "xyz" if f"{axis}{end}" in run)
        if len(body) >= 2 and body[:2] == (f"x{end}", f"y{end}"):
            found.append(body)
    if not found:
        raise ValueError("there are no columns x and y: name those of each body, as in animate(('x', 'y'))")
    return found
