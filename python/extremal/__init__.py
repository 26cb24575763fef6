"""Write a Lagrangian as text; get its equations, a structure-preserving simulation and optimal controls.

>>> import extremal as ex
>>> m = ex.gallery("pendulum", l=2.0)
>>> r = m.run(method="galerkin(2)", step=0.01, until=10)
>>> r.energy.max_drift < 1e-6, r.warnings
(True, [])
>>> len(r["theta"])
1001
"""

from ._extremal import (
    CompiledSimulation,
    Distribution,
    Drift,
    Ensemble,
    Function,
    Model,
    Motion,
    Run,
    Solution,
    Stream,
    __version__,
    gallery,
    gallery_names,
    merge,
    normal,
    uniform,
)
from .errors import (
    DeviceError,
    Diagnostic,
    ExtremalError,
    FileError,
    ModelError,
    MotionError,
    SettingsError,
    SingularError,
    UnsolvedError,
    UnsupportedError,
)

__all__ = [
    "CompiledSimulation",
    "DeviceError",
    "Diagnostic",
    "Distribution",
    "Drift",
    "Ensemble",
    "ExtremalError",
    "FileError",
    "Function",
    "Model",
    "ModelError",
    "Motion",
    "MotionError",
    "Run",
    "SettingsError",
    "SingularError",
    "Solution",
    "Stream",
    "UnsolvedError",
    "UnsupportedError",
    "__version__",
    "gallery",
    "gallery_names",
    "merge",
    "normal",
    "uniform",
]
