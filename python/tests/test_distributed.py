"""Members on several machines: the same bits, also after a worker was killed."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import extremal as ex

WISH = dict(random={"θ1": (-3, 3), "θ2": ex.normal(0, 1)}, samples=2000, seed=7, step=0.01, until=20)


def test_a_range_of_members_has_their_bits():
    model = ex.gallery("double-pendulum")
    wish = {**WISH, "samples": 300, "until": 1}
    whole, part = model.sweep(**wish), model.sweep(**wish, members=(100, 251))
    assert part.member.tolist() == list(range(100, 251))
    assert all(np.array_equal(part[name], whole[name][100:251]) for name in whole.columns)
    with pytest.raises(ex.SettingsError, match="300"):
        model.sweep(**wish, members=(100, 301))


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def test_a_sweep_survives_the_loss_of_a_worker(client, tmp_path):
    model = ex.gallery("double-pendulum")
    whole = model.sweep(**WISH)
    victim = next(iter(client.run(os.getpid).values()))
    told, killed = [], threading.Event()

    def kill_one(done, total):
        told.append((done, total))
        if not killed.is_set():
            os.kill(victim, signal.SIGKILL)
            killed.set()

    shared = model.sweep(**WISH, client=client, shards=12, progress=kill_one)
    assert killed.is_set() and told[-1] == (2000, 2000)
    assert shared.member.tolist() == list(range(2000)) and shared.failed == whole.failed
    for name in whole.columns:
        assert np.array_equal(shared[name], whole[name], equal_nan=True), name


def test_one_file_of_all_shards_is_that_of_one_process(client, tmp_path):
    model = ex.gallery("double-pendulum")
    wish = {**WISH, "samples": 900, "until": 5, "record": "all", "every": 20}
    model.sweep(**wish, file=tmp_path / "whole.parquet")
    victim, killed = next(iter(client.run(os.getpid).values())), []

    def kill_one(done, total):
        if not killed:
            killed.append(os.kill(victim, signal.SIGKILL))

    file = model.sweep(**wish, client=client, shards=7, file=tmp_path / "shared.parquet", progress=kill_one)
    assert killed and not (tmp_path / "shared.parquet.parts").exists()
    assert (tmp_path / "whole.parquet").read_bytes() == (tmp_path / "shared.parquet").read_bytes()
    with pytest.raises(FileExistsError):
        model.sweep(**wish, client=client, file=file)
    with pytest.raises(ex.FileError, match="manifest"):
        ex.merge([file], tmp_path / "again.parquet")


def test_a_million_members_survive_the_loss_of_a_worker(client, tmp_path):
    model = ex.Model("Oscillator", coordinates={"x": 1.0}, lagrangian="x'^2/2 - x^2/2 - x^4/4")
    wish = dict(random={"x": (-1, 1), "x'": ex.normal(0, 1)}, samples=1_000_000, seed=3, method="left", step=0.01, steps=2)
    model.sweep(**wish, file=tmp_path / "whole.parquet")
    victim, killed = next(iter(client.run(os.getpid).values())), []

    def kill_one(done, total):
        if not killed and 5 * done >= total:
            killed.append(os.kill(victim, signal.SIGKILL))

    model.sweep(**wish, client=client, shards=30, file=tmp_path / "shared.parquet", progress=kill_one)
    assert killed
    assert same_bytes(tmp_path / "whole.parquet", tmp_path / "shared.parquet")


def same_bytes(one, other):
    with open(one, "rb") as one, open(other, "rb") as other:
        while piece := one.read(1 << 22):
            if piece != other.read(len(piece)):
                return False
        return not other.read(1)


def test_many_problems_are_shared(client, tmp_path):
    model = ex.gallery("cart-pole-swing")
    wish = dict(vary={"limit": (4, 20, 5)}, starts=1, seed=2, steps=10)
    whole, shared = model.solve_many(**wish), model.solve_many(**wish, client=client, shards=4)
    assert shared.member.tolist() == list(range(10)) and shared.status == whole.status and shared.failed == whole.failed
    for name in whole.columns:
        assert np.array_equal(shared[name], whole[name], equal_nan=True), name
    model.solve_many(**wish, client=client, shards=3, file=tmp_path / "shared.parquet")
    model.solve_many(**wish, file=tmp_path / "whole.parquet")
    assert (tmp_path / "whole.parquet").read_bytes() == (tmp_path / "shared.parquet").read_bytes()


def test_shards_are_files_in_a_folder(client, tmp_path):
    import dask.dataframe
    import polars

    model = ex.gallery("double-pendulum")
    wish = {**WISH, "samples": 400, "until": 1}
    files = model.sweep(**wish, client=client, shards=4, folder=tmp_path / "parts")
    begun = time.monotonic()
    again = model.sweep(**wish, client=client, shards=4, folder=tmp_path / "parts")
    assert again == files and time.monotonic() - begun < 60
    table = polars.concat([polars.read_parquet(file) for file in files])
    whole = model.sweep(**wish)
    assert table["member"].to_list() == list(range(400))
    assert all(np.array_equal(table[name].to_numpy(), whole[name]) for name in whole.columns)
    together = dask.dataframe.read_parquet(files)
    assert together.npartitions == 4 and together["member"].sum().compute() == sum(range(400))
