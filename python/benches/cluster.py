"""A sweep on the processes of a cluster: the same file as that of one process, also after a worker was killed; and how much faster.

    python python/benches/cluster.py [--members 1000000] [--shards 60]
"""

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path

from distributed import Client, LocalCluster

import extremal as ex


def cluster(workers: int) -> LocalCluster:
    return LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--members", type=int, default=10_000)
    arguments.add_argument("--shards", type=int, default=60)
    wanted = arguments.parse_args()
    model = ex.gallery("double-pendulum")
    wish = dict(
        random={"θ1": (-3, 3), "θ2": ex.normal(0, 1)}, samples=wanted.members, seed=7, method="left", step=0.01, until=10
    )
    with tempfile.TemporaryDirectory() as folder:
        whole, shared = Path(folder, "whole.parquet"), Path(folder, "shared.parquet")
        begun = time.perf_counter()
        model.sweep(**wish, file=whole, threads=1)
        print(f"one process, one thread: {time.perf_counter() - begun:.1f} s")
        with cluster(3) as local, Client(local) as client:
            victim, killed = next(iter(client.run(os.getpid).values())), []

            def kill_one(done: int, total: int) -> None:
                if not killed and 4 * done >= total:
                    killed.append(done)
                    os.kill(victim, signal.SIGKILL)

            begun = time.perf_counter()
            model.sweep(**wish, client=client, shards=wanted.shards, file=shared, progress=kill_one)
            took = time.perf_counter() - begun
        assert killed, "no worker was killed"
        assert whole.read_bytes() == shared.read_bytes(), "the files differ"
        print(f"three workers, one of them killed after {killed[0]} members: {took:.1f} s, the same {whole.stat().st_size} bytes")
        times = {}
        for workers in (1, 2):
            with cluster(workers) as local, Client(local) as client:
                # What a worker imports, it imports once.
                model.sweep(**{**wish, "samples": 100}, client=client, shards=4 * workers)
                begun = time.perf_counter()
                model.sweep(**wish, client=client, shards=wanted.shards, folder=Path(folder, f"parts-{workers}"))
                times[workers] = time.perf_counter() - begun
        print(f"one worker {times[1]:.1f} s, two {times[2]:.1f} s: {times[1] / times[2]:.2f} times as fast")


if __name__ == "__main__":
    main()
