#pragma once
// A lattice Boltzmann step that knows of no walls, and the same that looks for them in a box.

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::test {

struct D3Q19 {
  static constexpr int c[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                   {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                   {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                   {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
  static constexpr double weight(int q) { return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36; }
  static constexpr int opposite(int q) { return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1; }
};

/// Relaxes towards equilibrium at the rate omega.
struct Collide {
  float omega;

  template <class Value>
  GOBAN_FUNCTION void operator()(Value (&g)[19], auto next) const {
    Value rho = g[0], u[3] = {Value(0), Value(0), Value(0)};
    for (int q = 1; q < 19; ++q) rho = rho + g[q];
    for (int q = 1; q < 19; ++q) {
      for (int a = 0; a < 3; ++a) {
        if (D3Q19::c[q][a] > 0) u[a] = u[a] + g[q];
        if (D3Q19::c[q][a] < 0) u[a] = u[a] - g[q];
      }
    }
    for (int a = 0; a < 3; ++a) u[a] = u[a] / rho;
    const auto uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    for (int q = 0; q < 19; ++q) {
      auto cu = Value(0) * u[0];
      for (int a = 0; a < 3; ++a) {
        if (D3Q19::c[q][a] > 0) cu = cu + u[a];
        if (D3Q19::c[q][a] < 0) cu = cu - u[a];
      }
      const auto equilibrium = static_cast<float>(D3Q19::weight(q)) * rho *
                               (1.0f + 3.0f * cu + 4.5f * cu * cu - 1.5f * uu);
      next[q] = g[q] + omega * (equilibrium - g[q]);
    }
  }
};

struct StreamCollide {
  float omega;
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    decltype(f[0]()) g[19];
    for (int q = 0; q < 19; ++q) g[q] = f[q](-D3Q19::c[q][0], -D3Q19::c[q][1], -D3Q19::c[q][2]);
    Collide{omega}(g, next);
  }
};

/// The same in a box where `fluid` says which cells there are.
struct StreamBounceCollide {
  float omega;
  GOBAN_FUNCTION void operator()(auto f, auto fluid, auto next) const {
    decltype(f[0]()) g[19];
    for (int q = 0; q < 19; ++q) {
      const auto* const c = D3Q19::c[q];
      g[q] = select(fluid(-c[0], -c[1], -c[2]) != 0, f[q](-c[0], -c[1], -c[2]),
                    f[D3Q19::opposite(q)]());
    }
    Collide{omega}(g, next);
  }
};

}  // namespace goban::test
