"""How the sea stood when a wave began, from gauges that it passed: shallow water over an uneven
floor, deta/dt = -div((D + eta) v), dv/dt = -g grad eta. The gradient of the misfit, by the adjoint,
tells how to change the heights at the beginning, which are smooth.

`--picture FILE` draws what was found (matplotlib).
"""
import sys

import numpy as np
from scipy.optimize import minimize

import goban

N, H, DT, STEPS, G = 64, 2000.0, 10.0, 180, 9.81  # cells, m, s, m/s2
GAUGES = [(x * N * H, y * N * H) for x in (0.13, 0.38, 0.61, 0.87) for y in (0.21, 0.46, 0.71, 0.92)]


def push(eta, u, v):
    u[...] -= DT / H * G * goban.d(eta, "x")
    v[...] -= DT / H * G * goban.d(eta, "y")


def flow(eta, u, v, depth, eta_next):
    def through(speed, *at):
        return (depth(*at) + eta(*at)) * speed(*at)
    eta_next[...] = eta() - DT / H / 2 * (through(u, 1, 0) - through(u, -1, 0)
                                          + through(v, 0, 1) - through(v, 0, -1))


sea = goban.Grid((N, N), spacing=H, boundary=goban.mirror)
shore = {"u": (goban.wall_value(0), goban.mirror), "v": (goban.mirror, goban.wall_value(0))}
eta, eta_next, depth = (sea.field(name) for name in ("eta", "eta_next", "depth"))
u, v = (sea.field(name, boundary=shore[name]) for name in "uv")
depth.fill(lambda x, y: 1500 + 1000 * np.sin(4 * x / (N * H)) * np.cos(3 * y / (N * H)))
gauges = goban.Receivers(eta, GAUGES)
step = goban.Program("gauges")
step.apply(push, eta, u, v)
step.apply(flow, eta, u, v, depth, eta_next)
gauges.add_record(step.swap(eta, eta_next))


def smooth(values):
    """A Gaussian of three cells, on a sea with mirrors for shores: its own transpose."""
    spread = np.exp(-((np.arange(N)[:, None] - np.arange(N)) / 3)**2 / 2)
    spread /= np.sqrt(np.outer(spread.sum(0), spread.sum(1)))
    return spread @ values.reshape(N, N) @ spread


def begin(heights):
    eta[...], u[...], v[...] = heights, 0, 0


eta.fill(lambda x, y: 2 * np.exp(-((x - 60e3)**2 + (y - 66e3)**2) / 9e3**2)
         - np.exp(-((x - 74e3)**2 + (y - 60e3)**2) / 9e3**2))
truth = eta.numpy()
begin(truth)
goban.Engine(step, dt=DT).run(STEPS)
measured = gauges.traces


def misfit(heard):
    rest = heard - measured
    return (rest**2).sum() / 2, rest


adjoint = goban.Adjoint(step, gauges.objective(misfit), [eta], dt=DT)


def function(values):
    begin(smooth(values))
    value, (of_eta,) = adjoint.value_and_gradient(STEPS, states=60)
    return value, smooth(of_eta).ravel()


best = minimize(function, np.zeros(N * N), jac=True, method="L-BFGS-B", options={"maxiter": 40})
found = smooth(best.x)
first = function(np.zeros(N * N))[0]
print(f"misfit {first:.3g} -> {best.fun:.3g}; the crest is {found.max():.2f} m high of "
      f"{truth.max():.2f}, the trough {found.min():.2f} m of {truth.min():.2f}")

if "--picture" in sys.argv:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    begin(found)
    again = goban.Receivers(eta, GAUGES)
    goban.Engine(again.add_record(step), dt=DT).run(STEPS)
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for ax, title, heights in ((axes[0], "the sea", truth), (axes[1], "found", found)):
        shown = ax.imshow(heights.T, origin="lower", extent=[0, N * H / 1e3] * 2, vmin=-2, vmax=2,
                          cmap="RdBu_r")
        ax.plot(*np.array(GAUGES).T / 1e3, "k^")
        ax.set(title=title, xlabel="x / km", ylabel="y / km")
    figure.colorbar(shown, ax=axes[:2], label="height / m")
    minutes = np.arange(1, STEPS + 1) * DT / 60
    for n in (5, 10):
        axes[2].plot(minutes, measured[:, n], "k", minutes, again.traces[:, n], "r--")
    axes[2].set(title="two gauges: measured, found", xlabel="t / min", ylabel="height / m")
    figure.savefig(sys.argv[sys.argv.index("--picture") + 1], dpi=110)
