"""What a system conserves, whether it is singular, where it rests."""

from __future__ import annotations

from typing import Any

from ._extremal import Model


class Conserved:
    """A conserved quantity."""

    def __init__(self, model: Model, name: str, expression: str, proved: bool, general: bool) -> None:
        self._model = model
        #: What it is called.
        self.name = name
        #: Its formula.
        self.expression = expression
        #: Is it proved, not only seen at random points?
        self.proved = proved
        #: Does it hold for all values of the parameters, not only for the present ones?
        self.general = general

    def sympy(self) -> Any:
        """Its formula as a SymPy expression of functions of time."""
        from .symbolic import Reader

        return Reader(self._model).expression(self.expression)

    def __repr__(self) -> str:
        return f"{self.name} = {self.expression}" + ("" if self.proved else " (seen, not proved)")


class Analysis:
    """What was found of a system.

    >>> import extremal as ex
    >>> found = ex.gallery("kepler").analyze()
    >>> found.conserved[1]
    angular momentum = m*x*y' - m*x'*y
    """

    def __init__(
        self, model: Model, text: str, latex: str, conserved: list[dict[str, Any]], summary: dict[str, Any]
    ) -> None:
        #: The conserved quantities, the energy first if it is one.
        self.conserved = [Conserved(model, **quantity) for quantity in conserved]
        #: All of it in words, as `extremal analyze` prints it.
        self.text = text
        #: All of it in LaTeX.
        self.latex = latex
        #: All that `extremal analyze --json` prints.
        self.summary = summary

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"

    def __repr__(self) -> str:
        return self.text
