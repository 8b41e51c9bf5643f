"""Full waveform inversion: where is a box in rock, and how fast is sound in it? Shots around a block
of rock are heard around it; the gradient of what differs from what a guess makes of them, by the
adjoint, improves the guess. (1/c^2) d2p/dt2 = lap p, of eighth order in space, with layers that
absorb (Cerjan et al., Geophysics 50, 1985, 705). All shots are components of one field.

`--small` is a block of fewer cells; `--picture FILE` draws what was found (matplotlib).
"""
import sys

import numpy as np
from scipy.optimize import minimize

import goban

IS_SMALL = "--small" in sys.argv
NX, NY = (40, 32) if IS_SMALL else (76, 60)  # cells of the block
H, LAYER, EDGE = 12.5, 14, 5  # m; cells of the layers around the block; of its known edge
ROCK, FREQUENCY = 2.5, 12.0  # km/s, Hz
DT = 0.5 * H / 2700  # s
STEPS, ITERATIONS = (170, 6) if IS_SMALL else (310, 30)
CELLS = (NX + 2 * LAYER, NY + 2 * LAYER)


def around(count, margin):
    """Places along the sides of the block, so many cells inside: off the middles of cells."""
    width, height = NX - 2 * margin, NY - 2 * margin
    along = (np.arange(count) + 0.37) / count * 2 * (width + height)
    corner = (LAYER + margin) * H
    sides = [((s, 0) if s < width else (width, s - width) if s < width + height
              else (2 * width + height - s, height) if s < 2 * width + height
              else (0, 2 * (width + height) - s)) for s in along]
    return [(corner + x * H, corner + y * H) for x, y in sides]


SHOTS, HEARD = around(5, 3.2), around(24, 1.6)


def wave(p, c, keep, before, r):
    for n in range(len(p)):
        forces = (r * c())**2 * goban.laplacian(p[n], order=8, axes=2)
        before[n] = keep() * (2 * p[n]() - keep() * before[n]() + forces)


def ricker(time):
    a = (np.pi * FREQUENCY * (time - 1.2 / FREQUENCY))**2
    return (1 - 2 * a) * np.exp(-a)


block = goban.Grid(CELLS, spacing=H, boundary=goban.constant(0))
c, keep = block.field("c"), block.field("keep")
p, before = (block.field(name, components=len(SHOTS)) for name in ("p", "before"))
depth = [np.maximum(0, abs(np.arange(n) + 0.5 - n / 2) - n / 2 + LAYER) for n in CELLS]
keep[...] = np.exp(-(0.02 * depth[0][:, None])**2 - (0.02 * depth[1])**2)

loud = goban.Parameter("loud")
receivers = goban.Receivers(p, HEARD)
step = goban.Program("inversion")
step.follow(loud, ricker)
step.apply(wave, p, c, keep, before, r=1000 * DT / H)
step.swap(p, before)
for n, place in enumerate(SHOTS):
    goban.inject(step, p, [place], [loud], component=n)
receivers.add_record(step)


def traces_of(velocity):
    """What is heard: the forward run alone."""
    c[...], p[...], before[...] = velocity, 0, 0
    first = len(receivers.traces)
    goban.Engine(step, dt=DT).run(STEPS)
    return receivers.traces[first:]


inside = np.s_[LAYER + EDGE:LAYER + NX - EDGE, LAYER + EDGE:LAYER + NY - EDGE]
guess, truth = np.full(CELLS, ROCK), np.full(CELLS, ROCK)
x, y = np.arange(CELLS[0])[:, None] / CELLS[0], np.arange(CELLS[1]) / CELLS[1]
truth[(x > 0.42) & (x < 0.62) & (y > 0.42) & (y < 0.54)] = 2.2
measured = traces_of(truth)


def misfit(traces):
    rest = traces - measured
    return (rest**2).sum() / 2, rest


latest = []
adjoint = goban.Adjoint(step, receivers.objective(misfit), [c], dt=DT)


def with_inside(values):
    velocity = guess.copy()
    velocity[inside] += values.reshape(velocity[inside].shape)
    return velocity


def function(values):
    """The misfit where the guess is changed so, and its gradient."""
    c[...], p[...], before[...] = with_inside(values), 0, 0
    value, (of_c,) = adjoint.value_and_gradient(STEPS, states=64)
    latest[:] = [value]
    return value, of_c[inside].ravel()


def worst_of_ten(gradient, h):
    """How far the gradient is from central differences in ten random directions."""
    worst = 0.0
    for seed in range(10):
        change = np.random.default_rng(seed).standard_normal(gradient.size)
        up, down = (misfit(traces_of(with_inside(s * h * change)))[0] for s in (1, -1))
        slope = gradient @ change
        worst = max(worst, abs((up - down) / (2 * h) - slope) / abs(slope))
    return worst


nothing = np.zeros(guess[inside].size)
value, gradient = function(nothing)
errors = [worst_of_ten(gradient, h) for h in (2e-4, 1e-4)]
print(f"ten differences are {errors[0]:.1e} and {errors[1]:.1e} off: "
      f"order {np.log2(errors[0] / errors[1]):.2f}")
misfits = [value]
best = minimize(function, nothing, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS},
                callback=lambda values: misfits.append(latest[0]))
found = with_inside(best.x)
in_box = truth < ROCK
print(f"misfit {misfits[0]:.3g} -> {misfits[-1]:.3g}, a hundredth after "
      f"{np.argmax(np.array(misfits) < misfits[0] / 100)} iterations; in the box "
      f"{found[in_box].mean():.2f} km/s, around it {found[inside][~in_box[inside]].mean():.2f} km/s")

if "--picture" in sys.argv:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 4, figsize=(15, 3.4), layout="constrained")
    extent = [0, CELLS[0] * H, 0, CELLS[1] * H]
    for ax, (title, model) in zip(axes, (("the rock", truth), ("first guess", guess),
                                         ("found", found))):
        shown = ax.imshow(model.T, origin="lower", extent=extent, vmin=2.15, vmax=2.6)
        ax.plot(*zip(*SHOTS), "r*", *zip(*HEARD), "w.", markersize=5)
        ax.set(title=title, xlabel="x / m", ylabel="y / m")
    figure.colorbar(shown, ax=axes[:3], label="c / (km/s)")
    axes[3].semilogy(np.array(misfits) / misfits[0])
    axes[3].set(title="misfit", xlabel="iteration")
    figure.savefig(sys.argv[sys.argv.index("--picture") + 1], dpi=110)
