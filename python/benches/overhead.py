"""What Python costs beside the library: pip install the wheel, then python python/benches/overhead.py.

Times are of the processor, the smallest of several tries: the machine may be busy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, Callable


def smallest(call: Callable[[], object], tries: int, many: int = 1) -> float:
    best = float("inf")
    for _ in range(tries):
        begun = time.process_time_ns()
        for _ in range(many):
            call()
        best = min(best, (time.process_time_ns() - begun) / many)
    return best * 1e-9


def importing() -> float:
    code = "import time; a = time.process_time(); import extremal; print(time.process_time() - a)"
    tries = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(done.stdout) for done in tries)


def columns_of(run: Any) -> list[Any]:
    return [run[name] for name in run.columns]


def main() -> None:
    print(f"| import extremal | {importing() * 1e3:.1f} ms |")
    import extremal as ex

    model = ex.gallery("double-pendulum")
    print(f"| text to model | {smallest(lambda: ex.Model.parse(model.text), 20, 20) * 1e6:.0f} us |")
    model.run(step=0.01, steps=10)
    print(f"| m.run, ten steps | {smallest(lambda: model.run(step=0.01, steps=10), 50, 100) * 1e6:.1f} us |")
    compiled = model.compile(step=0.01, steps=10)
    print(f"| compiled(g=...), ten steps | {smallest(lambda: compiled(g=9.8), 50, 100) * 1e6:.1f} us |")
    motion = model.march(step=0.01)
    print(f"| motion.advance(1) | {smallest(lambda: motion.advance(1), 50, 1000) * 1e6:.2f} us |")
    print(f"| motion['θ1'] | {smallest(lambda: motion['θ1'], 50, 1000) * 1e6:.2f} us |")
    right_side = model.function("θ1'", "θ2'", "θ1''", "θ2''")
    print(f"| f(t, *y), four numbers | {smallest(lambda: right_side(0.0, 1.0, 1.0, 0.0, 0.0), 50, 1000) * 1e6:.2f} us |")
    million = smallest(lambda: columns_of(model.run(step=0.01, steps=1_000_000)), 5)
    print(f"| 1e6 steps to NumPy | {million:.3f} s |")
    print(f"| 1e6 steps of m.march, no rows kept | {smallest(lambda: model.march(step=0.01).advance(1_000_000), 3):.3f} s |")


if __name__ == "__main__":
    main()
