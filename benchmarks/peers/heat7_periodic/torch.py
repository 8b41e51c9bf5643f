import torch


@torch.compile
def diffuse(u):
    return u + 0.1 * (sum(torch.roll(u, by, axis) for axis in range(3) for by in (1, -1)) - 6 * u)


def prepare(device, initial):
    u = torch.tensor(initial, device=device)

    def step(n):
        nonlocal u
        for _ in range(n):
            u = diffuse(u)
        if device == "cuda":
            torch.cuda.synchronize()

    return step, lambda: [u.cpu().numpy()]
