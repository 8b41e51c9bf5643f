"""goban: the update of one point as a plain function of Python, at the speed of a C++ functor.

docs/python.md is the tutorial and the reference. __version__ is that of the build.
"""

from typing import TYPE_CHECKING

from goban import _library, plot
from goban._functors import Intermediate, in_, inout, out, scratch, site
from goban.absorbing import Pml, Sponge
from goban.adjoint import Adjoint
from goban.bodies import Bodies
from goban.boundary import (BoundaryCondition, bounce_back, constant, custom, gradient, mirror,
                            periodic, wall_value)
from goban.cases import command, run
from goban.columns import (interpolated_at, maximum_of, mean_of, minimum_of, sum_of, value_at)
from goban.datasets import open
from goban.errors import Error
from goban.field import Field
from goban.functions import (abs, atan, atan2, average, cbrt, ceil, convert, cos, d, d2, exp, floor,
                             fma, gather, harmonic_average, interp, interpolated, laplacian, log,
                             max, mean_of_parts, min, pow, reciprocal, select, sin, sqrt, tan, tanh)
from goban.grid import Grid, Runtime, rehearse_gpus, runtime
from goban.krylov import BiCgStab, ConjugateGradients, FlexibleConjugateGradients
from goban.parameter import Condition, Parameter
from goban.program import Engine, Program, stage
from goban.samples import Receivers, Samples, inject
from goban.simulation import Report, Simulation
from goban.solvers import Fourier, Multigrid
from goban.storage import zeros
from goban.torch_function import torch_function
from goban.view import View

__all__ = [
    "abs", "Adjoint", "atan", "atan2", "average", "BiCgStab", "Bodies", "bounce_back", "BoundaryCondition",
    "cbrt", "ceil", "command", "Condition", "ConjugateGradients", "constant", "convert", "cos",
    "custom", "d", "d2", "Engine", "Error", "exp", "Field", "FlexibleConjugateGradients",
    "floor", "fma", "Fourier", "gather", "gradient", "Grid", "harmonic_average", "in_", "inject", "inout",
    "Intermediate", "interp", "interpolated", "interpolated_at", "laplacian", "log", "max", "maximum_of",
    "mean_of", "mean_of_parts", "min", "minimum_of", "mirror", "Multigrid", "open", "out",
    "Parameter", "periodic", "plot", "Pml", "pow", "Program", "Receivers", "reciprocal", "rehearse_gpus",
    "Report", "run", "Runtime", "runtime", "Samples", "scratch", "select", "Simulation", "sin",
    "site", "Sponge", "sqrt", "stage", "sum_of", "tan", "tanh", "torch_function", "value_at", "View", "wall_value", "zeros"
]
__version__: str

if not TYPE_CHECKING:
    def __getattr__(name):
        if name == "__version__":
            return _library.text_of("version")
        raise AttributeError(f"module 'goban' has no attribute {name!r}")
