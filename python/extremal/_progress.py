"""A line on the terminal that says how far a task is."""

from __future__ import annotations

import sys
import time


class ProgressLine:
    """Called with what is done and with all, which may not be known."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._width = 0

    def __call__(self, done: int, total: int | None) -> None:
        seconds = time.monotonic() - self._begun
        if total:
            left = seconds * (total - done) / done if done else 0.0
            text = f"{100 * done / total:3.0f} %  {done} of {total}, {left:.0f} s left"
        else:
            text = f"{done}, {seconds:.0f} s"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def line() -> ProgressLine:
    return ProgressLine()
