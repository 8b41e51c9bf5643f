"""goban: the update of one point as a plain function of Python, at the speed of a C++ functor.

docs/python.md is the tutorial and the reference. __version__ is that of the build.
"""

from goban import _library
from goban._functors import Intermediate, in_, inout, out, scratch, site
from goban.bodies import Bodies
from goban.boundary import (BoundaryCondition, bounce_back, constant, custom, gradient, mirror,
                            periodic, wall_value)
from goban.cases import command, run
from goban.errors import Error
from goban.field import Field
from goban.functions import (abs, atan, atan2, average, cbrt, ceil, convert, cos, d, d2, exp, floor,
                             fma, harmonic_average, interpolated, laplacian, log, max,
                             mean_of_parts, min, pow, reciprocal, select, sin, sqrt, tan, tanh)
from goban.grid import Grid, Runtime, rehearse_gpus, runtime
from goban.parameter import Condition, Parameter
from goban.program import Engine, Program, stage
from goban.simulation import (Report, Simulation, interpolated_at, maximum_of, mean_of, minimum_of,
                              sum_of, value_at)


def __getattr__(name):
    if name == "__version__":
        return _library.text_of("version")
    raise AttributeError(f"module 'goban' has no attribute {name!r}")
