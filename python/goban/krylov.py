"""Krylov methods with an operator of Python, appended to a program as the other solvers are."""

from __future__ import annotations

from typing import Any, Callable, Optional

from goban._arguments import checked
from goban._library import call
from goban.errors import refuse
from goban.field import Field
from goban.functions import select, sqrt
from goban.parameter import Parameter
from goban.program import Program
from goban.solvers import Multigrid


def _quotient(a, b):
    return select(b != 0, a / b, 0)


class _Krylov:
    """What the methods have in common: the unknown, the operator, its coefficients and numbers.
    Their stages are those of goban/solver/krylov.hpp, with an operator of Python.
    """

    def __init__(self, u, r, operator, coefficients, numbers):
        if r is u or r.grid is not u.grid:
            refuse("the residual field is refused",
                   f"it must be another field than '{u.name}', on the same grid")
        self.u, self.r, self._count = u, r, u.components
        self._operator, self._coefficients, self._numbers = operator, coefficients, numbers
        #: Norm of the residual over that at the start
        self.residual = Parameter(f"{u.name} residual", 1)
        self._first = self._parameters(f"{u.name} first residual")

    def _parameters(self, name):
        return [Parameter(f"{name}_{c}" if self._count > 1 else name) for c in range(self._count)]

    def _direction(self, name):
        """A field like u for what is added to it."""
        field = self.u.like(f"{self.u.name} {name}")
        call("field_correct", field, self.u)
        return field

    def _product(self, u, c, numbers):
        """A u, at the cell."""
        return self._operator(u, *c, **{name: numbers[name] for name in self._numbers})

    def _apply(self, program, functor, *fields, **numbers):
        program.apply(functor, *fields, *self._coefficients, **self._numbers, **numbers)

    def _reduce(self, program, functor, *fields, into):
        program.reduce(functor, *fields, *self._coefficients, how="sum", into=into,
                       **self._numbers)

    def _subtract_product(self, program):
        """r = b - A u, where r holds b."""
        def subtract_product(u, r, /, *c, **numbers):
            for n in range(self._count):
                r[n] -= self._product(u[n], c, numbers)
        self._apply(program, subtract_product, self.u, self.r)

    def _advance(self, program, p, alpha):
        """u += alpha p, r -= alpha A p."""
        def advance(p, u, r, /, *c, **numbers):
            for n in range(self._count):
                u[n] += numbers[f"_alpha{n}"] * p[n]()
                r[n] -= numbers[f"_alpha{n}"] * self._product(p[n], c, numbers)
        self._apply(program, advance, p, self.u, self.r,
                    **{f"_alpha{n}": one for n, one in enumerate(alpha)})

    def _curvature(self, program, p, into):
        """p A p, of every component."""
        def curvature_of(n):
            def curvature(p, /, *c, **numbers):
                return p[n]() * self._product(p[n], c, numbers)
            return curvature
        for n, one in enumerate(into):
            self._reduce(program, curvature_of(n), p, into=one)

    def _first_norm(self, program):
        """When `_first` is known."""
        program.compute(lambda *first: _any_of(first), *self._first, into=self.residual)

    def _solve(self, program, name, tolerance, limit):
        iteration = Program(f"{name} of {self.u.name}")
        self.add_iteration(iteration)
        self.add_start(program)
        return program.until(self.residual < tolerance, 1, limit, iteration, Program("check"))


def _any_of(squares):
    """1, or 0 where nothing is to be done."""
    norm = 0
    for square in squares:
        norm = select(square != 0, 1, norm)
    return norm


def _square(r):
    return r() * r()


def _product_of(a, b):
    return a() * b()


def _copy(a, b):
    b[...] = a()


class ConjugateGradients(_Krylov):
    """A u = b, A symmetric and definite, with its diagonal as preconditioner. A is a function like
    a functor that returns its value at a cell, of u, which it may read at neighbours, and of what
    follows it here: fields of coefficients, and numbers by name. r holds b when the program comes
    to the solver, and the residual behind it. Several components are as many problems with one A.

    >>> def shifted(u, r):
    ...     return u() - r * goban.laplacian(u, axes=2)
    >>> b, inverse = grid.field("b").fill(1), grid.field("inverse").fill(1 / 3)
    >>> solver = goban.ConjugateGradients(u, b, inverse, shifted, r=0.5)
    >>> solve = solver.add_solve(goban.Program("solve"), tolerance=1e-10, limit=100)
    >>> engine = goban.Engine(solve).run(1)
    >>> solver.residual.value < 1e-10
    True
    """

    @checked
    def __init__(self, u: Field, r: Field, inverse_diagonal: Field, operator: Callable[..., Any], /,
                 *coefficients: Field, **numbers: Any) -> None:
        super().__init__(u, r, operator, coefficients, numbers)
        self._inverse, self._p = inverse_diagonal, self._direction("direction")
        self._squares = self._parameters(f"{u.name} square")

    def _weighted_squares(self, program, into):
        """r^2 / A_ii."""
        for n, one in enumerate(into):
            program.reduce(lambda r, inverse, n=n: r[n]() * r[n]() * inverse(), self.r,
                           self._inverse, how="sum", into=one)

    @checked
    def add_start(self, program: Program) -> Program:
        """Appends what comes before iterations.

        >>> solver = goban.ConjugateGradients(u, next, grid.field("inverse"), lambda u: u())
        >>> program = solver.add_start(goban.Program("start"))
        """
        self._subtract_product(program)
        self._weighted_squares(program, self._first)
        for first, square in zip(self._first, self._squares):
            program.compute(lambda first: first, first, into=square)
        self._first_norm(program)

        def turn(r, inverse, p):
            for n in range(self._count):
                p[n] = inverse() * r[n]()
        program.apply(turn, self.r, self._inverse, self._p)
        return program

    @checked
    def add_iteration(self, program: Program) -> Program:
        """Appends an iteration.

        >>> solver = goban.ConjugateGradients(u, next, grid.field("inverse"), lambda u: u())
        >>> program = solver.add_iteration(goban.Program("iteration"))
        """
        alpha, after, beta = map(self._parameters, ("alpha", "after", "beta"))
        self._curvature(program, self._p, after)
        for square, curvature, one in zip(self._squares, after, alpha):
            program.compute(_quotient, square, curvature, into=one)
        self._advance(program, self._p, alpha)
        self._weighted_squares(program, after)
        for n in range(self._count):
            def go_on(now, first, square, largest, n=n):
                norm = _norm(now, first)
                if n > 0:
                    norm = select(norm > largest, norm, largest)
                return now, _quotient(now, square), norm
            program.compute(go_on, after[n], self._first[n], self._squares[n], self.residual,
                            into=[self._squares[n], beta[n], self.residual])

        def turn(r, inverse, p, **keep):
            for n in range(self._count):
                p[n] = inverse() * r[n]() + keep[f"keep{n}"] * p[n]()
        program.apply(turn, self.r, self._inverse, self._p,
                      **{f"keep{n}": one for n, one in enumerate(beta)})
        return program

    @checked
    def add_solve(self, program: Program, tolerance: float, limit: int) -> Program:
        """Appends both, and iterates until `residual` is below the tolerance. Error (code 5): it is
        not after so many.

        >>> solver = goban.ConjugateGradients(u, next, grid.field("inverse"), lambda u: u())
        >>> program = solver.add_solve(goban.Program("solve"), 1e-8, limit=100)
        """
        return self._solve(program, "conjugate gradients", tolerance, limit)


def _norm(now, first):
    return select(first != 0, sqrt(now / first), 0)


class FlexibleConjugateGradients(_Krylov):
    """A u = b as ConjugateGradients has it, of one component, with cycles of a multigrid as
    preconditioner, whose field f is r and holds b at first, and whose u is another field.

    >>> box = goban.Grid((32, 32), boundary=goban.wall_value(0))
    >>> v, z, b = (box.field(name) for name in "vzb")
    >>> b = b.fill(1)
    >>> def laplacian(u):
    ...     return goban.laplacian(u, axes=2)
    >>> solver = goban.FlexibleConjugateGradients(v, goban.Multigrid(z, b), laplacian)
    >>> program = solver.add_solve(goban.Program("solve"), tolerance=1e-10, limit=30)
    >>> engine = goban.Engine(program).run(1)
    >>> solver.residual.value < 1e-10
    True
    """

    @checked
    def __init__(self, u: Field, preconditioner: Multigrid, operator: Callable[..., Any], /,
                 *coefficients: Field, **numbers: Any) -> None:
        super().__init__(u, preconditioner.f, operator, coefficients, numbers)
        if u.components > 1:
            refuse(f"'{u.name}' is refused", "it has several components",
                   "ConjugateGradients takes them")
        self._preconditioner, self._p = preconditioner, self._direction("direction")

    def _precondition(self, program):
        self._preconditioner._append(program, "preconditioner")
        return self._preconditioner.u

    @checked
    def add_start(self, program: Program) -> Program:
        """Appends what comes before iterations.

        >>> solver = goban.FlexibleConjugateGradients(u, goban.Multigrid(next, grid.field("b")),
        ...                                           lambda u: goban.laplacian(u, axes=2))
        >>> program = solver.add_start(goban.Program("start"))
        """
        self._subtract_product(program)
        program.reduce(_square, self.r, how="sum", into=self._first[0])
        self._first_norm(program)
        program.apply(_copy, self._precondition(program), self._p)
        return program

    @checked
    def add_iteration(self, program: Program) -> Program:
        """Appends an iteration.

        >>> solver = goban.FlexibleConjugateGradients(u, goban.Multigrid(next, grid.field("b")),
        ...                                           lambda u: goban.laplacian(u, axes=2))
        >>> program = solver.add_iteration(goban.Program("iteration"))
        """
        curvature, along, turned, square, alpha, beta = map(
            Parameter, ("curvature", "along", "turned", "square", "alpha", "beta"))
        self._curvature(program, self._p, [curvature])
        program.reduce(_product_of, self._p, self.r, how="sum", into=along)
        program.compute(_quotient, along, curvature, into=alpha)
        self._advance(program, self._p, [alpha])
        program.reduce(_square, self.r, how="sum", into=square)
        program.compute(_norm, square, self._first[0], into=self.residual)
        z = self._precondition(program)

        def product_with(z, p, /, *c, **numbers):
            return z() * self._product(p[0], c, numbers)
        self._reduce(program, product_with, z, self._p, into=turned)
        program.compute(lambda zap, pap: _quotient(-zap, pap), turned, curvature, into=beta)

        def follow(z, p, beta):
            p[...] = z() + beta * p()
        program.apply(follow, z, self._p, beta=beta)
        return program

    @checked
    def add_solve(self, program: Program, tolerance: float, limit: int) -> Program:
        """As of ConjugateGradients.

        >>> solver = goban.FlexibleConjugateGradients(u, goban.Multigrid(next, grid.field("b")),
        ...                                           lambda u: goban.laplacian(u, axes=2))
        >>> program = solver.add_solve(goban.Program("solve"), 1e-8, limit=30)
        """
        return self._solve(program, "flexible conjugate gradients", tolerance, limit)


class BiCgStab(_Krylov):
    """A u = b, any A of one component, otherwise as ConjugateGradients has it; with or without a
    multigrid as preconditioner, whose fields are its own. r takes the boundary conditions of what
    is added to u.

    >>> def outflow(u, speed):
    ...     return u() - goban.laplacian(u, axes=2) + speed * (u() - u(-1, 0))
    >>> b = grid.field("b").fill(lambda x, y: np.sin(x + y))
    >>> solver = goban.BiCgStab(u, b, outflow, speed=2.0)
    >>> solve = solver.add_solve(goban.Program("solve"), tolerance=1e-9, limit=200)
    >>> engine = goban.Engine(solve).run(1)
    >>> solver.residual.value < 1e-9
    True
    """

    @checked
    def __init__(self, u: Field, r: Field, operator: Callable[..., Any], /, *coefficients: Field,
                 preconditioner: Optional[Multigrid] = None, **numbers: Any) -> None:
        super().__init__(u, r, operator, coefficients, numbers)
        if u.components > 1:
            refuse(f"'{u.name}' is refused", "it has several components",
                   "ConjugateGradients takes them")
        call("field_correct", r, u)
        self._preconditioner = preconditioner
        self._shadow, self._p, self._v, self._t = map(
            self._direction, ("shadow", "direction", "product", "second product"))
        self._rho = Parameter(f"{u.name} rho")

    @checked
    def add_start(self, program: Program) -> Program:
        """Appends what comes before iterations.

        >>> program = goban.BiCgStab(u, next, lambda u: 2 * u()).add_start(goban.Program("start"))
        """
        self._subtract_product(program)
        program.apply(_copy, self.r, self._shadow)
        program.apply(_copy, self.r, self._p)
        program.reduce(_square, self.r, how="sum", into=self._first[0])
        program.compute(lambda first: first, self._first[0], into=self._rho)
        self._first_norm(program)
        return program

    def _guess(self, program, of):
        """What the preconditioner makes of a field; without one the field itself."""
        if self._preconditioner is None:
            return of
        program.apply(_copy, of, self._preconditioner.f)
        self._preconditioner._append(program, "preconditioner")
        return self._preconditioner.u

    def _multiply(self, program, y, result):
        def multiply(y, v, /, *c, **numbers):
            v[...] = self._product(y[0], c, numbers)
        self._apply(program, multiply, y, result)

    @checked
    def add_iteration(self, program: Program) -> Program:
        """Appends an iteration.

        >>> solver = goban.BiCgStab(u, next, lambda u: 2 * u())
        >>> program = solver.add_iteration(goban.Program("iteration"))
        """
        product, square, alpha, beta, omega, next_rho = map(
            Parameter, ("product", "square", "alpha", "beta", "omega", "next rho"))

        def along(y, v, u, r, k):
            u[...] += k * y()
            r[...] -= k * v()

        def along_itself(v, u, r, k):
            u[...] += k * r()
            r[...] -= k * v()
        y = self._guess(program, self._p)
        self._multiply(program, y, self._v)
        program.reduce(_product_of, self._shadow, self._v, how="sum", into=product)
        program.compute(_quotient, self._rho, product, into=alpha)
        program.apply(along, y, self._v, self.u, self.r, k=alpha)
        z = self._guess(program, self.r)
        self._multiply(program, z, self._t)
        program.reduce(_product_of, self._t, self.r, how="sum", into=product)
        program.reduce(_square, self._t, how="sum", into=square)
        program.compute(_quotient, product, square, into=omega)
        if self._preconditioner is None:
            program.apply(along_itself, self._t, self.u, self.r, k=omega)
        else:
            program.apply(along, z, self._t, self.u, self.r, k=omega)
        program.reduce(_product_of, self._shadow, self.r, how="sum", into=next_rho)
        program.compute(
            lambda now, alpha, omega, rho: (
                now, select((rho != 0) & (omega != 0), (now / rho) * (alpha / omega), 0)),
            next_rho, alpha, omega, self._rho, into=[self._rho, beta])

        def follow(r, v, p, beta, omega):
            p[...] = r() + beta * (p() - omega * v())
        program.apply(follow, self.r, self._v, self._p, beta=beta, omega=omega)
        program.reduce(_square, self.r, how="sum", into=square)
        program.compute(_norm, square, self._first[0], into=self.residual)
        return program

    @checked
    def add_solve(self, program: Program, tolerance: float, limit: int) -> Program:
        """As of ConjugateGradients.

        >>> solver = goban.BiCgStab(u, next, lambda u: 2 * u())
        >>> program = solver.add_solve(goban.Program("solve"), 1e-8, limit=50)
        """
        return self._solve(program, "BiCGStab", tolerance, limit)
