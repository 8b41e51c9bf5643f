import torch
from torch.nn.functional import pad

WEIGHTS = -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560


def second(p, axis):
    wide = pad(p, [4 * (a == axis) for a in (2, 1, 0) for _ in range(2)])
    at = [wide.narrow(axis, by, p.shape[axis]) for by in range(9)]
    return WEIGHTS[0] * p + sum(WEIGHTS[d] * (at[4 - d] + at[4 + d]) for d in range(1, 5))


@torch.compile
def advance(p, before, s):
    return 2 * p - before + s * sum(second(p, axis) for axis in range(3))


def prepare(device, *initial):
    p, before, s = (torch.tensor(values, device=device) for values in initial)

    def step(n):
        nonlocal p, before
        for _ in range(n):
            p, before = advance(p, before, s), p
        if device == "cuda":
            torch.cuda.synchronize()

    return step, lambda: [p.cpu().numpy()]
