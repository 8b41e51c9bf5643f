#pragma once
// What a projection does to one cell and its lower faces; phi as in projection.hpp.

#include "goban/stencil/staggered.hpp"

namespace goban::projection {

/// f = length div u, the right-hand side of Lap phi = f. Arguments: velocities, f, length.
template <int D>
struct Imbalance {
  std::array<double, 3> per_h;  ///< 1/m
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    std::get<D>(all) =
        std::get<D + 1>(all)() * staggered::divergence(per_h, staggered::of_axes<D>(all));
  }
};

/// sum |u - grad phi / length| / h of a cell [1/s], on open faces: what will flow, as far as phi is
/// known. And a millionth of sum |u| / h, which round-off of phi can be compared with where nothing
/// will. Arguments: velocities, phi, the type of cells if they have one, 1/length.
template <int D, bool HasType>
struct ExpectedRate {
  static constexpr double least = 1e-6;
  std::array<double, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION auto operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto type = staggered::argument_or<HasType, D + 1>(all, staggered::AllFluid{});
    const auto per_length = std::get<D + 1 + HasType>(all)();
    const auto faces = staggered::of_axes<D>(all);
    return staggered::sum_over(D, [&](int a) {
      const Axis axis = all_axes[a];
      const auto through = [&](int n) {
        const auto u = convert<double>(faces[a].shift(axis, n)());
        const auto slope = d<2, Onto::face>(std::get<D>(all).shift(axis, n), axis);
        const auto off =
            staggered::where_open(type.shift(axis, n), axis, (per_h[a] * per_length) * slope, 0.0);
        return abs(u - off) + least * abs(u);
      };
      return (0.5 * per_h[a]) * (through(0) + through(1));
    });
  }
};

/// u -= grad phi / length on open faces. Arguments: velocities, phi, the type of cells if they have
/// one, 1/length.
template <int D, bool HasType, class Real>
struct TakeGradientOff {
  std::array<double, 3> per_h;  ///< 1/m

  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& phi = std::get<D>(all);
    const auto type = staggered::argument_or<HasType, D + 1>(all, staggered::AllFluid{});
    const auto u = staggered::of_axes<D>(all);
    for (int a = 0; a < D; ++a) {
      const auto step =
          (per_h[a] * std::get<D + 1 + HasType>(all)()) * d<2, Onto::face>(phi, all_axes[a]);
      u[a] -= convert<Real>(staggered::where_open(type, all_axes[a], step, 0));
    }
  }
};

/// Conductances of lower faces: 1 where they are open.
struct Conduct {
  GOBAN_FUNCTION void operator()(auto type, auto x, auto y, auto z) const {
    x = staggered::where_open(type, Axis::x, 1.0, 0.0);
    y = staggered::where_open(type, Axis::y, 1.0, 0.0);
    z = staggered::where_open(type, Axis::z, 1.0, 0.0);
  }
};

/// older = now phi + before older: the next phi, as its past suggests.
struct Extrapolate {
  GOBAN_FUNCTION void operator()(auto phi, auto older, auto now, auto before) const {
    older = now() * phi() + before() * older();
  }
};

}  // namespace goban::projection
