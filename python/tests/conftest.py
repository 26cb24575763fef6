"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def program() -> str:
    """The command line program, which `cargo xtask test` has built."""
    asked = os.environ.get("EXTREMAL_PROGRAM")
    found = [asked] if asked else [str(ROOT / "target" / profile / "extremal") for profile in ("debug", "release")]
    for path in found:
        if Path(path).exists():
            return path
    raise FileNotFoundError("the program `extremal` is not built: cargo build, or set EXTREMAL_PROGRAM")
