#!/usr/bin/env python3
"""Steady convection rolls between plates, Pr 0.71, wave number 3.117: the Nusselt number that
cases/flow/rolls.toml is compared with. Fourier series along x, Chebyshev polynomials across, implicit
diffusion; steps until nothing changes.

usage: scripts/rolls_reference.py RAYLEIGH [WAVES POINTS STEP]      needs NumPy; minutes at 5e4
"""

import sys

import numpy as np

PRANDTL, WAVE_NUMBER = 0.71, 3.117


def differentiation(points):
    """Points between 0 and 1, and the matrix of their derivative."""
    x = np.cos(np.pi * np.arange(points + 1) / points)
    c = np.r_[2, np.ones(points - 1), 2] * (-1.0) ** np.arange(points + 1)
    matrix = np.outer(c, 1 / c) / (x[:, None] - x[None, :] + np.eye(points + 1))
    return (x + 1) / 2, 2 * (matrix - np.diag(matrix.sum(1)))


def nusselt_number(rayleigh, waves, points, dt):
    y, D = differentiation(points)
    one = np.eye(points + 1)
    k = WAVE_NUMBER * np.arange(waves + 1)
    laplace = np.array([D @ D - n * n * one for n in k])
    # Stream function, of which value and derivative are 0 at the plates, and temperature.
    flow = laplace - dt * PRANDTL * laplace @ laplace
    flow[:, [0, -1]], flow[:, 1], flow[:, -2] = one[[0, -1]], D[0], D[-1]
    heat = one - dt * laplace
    heat[:, [0, -1]] = one[[0, -1]]
    flow, heat = np.linalg.inv(flow), np.linalg.inv(heat)

    places = 3 * waves // 2 + 2
    angle = np.outer(np.arange(waves + 1), (np.arange(places) + 0.5) * np.pi / places)
    C, S = np.cos(angle), np.sin(angle)
    to_cosines, to_sines = 2 / places * C.T, 2 / places * S.T
    to_cosines[:, 0] /= 2

    psi, theta = np.zeros((waves + 1, points + 1)), np.zeros((waves + 1, points + 1))
    theta[1] = 0.1 * np.sin(np.pi * y)
    kk, last = k[:, None], 0
    for step in range(1, 200001):
        vorticity = np.einsum("mij,mj->mi", laplace, psi)  # times -1
        u, v = (psi @ D.T).T @ S, -(kk * psi).T @ C
        turns = (u * (-(kk * vorticity).T @ C) - v * ((vorticity @ D.T).T @ S)) @ to_sines
        carried = (u * (-(kk * theta).T @ S) + v * ((theta @ D.T).T @ C)) @ to_cosines
        psi_next = vorticity + dt * (turns.T + rayleigh * PRANDTL * kk * theta)
        theta_next = theta - dt * (carried.T + kk * psi)
        psi_next[:, [0, 1, -2, -1]], theta_next[:, [0, -1]] = 0, 0
        psi = np.einsum("mij,mj->mi", flow, psi_next)
        theta = np.einsum("mij,mj->mi", heat, theta_next)
        psi[0] = 0
        if step % 2000 == 0:
            now = 1 - (D @ theta[0])[0]
            if abs(now - last) < 1e-8:
                return now
            last = now
    raise SystemExit("not steady")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 5):
        raise SystemExit(__doc__)
    options = [float(word) for word in sys.argv[1:]]
    waves, points, dt = options[1:] or (32, 32, 2e-4)
    print(f"{nusselt_number(options[0], int(waves), int(points), dt):.6f}")
