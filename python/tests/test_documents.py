"""What the documents say is what happens."""

import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import time

import pytest

import extremal as ex

from conftest import ROOT

MODULES = [ex, *(importlib.import_module(f"extremal.{module.name}") for module in pkgutil.iter_modules(ex.__path__))]


def documented():
    """Everything with a docstring that has an example, by its name."""
    seen = {}
    for module in MODULES:
        things = [(module.__name__, module)]
        for name, thing in vars(module).items():
            if str(getattr(thing, "__module__", "")).startswith("extremal"):
                things.append((f"{module.__name__}.{name}", thing))
                things += [(f"{name}.{part}", value) for part, value in vars(thing).items()] if isinstance(thing, type) else []
        for name, thing in things:
            text = getattr(thing, "__doc__", None)
            if isinstance(text, str) and ">>>" in text:
                seen.setdefault(text, name)
    return [pytest.param(text, id=name) for text, name in seen.items()]


@pytest.mark.parametrize("text", documented())
def test_examples_in_docstrings(text, request):
    module = next((m for m in MODULES if m.__doc__ == text), None)
    names = {"toml": importlib.import_module("extremal._statement").toml, "text": importlib.import_module("extremal.symbolic").text}
    test = doctest.DocTestParser().get_doctest(text, {**names, **vars(module or ex)}, request.node.name, None, 0)
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)


def test_everything_public_is_documented():
    for name in ex.__all__:
        thing = getattr(ex, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                assert value.__doc__, f"{name}.{part}"


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


def test_the_pages_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = blocks("README.md", "toml")[0]
    (tmp_path / "spring-pendulum.toml").write_text(model)
    for page in ("README.md", "docs/python.md", "python/README.md"):
        space = {}
        found = blocks(page, "python")
        assert found, page
        for block in found:
            exec(compile(block, page, "exec"), space)


def test_python_prints_what_the_readme_says_and_the_program_prints(program, tmp_path, capsys):
    model = blocks("README.md", "toml")[0]
    path = tmp_path / "spring-pendulum.toml"
    path.write_text(model)
    said = json.loads(subprocess.run([program, "run", str(path), "--json"], capture_output=True, text=True, check=True).stdout)
    run = ex.Model.read(path).run()
    ours = run.summary
    assert ours["end"] == said["end"] and ours["invariants"] == said["invariants"] and ours["method"] == said["method"]
    # The numbers of the table in the README, with the digits they are printed with.
    table = next(block for block in blocks("README.md", "text") if "Spring pendulum" in block)
    for number in (run.end["r"], run.end["phi"], run.end["r'"], run.end["phi'"], run.energy.first, run.energy.last):
        assert f"{number:.8g}" in table
    assert f"{run.energy.max_drift:.2e}".replace("e-0", "e-") in table


def test_importing_is_fast():
    seconds = min(_import_seconds() for _ in range(5))
    # NumPy alone takes longer: it is loaded when arrays are.
    assert seconds < 0.05


def _import_seconds():
    code = "import time; a = time.process_time(); import extremal; print(time.process_time() - a)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_the_types_are_those_of_the_stubs(tmp_path):
    check = [sys.executable, "-m", "mypy.stubtest", "extremal._extremal", "--concise"]
    said = subprocess.run(check, capture_output=True, text=True, cwd=tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    (tmp_path / "use.py").write_text(
        "import extremal as ex\n"
        "m = ex.gallery('pendulum', l=2.0)\n"
        "r = m.run(method='galerkin(2)', step=0.01, until=10, progress=True)\n"
        "drift: float = r.energy.max_drift\n"
        "first: float = r['theta'][0]\n"
        "names: tuple[str, ...] = m.coordinates\n"
        "text: str = m.equations.hamilton.text\n"
        "e = m.sweep(vary={'l': (1, 2, 11)}, random={'theta': ex.normal(0, 0.1)}, samples=10)\n"
    )
    wrong = "import extremal as ex\nex.gallery('pendulum').run(step='a')\n"
    (tmp_path / "wrong.py").write_text(wrong)
    right = subprocess.run([sys.executable, "-m", "mypy", "--strict", "use.py"], capture_output=True, text=True, cwd=tmp_path)
    assert right.returncode == 0, right.stdout
    refused = subprocess.run([sys.executable, "-m", "mypy", "--strict", "wrong.py"], capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 1 and "arg-type" in refused.stdout


def test_time_is_not_lost_between_python_and_the_library():
    """Coarse guards; the numbers are in docs/python.md."""
    model = ex.gallery("double-pendulum")
    model.run(step=0.01, steps=10)
    motion = model.march(step=0.01)
    assert fastest(lambda: model.run(step=0.01, steps=10)) < 100e-6
    assert fastest(lambda: motion.advance(1)) < 5e-6


def fastest(call, repeat=2000):
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)
