"""The conductivity of a medium, from temperatures measured in it: what was measured is compared with
what a guess gives, and the gradient of the misfit, by the adjoint, tells how to improve the guess.

`--picture FILE` draws what was found (matplotlib).
"""
import sys

import numpy as np
from scipy.optimize import minimize

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
bounds, latest = (0.05, 0.24), []


def function(values):
    """The misfit of a guess and its gradient, as scipy.optimize takes them."""
    c[...] = np.reshape(values, c.shape)
    value, (gradient,) = adjoint.value_and_gradient(STEPS, states=50)
    latest[:] = [value]
    return value, gradient.ravel()


guess = np.full(c.shape, 0.1)
misfits = [function(guess)[0]]
best = minimize(function, guess.ravel(), jac=True, method="L-BFGS-B",
                bounds=[bounds] * guess.size, options={"maxiter": 200},
                callback=lambda values: misfits.append(latest[0]))
found = best.x.reshape(c.shape)
inside = truth > 0.15
print(f"misfit {misfits[0]:.3g} -> {best.fun:.3g}, conductivity {found[inside].mean():.3f} in the "
      f"inclusion, {found[~inside].mean():.3f} around it")

if "--picture" in sys.argv:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for ax, title, medium in ((axes[0], "the medium", truth), (axes[1], "found", found)):
        shown = ax.imshow(medium.T, origin="lower", vmin=bounds[0], vmax=bounds[1])
        ax.set(title=title, xticks=[], yticks=[])
    figure.colorbar(shown, ax=axes[:2], label="conductivity")
    axes[2].semilogy(np.array(misfits) / misfits[0])
    axes[2].set(title="misfit", xlabel="iteration")
    figure.savefig(sys.argv[sys.argv.index("--picture") + 1], dpi=110)
