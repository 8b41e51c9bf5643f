"""The conductivity of a medium, from temperatures measured in it: what was measured is compared with
what a guess gives, and the gradient of the misfit, by the adjoint, tells how to improve the guess.
"""
import numpy as np

import goban

STEPS = 150
grid = goban.Grid((32, 32), boundary=goban.wall_value(0))
names = ("u", "next", "start", "measured", "c")
u, next, start, measured, c = (grid.field(name) for name in names)
c.boundary("x", "low", goban.mirror).boundary("x", "high", goban.mirror)
c.boundary("y", "low", goban.mirror).boundary("y", "high", goban.mirror)


def conduct(u, c, next):  # u' = u + div(c grad u); c lies between 0 and 1/4
    here, k = u(), c()
    next[...] = here + sum((k + c(*at)) / 2 * (u(*at) - here)
                           for at in ((1, 0), (-1, 0), (0, 1), (0, -1)))


def misfit(u, measured):
    return (u() - measured())**2


step = goban.Program("conduct")
step.apply(conduct, u, c, next)
step.swap(u, next)

# The experiment: a warm plate with an inclusion that conducts better, cooled at its edges.
warm = np.random.default_rng(1).random((32, 32))
u[...] = warm
c.fill(lambda x, y: np.where((x - 20)**2 + (y - 14)**2 < 36, 0.2, 0.1))
truth = c.numpy()
goban.Engine(step).run(STEPS)
measured[...] = u

# Back from it.
u[...] = warm
adjoint = goban.Adjoint(step, goban.stage(misfit, u, measured), [c])
bounds = (0.05, 0.24)


def function(values):
    """The misfit of a guess and its gradient, as scipy.optimize takes them."""
    c[...] = np.reshape(values, c.shape)
    value, (gradient,) = adjoint.value_and_gradient(STEPS, states=50)
    return value, gradient.ravel()


guess = np.full(c.shape, 0.1).ravel()
first = function(guess)[0]
try:
    from scipy.optimize import minimize
    found = minimize(function, guess, jac=True, method="L-BFGS-B", bounds=[bounds] * guess.size,
                     options={"maxiter": 30})
    guess, last = found.x, found.fun
except ImportError:  # descents with the step length of Barzilai and Borwein
    before, length, last = None, None, first
    for _ in range(60):
        value, gradient = function(guess)
        if value <= last:
            last, best = value, guess
        if before is not None:
            s, y = guess - before[0], gradient - before[1]
            length = s @ s / (s @ y) if s @ y > 0 else length
        length = length or 0.01 / abs(gradient).max()
        before = guess, gradient
        guess = np.clip(guess - length * gradient, *bounds)
    guess = best
inside = truth.ravel() > 0.15
print(f"misfit {first:.3g} -> {last:.3g}, conductivity {guess[inside].mean():.3f} in the inclusion, "
      f"{guess[~inside].mean():.3f} around it")
