"""Arrays in and out."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np


def broadcast(function: Any, inputs: Sequence[Any]) -> Any:
    """A function over arrays of any shape: an array with a row of that shape for each output."""
    if len(inputs) == 1 and hasattr(inputs[0], "__getitem__") and not isinstance(inputs[0], (np.ndarray, list, tuple)):
        inputs = [along(inputs[0], name) for name in function.inputs]
    arrays = [np.asarray(value, dtype=float) for value in inputs]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    columns = [
        np.ascontiguousarray(array.reshape(-1) if array.size == 1 else np.broadcast_to(array, shape).reshape(-1))
        for array in arrays
    ]
    if np.prod(shape, dtype=int) == 0:
        return np.empty((len(function.outputs), *shape))
    return np.stack([out.reshape(shape) for out in function._columns(columns)])


def along(columns: Mapping[str, Any], name: str) -> Any:
    try:
        return columns[name]
    except KeyError:
        raise KeyError(f"the function needs `{name}`, and there is no such column") from None


def to_pandas(table: Any) -> Any:
    """Columns of numbers, and of words where there are some, as a pandas.DataFrame."""
    import pandas

    columns: dict[str, Any] = {}
    if hasattr(table, "member"):
        columns["member"] = table.member
    columns.update((name, table[name]) for name in table.columns)
    if hasattr(table, "member"):
        columns.update(status=table.status, reason=table.reason, warning=table.warning)
    return pandas.DataFrame(columns)
