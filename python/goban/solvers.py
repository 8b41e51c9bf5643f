"""Solvers: what they do is appended to a program, where it stands among other stages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from goban import _library
from goban._arguments import checked
from goban._library import Handle, call
from goban.errors import refuse
from goban.field import Field
from goban.parameter import parameter_of
from goban.program import Program


class Multigrid(Handle):
    """div(c grad u) = f by geometric multigrid, with the conditions of u; c is 1, or three fields
    of conductances on the lower faces of cells. Options, their defaults and what it can do are in
    docs/solvers.md.

    >>> f = grid.field("f").fill(lambda x, y: np.sin(x) + y)
    >>> multigrid = goban.Multigrid(u, f)
    >>> solve = multigrid.add_solve(goban.Program("pressure"), tolerance=1e-9, limit=50)
    >>> engine = goban.Engine(solve).run(1)
    >>> multigrid.residual.value < 1e-9
    True
    """

    @checked
    def __init__(self, u: Field, f: Field, conductances: Optional[Sequence[Field]] = None,
                 cycle: str = "v", sweeps_before: int = 3, sweeps_after: int = 3,
                 smoother: str = "chebyshev", bottom: str = "relaxation",
                 weight: float = 0.0, coarsest: int = 16,
                 most_levels: int = 32, conductances_hold_h2: bool = False,
                 single_precision: bool = False, gathered_cells: Optional[int] = None,
                 most_imbalance: float = math.inf) -> None:
        if conductances is not None and len(conductances) != 3:
            refuse(f"{len(conductances)} conductances are refused",
                   "there is one for the faces across each axis", "give those of x, y and z")
        options = {"cycle": cycle, "sweeps_before": sweeps_before, "sweeps_after": sweeps_after,
                   "smoother": smoother, "bottom": bottom, "weight": weight,
                   "coarsest": coarsest, "most_levels": most_levels,
                   "conductances_hold_h2": conductances_hold_h2,
                   "single_precision": single_precision, "gathered_cells": gathered_cells}
        if math.isfinite(most_imbalance):
            options["most_imbalance"] = most_imbalance
        self.u, self.f = u, f
        fields = list(conductances or [None] * 3)
        super().__init__("multigrid", "multigrid", u, f, fields, _library.options_text(options),
                         others=[u, f, *fields])
        #: The largest magnitude of f - div(c grad u), as add_residual and add_solve have found it.
        self.residual = parameter_of("residual", "multigrid_residual", self)

    def _append(self, program, what, tolerance=0.0, cycles=0, derivatives=0.0):
        return program._append("program_multigrid", self, what, tolerance, cycles, derivatives,
                               kept=[self])

    @checked
    def add_setup(self, program: Program) -> Program:
        """Makes conductances of coarser grids: before the first cycle, and when they have changed.

        >>> multigrid = goban.Multigrid(u, grid.field("f"))
        >>> program = multigrid.add_setup(goban.Program("before"))
        """
        return self._append(program, "setup")

    @checked
    def add_balance(self, program: Program) -> Program:
        """Where no side holds a value, takes the mean off f that no u has.

        >>> multigrid = goban.Multigrid(u, grid.field("f"))
        >>> program = multigrid.add_cycle(multigrid.add_balance(goban.Program("cycle")))
        """
        return self._append(program, "balance")

    @checked
    def add_cycle(self, program: Program) -> Program:
        """One cycle, which improves u.

        >>> program = goban.Multigrid(u, grid.field("f")).add_cycle(goban.Program("cycle"))
        """
        return self._append(program, "cycle")

    @checked
    def add_residual(self, program: Program) -> Program:
        """Finds `residual`.

        >>> program = goban.Multigrid(u, grid.field("f")).add_residual(goban.Program("look"))
        """
        return self._append(program, "residual")

    @checked
    def add_full_multigrid(self, program: Program, cycles: int = 1) -> Program:
        """Balances f, then makes u anew from the coarsest grid up, so many cycles on each.

        >>> program = goban.Program("solve")
        >>> program = goban.Multigrid(u, grid.field("f")).add_full_multigrid(program)
        """
        return self._append(program, "full_multigrid", cycles=cycles)

    @checked
    def add_solve(self, program: Program, tolerance: float, limit: int,
                  derivatives: float = 0.0) -> Program:
        """Balances f, then cycles until the residual is below the tolerance. Error (code 5): it is
        not after so many. Solves for gradients go on until it is below `derivatives` times the
        largest magnitude of their right-hand side (0: 1e-8, of float32 1e-4).

        >>> program = goban.Program("solve")
        >>> program = goban.Multigrid(u, grid.field("f")).add_solve(program, 1e-6, limit=20)
        """
        return self._append(program, "solve", tolerance, limit, derivatives)

    @checked
    def describe(self) -> str:
        """Its grids, and where they lie.

        >>> goban.Multigrid(u, grid.field("f")).describe().split(" cells")[0]
        '16 x 16 x 1'
        """
        return _library.text_of("multigrid_describe", self)


class Fourier(Handle):
    """div grad u = f, directly, by Fourier transforms, with the conditions of u; see
    docs/solvers.md. Where no side holds a value the mean of u is 0. `transforms` are those of the
    "host" (FFTW), of the "device" (cuFFT on the GPU that has the whole grid), or "automatic".

    >>> box = goban.Grid((32, 24), boundary=goban.wall_value(0))
    >>> v, g = box.field("v"), box.field("g").fill(1)
    >>> try:
    ...     solve = goban.Fourier(v, g).add_solve(goban.Program("solve"))
    ... except goban.Error as error:
    ...     assert "FFTW" in str(error)  # which is not there
    """

    @checked
    def __init__(self, u: Field, f: Field, most_imbalance: float = math.inf,
                 transforms: str = "automatic") -> None:
        options = {"transforms": transforms}
        if math.isfinite(most_imbalance):
            options["most_imbalance"] = most_imbalance
        super().__init__("fourier", "fourier", u, f, _library.options_text(options), others=[u, f])

    @checked
    def add_solve(self, program: Program) -> Program:
        """u becomes the solution.

        >>> try:
        ...     program = goban.Fourier(u, grid.field("f")).add_solve(program)
        ... except goban.Error as error:
        ...     assert "FFTW" in str(error)
        """
        return program._append("program_fourier", self, kept=[self])

    @checked
    def describe(self) -> str:
        """What transforms, once a program has run; "" before.

        >>> try:
        ...     text = goban.Fourier(u, grid.field("f")).describe()
        ... except goban.Error as error:
        ...     assert "FFTW" in str(error)
        """
        return _library.text_of("fourier_describe", self)
