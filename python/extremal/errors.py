"""What can go wrong, as exceptions.

>>> import extremal as ex
>>> try:
...     ex.Model(coordinates={"x": 1}, lagrangian="x'^2/2 - k*x^2")
... except ex.ModelError as error:
...     print(error.diagnostics[0].message)
unknown name `k`
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Diagnostic(NamedTuple):
    """One problem of a model: what, where in its text, and what to do about it."""

    severity: str
    message: str
    help: str | None
    #: Each place as ((line, column), what is said of it), the main one first; lines and columns from 1.
    labels: list[tuple[tuple[int, int], str]]


class ExtremalError(Exception):
    """Why there is no result."""

    #: The run, ensemble or solution up to where it ended.
    partial: Any = None


class ModelError(ExtremalError, ValueError):
    """The text of a model, or an expression, has errors; the message shows each of them in its source."""

    diagnostics: list[Diagnostic] = []


class SettingsError(ExtremalError, ValueError):
    """Settings that are missing or make no sense."""


class UnsupportedError(ExtremalError, ValueError):
    """A method that is not defined for the model, or a question that the model does not ask."""


class SingularError(ExtremalError, ArithmeticError):
    """The equations do not determine the motion, or no motion satisfies them."""


class MotionError(ExtremalError, ArithmeticError):
    """A motion that could not go on; `partial` is the run up to there."""


class UnsolvedError(ExtremalError, ArithmeticError):
    """A problem without a verified solution; `partial` is what was found."""


class InterruptedError(ExtremalError):
    """It was asked to end; `partial` is what there was."""


class FileError(ExtremalError, OSError):
    """A file cannot be read or written."""


class DeviceError(ExtremalError, OSError):
    """There is no GPU where one was asked for, or it failed; `partial` may be the ensemble until then."""
