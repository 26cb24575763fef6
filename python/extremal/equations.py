"""The equations of a model, as text, LaTeX and SymPy."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._extremal import Model


class Equation(NamedTuple):
    """`left = right`, as text and as LaTeX."""

    left: str
    right: str
    latex: str


class Section(NamedTuple):
    """Equations and sentences under a heading."""

    title: str
    note: str | None
    equations: list[Equation]
    sentences: list[str]


class Derivation:
    """Equations under headings; a notebook shows them typeset.

    >>> import extremal as ex
    >>> derived = ex.gallery("harmonic-oscillator").equations.lagrange
    >>> print(derived["Equations of motion"][0].left)
    k*x + m*x''
    """

    def __init__(self, model: Model, form: str, method: str | None = None) -> None:
        self._model = model
        self.sections: list[Section] = []
        for section in model._derive(form, method)["sections"]:
            lines = section["equations"]
            self.sections.append(
                Section(
                    section["title"],
                    section.get("note"),
                    [Equation(**line) for line in lines if not isinstance(line, str)],
                    [line for line in lines if isinstance(line, str)],
                )
            )

    def __getitem__(self, title: str) -> list[Equation]:
        """The equations of a section."""
        for section in self.sections:
            if section.title == title:
                return section.equations
        known = ", ".join(section.title for section in self.sections)
        raise KeyError(f"there is no section `{title}`: they are {known}")

    @property
    def text(self) -> str:
        """As text, as `extremal derive` prints it."""
        blocks = []
        for section in self.sections:
            lines = [section.title]
            lines += [f"  {section.note}"] if section.note else []
            lines += [f"  {equation.left} = {equation.right}" for equation in section.equations]
            lines += [f"  {sentence}" for sentence in section.sentences]
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    @property
    def latex(self) -> str:
        """As LaTeX, one `align*` for each section."""
        return "\n".join(
            "\\begin{align*}\n" + " \\\\\n".join(_aligned(e) for e in section.equations) + "\n\\end{align*}"
            for section in self.sections
            if section.equations
        )

    def sympy(self, symbols: dict[str, Any] | None = None) -> dict[str, list[Any]]:
        """The equations of each section as `sympy.Eq` of functions of time; those that SymPy has no words for are left out.

        `symbols` are your own objects by name, where they have assumptions.

        >>> import extremal as ex
        >>> ex.gallery("harmonic-oscillator").equations.lagrange.sympy()["Equations of motion"]
        [Eq(k*x(t) + m*Derivative(x(t), (t, 2)), 0)]
        """
        from .symbolic import Reader, Unreadable

        reader = Reader(self._model, symbols)
        found: dict[str, list[Any]] = {}
        for section in self.sections:
            for equation in section.equations:
                try:
                    found.setdefault(section.title, []).append(reader.equation(equation.left, equation.right))
                except Unreadable:
                    continue
        return found

    def _repr_markdown_(self) -> str:
        parts = []
        for section in self.sections:
            parts.append(f"**{section.title}**")
            parts += [section.note] if section.note else []
            if section.equations:
                rows = " \\\\\n".join(_aligned(equation) for equation in section.equations)
                parts.append(f"$$\\begin{{aligned}}\n{rows}\n\\end{{aligned}}$$")
            parts += section.sentences
        return "\n\n".join(parts)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def _aligned(equation: Equation) -> str:
    left, _, right = equation.latex.partition(" = ")
    return f"{left} &= {right}"


class Equations:
    """The equations of a model in their forms."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def lagrange(self) -> Derivation:
        """Lagrange's equations, momenta, energy, kinetic split."""
        return Derivation(self._model, "lagrange")

    @property
    def solved(self) -> Derivation:
        """Accelerations and multipliers, as Lagrange's equations determine them."""
        return Derivation(self._model, "solved")

    @property
    def hamilton(self) -> Derivation:
        """The Hamiltonian and Hamilton's equations."""
        return Derivation(self._model, "hamilton")

    @property
    def routh(self) -> Derivation:
        """Routh's function of all cyclic coordinates, and the equations without them."""
        return Derivation(self._model, "routh")

    @property
    def optimal(self) -> Derivation:
        """The optimality conditions of a control problem."""
        return Derivation(self._model, "optimal")

    def discrete(self, method: str | None = None) -> Derivation:
        """One step of a method, or of that of the model."""
        return Derivation(self._model, "discrete", method)

    def _repr_markdown_(self) -> str:
        return self.lagrange._repr_markdown_()

    def __repr__(self) -> str:
        return self.lagrange.text
