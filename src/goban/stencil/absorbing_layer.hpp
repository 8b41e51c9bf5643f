#pragma once
// Layers along the sides of a grid in which waves die out, as parts of functors and as functors.
//
// C-PML (Roden and Gedney 2000; Komatitsch and Martin, Geophysics 72 (2007) SM155): in the layer of
// a side every derivative along its axis A becomes d_A u + psi with a memory variable psi,
//   dpsi/dt = -(d + alpha) psi - d d_A u,
// discretised with the mean of psi (no exponential: the same bits everywhere),
//   psi' = ((1 - D - a) psi - 2 D d_A u) / (1 + D + a),   D = d dt / 2,   a = alpha dt / 2,
//   d = -3 c log(R) / (2 width) s^2,   alpha = pi f (1 - s),   s = 0 ... 1 from inside to outside.
// The main sweeps know nothing of it: what psi adds is added after them, in the layers alone, so
// that the other cells move no byte more, and edges and corners need nothing of their own:
//
//   const auto layer = PmlLayer<float>::of(grid, Axis::x, Side::low, {.speed = c, .dt = dt});
//   step.apply(Push{r}, in(p), inout(v));                                // v += r dp/dx
//   step.apply(MatchDerivative<Axis::x, Onto::face, float>{layer, r}, inout(memory), inout(v),
//              in(p), site).over(layer_box(grid, Axis::x, Side::low, 10));
//
// Sponge (Cerjan et al., Geophysics 50 (1985) 705): in every step values are multiplied by
// 1 - q + q^2 / 2, which is exp(-q) nearly, with q = (strength depth)^2, depth in cells.

#include <cmath>
#include <numbers>

#include "goban/grid/grid.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {

/// The cells of a layer of `width` cells, with the faces at the far ends of the grid.
inline Box layer_box(const Grid& grid, Axis axis, Side side, Index width) {
  Box box = grid.state()->domain(Location::node);
  const int a = index_of(axis);
  const Index cells = grid.cells()[a];
  if (side == Side::low) {
    box.upper[a] = width;
  } else {
    box.lower[a] = cells - width;
    box.upper[a] = cells + 1;
  }
  return box;
}

/// How deep in the layer of a side a place lies.
template <class Real>
struct LayerDepth {
  Real edge{};      ///< where it begins, in cells
  Real outwards{};  ///< s per cell

  static LayerDepth of(const Grid& grid, Axis axis, Side side, int width) {
    const auto cells = static_cast<double>(grid.cells()[index_of(axis)]);
    return {static_cast<Real>(side == Side::low ? width : cells - width),
            static_cast<Real>((side == Side::low ? -1.0 : 1.0) / width)};
  }

  /// s of faces (`half` 0) or cells (1/2) along the axis.
  GOBAN_FUNCTION auto depth(const auto& site, Axis a, Real half) const {
    return max((convert<Real>(site.index(a)) + (half - edge)) * outwards, Real(0));
  }
};

struct PmlOptions {
  int width = 10;            ///< cells
  double speed = 1;          ///< speed of the fastest wave, length a time
  double dt = 1;             ///< time of a step
  double reflection = 1e-4;  ///< share of a wave that goes straight in and back, by theory
  double frequency = 1;      ///< below it grazing waves are absorbed less, 1 / time
};

/// The C-PML of one side.
template <class Real>
struct PmlLayer : LayerDepth<Real> {
  Real damping{};  ///< D where s = 1
  Real shift{};    ///< a where s = 0

  static PmlLayer of(const Grid& grid, Axis axis, Side side, const PmlOptions& options) {
    const double length = options.width * grid.spacing()[index_of(axis)];
    return {LayerDepth<Real>::of(grid, axis, side, options.width),
            static_cast<Real>(-3 * options.speed * std::log(options.reflection) / (2 * length) *
                              options.dt / 2),
            static_cast<Real>(std::numbers::pi * options.frequency * options.dt / 2)};
  }

  /// psi' at s.
  GOBAN_FUNCTION auto remember(const auto& s, const auto& psi, const auto& derivative) const {
    const auto d = damping * (s * s), alpha = shift * (1 - s);
    return ((1 - d - alpha) * psi - 2 * d * derivative) * reciprocal(1 + d + alpha);
  }
};

/// Adds to `target` scale times what psi adds to the derivative of u along A, on unit spacing and
/// onto where `target` lies.
template <Axis A, Onto onto, class Real, int Order = 2>
struct MatchDerivative {
  PmlLayer<Real> layer;
  Real scale{};

  GOBAN_FUNCTION void operator()(auto memory, auto target, auto u, auto site) const {
    const auto s = layer.depth(site, A, onto == Onto::face ? Real(0) : Real(0.5));
    const auto psi = layer.remember(s, memory(), d<A, Order, onto>(u));
    memory = psi;
    target += scale * psi;
  }
};

/// Multiplies fields, of any numbers of components, by what a sponge leaves of them: all of them at
/// the depth of the middle of cells, wherever they lie.
template <Axis A, class Real>
struct Damp {
  LayerDepth<Real> layer;
  Real strength{};  ///< times the width of the layer, in cells

  GOBAN_FUNCTION void operator()(auto site, auto... fields) const {
    const auto depth = strength * layer.depth(site, A, Real(0.5));
    const auto q = depth * depth, left = 1 - q + q * q / 2;
    (damp(fields, left), ...);
  }
  template <class Field>
  GOBAN_FUNCTION static void damp(Field field, const auto& left) {
    if constexpr (Field::components == 1) {
      field *= left;
    } else {
      unroll<Field::components>([&](auto c) { field[c] *= left; });
    }
  }
};

}  // namespace goban
