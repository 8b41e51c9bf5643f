import torch
from torch.nn.functional import pad


@torch.compile
def diffuse(u):
    v = pad(u, [1] * 6)
    return u + 0.1 * (v[1:-1, 1:-1, 2:] + v[1:-1, 1:-1, :-2] + v[1:-1, 2:, 1:-1] + v[1:-1, :-2, 1:-1]
                      + v[2:, 1:-1, 1:-1] + v[:-2, 1:-1, 1:-1] - 6 * u)


def prepare(device, initial):
    u = torch.tensor(initial, device=device)

    def step(n):
        nonlocal u
        for _ in range(n):
            u = diffuse(u)
        if device == "cuda":
            torch.cuda.synchronize()

    return step, lambda: [u.cpu().numpy()]
