"""A sweep, or many boundary problems, on many machines, by Dask.

The unit of work is a range of members, whose rows have the same bits wherever they are computed. Dask gives a shard whose worker
was lost to another one.
"""

from __future__ import annotations

from os import PathLike, fspath, makedirs, path
from shutil import rmtree
from typing import Any, Callable, Iterator

import numpy as np

from ._extremal import Ensemble, Model, merge


#: The columns of words.
WORDS = ("status", "reason", "warning")
#: The words of motions and problems that came to their end, and of the rows before the end of a motion.
SOUND = ("finished", "stopped", "optimal", "stationary", "unverified", None)


class SharedEnsemble:
    """The rows of all shards, in the order of the members: columns by name, as those of `Ensemble`."""

    def __init__(self, parts: list[dict[str, Any]]) -> None:
        self._columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        #: The number of the member that each row belongs to, from 0.
        self.member = self._columns.pop("member")
        #: How each member ended, and why; what there is a warning of.
        self.status, self.reason, self.warning = (self._columns.pop(name).tolist() for name in WORDS)
        #: The names of the columns of numbers.
        self.columns = tuple(self._columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return len(self.member)

    @property
    def failed(self) -> int:
        """How many rows say that their member could not go on, or that their problem has no solution."""
        return sum(status not in SOUND for status in self.status)

    def to_pandas(self) -> Any:
        """As a pandas.DataFrame."""
        from ._arrays import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """As a polars.DataFrame."""
        import polars

        words = {name: getattr(self, name) for name in WORDS}
        return polars.DataFrame({"member": self.member, **self._columns, **words})


def swept(model: Model, **options: Any) -> Any:
    """The sweep in shards on the workers of a client; see `Model.sweep`."""
    return _shared(model, _sweep, model._count, **options)


def solved(model: Model, **options: Any) -> Any:
    """Many problems in shards on the workers of a client; see `Model.solve_many`."""
    return _shared(model, _solve, model._count_problems, **options)


def _sweep(model: Model, **options: Any) -> Any:
    return model.sweep(**options)


def _solve(model: Model, **options: Any) -> Any:
    return model.solve_many(**options)


def _shared(
    model: Model,
    compute: Callable[..., Any],
    count_of: Callable[..., int],
    *,
    client: Any,
    shards: int | None = None,
    folder: str | PathLike[str] | None = None,
    progress: Any = None,
    **options: Any,
) -> Any:
    if client is None:
        return compute(model, progress=progress, **options)
    if options.get("members") is not None:
        raise ValueError("with a client all members are computed")
    if (file := options.pop("file", None)) is not None:
        rest = dict(client=client, shards=shards, progress=progress, **options)
        return _merged(model, compute, count_of, fspath(file), folder, rest)
    count = count_of(**options)
    workers = max(1, sum(client.nthreads().values()))
    ranges = list(_ranges(count, min(count, shards or 8 * workers)))
    options = {"threads": 1, **options}
    if folder is not None:
        makedirs(folder, exist_ok=True)
    place = None if folder is None else fspath(folder)
    futures = [
        client.submit(_shard, model, compute, number, part, place, options, pure=False)
        for number, part in enumerate(ranges)
    ]
    if progress:
        _follow(futures, ranges, count, progress)
    results = client.gather(futures)
    return results if folder is not None else SharedEnsemble(results)


def _merged(
    model: Model,
    compute: Callable[..., Any],
    count_of: Callable[..., int],
    file: str,
    folder: str | PathLike[str] | None,
    options: dict[str, Any],
) -> str:
    """The file that one machine would have written, of parts in `folder`, or beside it for the time being."""
    if path.exists(file):
        raise FileExistsError(f"`{file}` is there already")
    parts = f"{file}.parts" if folder is None else fspath(folder)
    merge(_shared(model, compute, count_of, folder=parts, **options), file)
    if folder is None:
        rmtree(parts)
    return file


def _ranges(count: int, shards: int) -> Iterator[tuple[int, int]]:
    for shard in range(shards):
        yield count * shard // shards, count * (shard + 1) // shards


def _follow(futures: list[Any], ranges: list[tuple[int, int]], count: int, progress: Any) -> None:
    from distributed import as_completed

    from ._progress import line

    tell = progress if callable(progress) else line()
    sizes = {future.key: end - begin for future, (begin, end) in zip(futures, ranges)}
    done = 0
    for future in as_completed(futures):
        done += sizes[future.key]
        tell(done, count)
    if hasattr(tell, "close"):
        tell.close()


def _shard(
    model: Model,
    compute: Callable[..., Any],
    number: int,
    part: tuple[int, int],
    folder: str | None,
    options: dict[str, Any],
) -> Any:
    """One shard, on a worker: its columns, or the path of its file."""
    if folder is None:
        return _columns(compute(model, members=part, **options))
    file = path.join(folder, f"part-{number:05}.parquet")
    # A file without unfinished work beside it is whole: a worker that had it was lost afterwards.
    if not path.exists(file) or path.exists(file + ".part"):
        compute(model, members=part, file=file, **options)
    return file


def _columns(ensemble: Ensemble) -> dict[str, Any]:
    words = {name: np.array(getattr(ensemble, name), dtype=object) for name in WORDS}
    return {"member": ensemble.member.copy(), **{name: ensemble[name].copy() for name in ensemble.columns}, **words}
