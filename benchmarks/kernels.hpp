#pragma once
// The functors that are measured, each the formula of its hand-written twin.

#include <array>

#include "benchmarks/twins/d3q19_lattice.hpp"
#include "goban/base/macros.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::benchmarks {

template <class T>
struct Heat7 {
  T r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - T(6) * u());
  }
};

/// a x_{k-1} + b x_k + c x_{k+1} = d along columns.
struct Thomas {
  GOBAN_FUNCTION void forward(auto a, auto b, auto c, auto d, auto, auto s) const {
    const auto m = reciprocal(b() - a() * s[0].before());
    s[0] = c() * m;
    s[1] = (d() - a() * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto, auto, auto, auto x, auto s) const {
    s[1] = s[1]() - s[0]() * s[1].before();
    x = s[1]();
  }
};

/// (1 - r d_z^2) u' = u + q (d_x^2 + d_y^2) u, zero beyond the ends of columns.
struct HeatInColumns {
  float r, q;
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const {
    const auto across = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) - 4.0f * u();
    const auto m = reciprocal(1 + 2 * r - r * s[0].before());
    s[0] = r * m;
    s[1] = (u() + q * across + r * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto next, auto s) const {
    s[1] = s[1]() + s[0]() * s[1].before();
    next = s[1]();
  }
};

struct Heat25 {
  std::array<float, 5> c;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto around = [&](int j) {
      return u(j, 0, 0) + u(-j, 0, 0) + u(0, j, 0) + u(0, -j, 0) + u(0, 0, j) + u(0, 0, -j);
    };
    next = c[0] * u() + c[1] * around(1) + c[2] * around(2) + c[3] * around(3) + c[4] * around(4);
  }
};

template <class T>
struct Bgk {
  T omega;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto f = [&](auto q) {
      constexpr auto c = twins::d3q19_velocity[q];
      return u[q](-c[0], -c[1], -c[2]);
    };
    auto rho = f(std::integral_constant<int, 0>{});
    unroll<18>([&](auto i) { rho = rho + f(std::integral_constant<int, i + 1>{}); });
    const auto inverse = 1 / rho;
    auto velocity = [&](auto axis) {
      // The first population that moves along the axis stands for itself, the others add up.
      constexpr int first = 1 + 2 * axis;
      auto j = f(std::integral_constant<int, first>{});
      unroll<18 - first>([&](auto i) {
        constexpr int q = first + 1 + i;
        constexpr int c = twins::d3q19_velocity[q][axis];
        if constexpr (c > 0) j = j + f(std::integral_constant<int, q>{});
        if constexpr (c < 0) j = j - f(std::integral_constant<int, q>{});
      });
      return j * inverse;
    };
    const auto vx = velocity(std::integral_constant<int, 0>{});
    const auto vy = velocity(std::integral_constant<int, 1>{});
    const auto vz = velocity(std::integral_constant<int, 2>{});
    const auto vv = T(1.5) * (vx * vx + vy * vy + vz * vz);
    unroll<19>([&](auto q) {
      const auto here = f(q);
      const auto weighted = twins::d3q19_weight<T>(q) * rho;
      if constexpr (q == 0) {
        next[q] = here - omega * (here - weighted * (1 - vv));
      } else {
        const auto cv = along<q>(vx, vy, vz);
        next[q] = here - omega * (here - weighted * (1 + 3 * cv + T(4.5) * cv * cv - vv));
      }
    });
  }

 private:
  /// c_q . v, terms of zero left out.
  template <int Q, class V>
  static GOBAN_FUNCTION V along(const V& vx, const V& vy, const V& vz) {
    constexpr auto c = twins::d3q19_velocity[Q];
    if constexpr (c[0] != 0) {
      const V first = c[0] > 0 ? vx : -vx;
      if constexpr (c[1] > 0) return first + vy;
      if constexpr (c[1] < 0) return first - vy;
      if constexpr (c[2] > 0) return first + vz;
      if constexpr (c[2] < 0) return first - vz;
      return first;
    } else if constexpr (c[1] != 0) {
      const V first = c[1] > 0 ? vy : -vy;
      if constexpr (c[2] > 0) return first + vz;
      if constexpr (c[2] < 0) return first - vz;
      return first;
    } else {
      return c[2] > 0 ? vz : -vz;
    }
  }
};

/// Two substances that spread and react, explicit Euler (J. E. Pearson, Science 261 (1993) 189):
///   u' = u + a lap u - u v v + f (1 - u),   v' = v + b lap v + u v v - (f + k) v
struct GrayScott {
  float a = 0.1f, b = 0.05f, f = 0.037f, k = 0.06f;
  GOBAN_FUNCTION void operator()(auto u, auto v, auto u_next, auto v_next) const {
    const auto spread = [](auto w) {
      return w(-1, 0, 0) + w(1, 0, 0) + w(0, -1, 0) + w(0, 1, 0) + w(0, 0, -1) + w(0, 0, 1) -
             6 * w();
    };
    const auto reaction = u() * v() * v();
    u_next = u() + a * spread(u) - reaction + f * (1 - u());
    v_next = v() + b * spread(v) + reaction - (f + k) * v();
  }
};

}  // namespace goban::benchmarks
