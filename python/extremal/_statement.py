"""Models by keywords: the text of the model file that they stand for."""

from __future__ import annotations

import json
import sys
from typing import Any, Iterable, Mapping

#: Keywords that are a line of [dynamics].
_DYNAMICS = ("lagrangian", "hamiltonian", "dissipation", "friction_law")
#: Keywords above the first table.
_TOP = ("source", "description")


def toml(name: str, **tables: Any) -> str:
    """The model file with these tables.

    >>> print(toml("Spring", parameters={"k": 4}, coordinates={"x": 1.0}, lagrangian="x'^2/2 - k*x^2/2"))
    name = "Spring"
    <BLANKLINE>
    [parameters]
    "k" = 4
    <BLANKLINE>
    [coordinates]
    "x" = 1.0
    <BLANKLINE>
    [dynamics]
    "lagrangian" = "x'^2/2 - k*x^2/2"
    <BLANKLINE>
    """
    tables = {key: value for key, value in tables.items() if value is not None}
    top = {key: tables.pop(key) for key in _TOP if key in tables}
    dynamics = {key: tables.pop(key) for key in _DYNAMICS if key in tables}
    if dynamics:
        tables["dynamics"] = {**tables.get("dynamics", {}), **dynamics}
    lines = [f"name = {_value(name)}", *(f"{key} = {_value(value)}" for key, value in top.items())]
    for table, entries in tables.items():
        lines += ["", f"[{table}]"]
        if not isinstance(entries, Mapping):
            entries = {entry: {} if table == "coordinates" else entry for entry in entries}
        lines += [f"{_quoted(_name(key))} = {_value(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # TOML escapes what JSON escapes, and one character more.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_symbolic(value: Any) -> bool:
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase))


def _name(key: Any) -> str:
    return text_of(key) if _is_symbolic(key) else str(key)


def text_of(value: Any) -> str:
    """An expression as text."""
    if _is_symbolic(value):
        from .symbolic import text

        return text(value)
    return str(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if _is_symbolic(value):
        return _quoted(text_of(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_quoted(_name(key))} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0:
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(float(value))


def expressions(values: Iterable[Any]) -> list[str]:
    """Expressions as texts, lists and matrices of them one after the other."""
    texts: list[str] = []
    for value in values:
        if isinstance(value, (list, tuple)) or _is_symbolic(value) and hasattr(value, "tolist"):
            texts += expressions(value)
        else:
            texts.append(text_of(value))
    return texts


def restored(text: str, changes: list[tuple[str, str]]) -> Any:
    """A model from its text and what was changed, for pickles."""
    from ._extremal import Model

    return Model.parse(text, **dict(changes))
