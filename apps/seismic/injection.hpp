#pragma once
// Sources: what a point force adds to velocities and a moment tensor takes from stresses.
//
// A point is spread over 4 x 4 x 4 values of each component with the weights of interpolation at
// that point, so that the moments of what acts, up to the third, are those of the point. Forces
// near a free surface: the differences there keep sum of mass_k rho v_k with a mass_k that is not
// the thickness of a layer of cells but as below, so weights are divided by it. Moments stay below
// these layers. It is a sweep over a small box with the amplitude of the step as its parameter,
// which costs next to nothing and is like any other sweep for patches and ranks.

#include <array>

#include "goban/stencil/unroll.hpp"
#include "seismic/interpolation.hpp"
#include "seismic/model.hpp"
#include "seismic/stencils.hpp"

namespace goban::seismic {

/// mass_k of faces and cells below a free surface; deeper ones have 1. They solve sum of mass_k
/// D_kj = 0 for the differences D of Shallow and Deep.
inline double mass_of_face(Index k, int order) {
  constexpr std::array fourth = {0.3541345183, 1.2284594026, 0.8981170581, 1.0185460349,
                                 1.0007143674, 1.0000275164, 1.0000010599};
  constexpr std::array eighth = {0.3539827882, 1.2251213407, 0.9076908579,
                                 1.0119376689, 0.9987968231, 1.0029470209,
                                 0.9995720635, 0.9999491928, 1.0000020172};
  const auto n = static_cast<std::size_t>(k);
  if (order == 2) return k == 0 ? 0.5 : 1;
  if (order == 4) return n < fourth.size() ? fourth[n] : 1;
  return n < eighth.size() ? eighth[n] : 1;
}
inline double mass_of_cell(Index k, int order) {
  constexpr std::array fourth = {1.1250642967, 0.7514145282, 1.1620992171, 0.9629079302,
                                 0.9985712653, 0.9999449671, 0.9999978802};
  constexpr std::array eighth = {1.1205097364, 0.7645039200, 1.1505585349, 0.9645808278,
                                 1.0002208239, 0.9996705407, 0.9999555512, 0.9999999440};
  const auto n = static_cast<std::size_t>(k);
  if (order == 4 && n < fourth.size()) return fourth[n];
  if (order == 8 && n < eighth.size()) return eighth[n];
  return 1;
}

/// How one point is spread along one axis.
template <class Real>
struct SpreadAlong {
  static constexpr int most = 5;  ///< faces and cells together, at most
  std::array<std::int32_t, most> index{};
  std::array<Real, most> face{}, cell{};

  GOBAN_FUNCTION auto pick(const auto& here, const std::array<Real, most>& weight) const {
    auto sum = select(here == index[0], weight[0], Real(0));
    unroll<most - 1>([&](auto n) { sum = select(here == index[n + 1], weight[n + 1], sum); });
    return sum;
  }
};

/// How one point is spread.
template <class Real>
struct Spread {
  std::array<SpreadAlong<Real>, 3> axis{};

  template <Axis A>
  GOBAN_FUNCTION auto faces(const auto& site) const {
    const auto& along = axis[index_of(A)];
    return along.pick(convert<std::int32_t>(site.index(A)), along.face);
  }
  template <Axis A>
  GOBAN_FUNCTION auto cells(const auto& site) const {
    const auto& along = axis[index_of(A)];
    return along.pick(convert<std::int32_t>(site.index(A)), along.cell);
  }
};

/// v += amplitude F / rho.
template <class Real>
struct Push {
  Spread<Real> spread;
  std::array<Real, 3> force{};  ///< 2 dt F / volume of a cell

  GOBAN_FUNCTION void operator()(auto vx, auto vy, auto vz, auto density, auto amplitude,
                                 auto site) const {
    const auto now = amplitude();
    const auto x = spread.template cells<Axis::x>(site), y = spread.template cells<Axis::y>(site),
               z = spread.template cells<Axis::z>(site);
    vx += now * force[0] * (spread.template faces<Axis::x>(site) * y * z) /
          density_of_faces<Axis::x>(density);
    vy += now * force[1] * (x * spread.template faces<Axis::y>(site) * z) /
          density_of_faces<Axis::y>(density);
    vz += now * force[2] * (x * y * spread.template faces<Axis::z>(site)) /
          density_of_faces<Axis::z>(density);
  }
  /// Works in the plane of x and z.
  GOBAN_FUNCTION void operator()(auto vx, auto vz, auto density, auto amplitude, auto site) const {
    const auto now = amplitude();
    vx += now * force[0] *
          (spread.template faces<Axis::x>(site) * spread.template cells<Axis::z>(site)) /
          density_of_faces<Axis::x>(density);
    vz += now * force[2] *
          (spread.template cells<Axis::x>(site) * spread.template faces<Axis::z>(site)) /
          density_of_faces<Axis::z>(density);
  }
};

/// s -= amplitude M.
template <class Real>
struct Slip {
  Spread<Real> spread;
  std::array<Real, 6> moment{};  ///< dt M / volume of a cell; xx yy zz xy xz yz

  GOBAN_FUNCTION void operator()(auto normal, auto xy, auto xz, auto yz, auto amplitude,
                                 auto site) const {
    const auto now = amplitude();
    const auto x = spread.template cells<Axis::x>(site), y = spread.template cells<Axis::y>(site),
               z = spread.template cells<Axis::z>(site);
    const auto on_x = spread.template faces<Axis::x>(site),
               on_y = spread.template faces<Axis::y>(site),
               on_z = spread.template faces<Axis::z>(site);
    const auto in_cell = now * (x * y * z);
    unroll<3>([&](auto c) { normal[c] -= moment[c] * in_cell; });
    xy -= now * moment[3] * (on_x * on_y * z);
    xz -= now * moment[4] * (on_x * y * on_z);
    yz -= now * moment[5] * (x * on_y * on_z);
  }
  GOBAN_FUNCTION void operator()(auto normal, auto xz, auto amplitude, auto site) const {
    const auto now = amplitude();
    const auto in_cell =
        now * (spread.template cells<Axis::x>(site) * spread.template cells<Axis::z>(site));
    normal[0] -= moment[0] * in_cell;
    normal[1] -= moment[2] * in_cell;
    xz -= now * moment[4] *
          (spread.template faces<Axis::x>(site) * spread.template faces<Axis::z>(site));
  }
};

}  // namespace goban::seismic
