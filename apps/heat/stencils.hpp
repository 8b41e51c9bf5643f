#pragma once
// The physics: what one sweep does to one cell.
//
// Symbols: u temperature [K], k conductivity [W/(m K)], c heat capacity per volume [J/(m3 K)],
// q heat released per volume [W/m3], h edge lengths of a cell [m].

#include <array>
#include <cstdint>

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"
#include "goban/grid/grid.hpp"
#include "goban/stencil/finite_differences.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::heat {

/// u' = u + alpha dt Laplacian(u) of order 2, 4, 6, 8:
///   u' = u + sum over axes a and j of w_aj (u(+j) + u(-j) - 2 u),  w_aj = alpha dt c_j / h_a^2.
/// Written in differences, so that a uniform temperature stays what it is to the last bit. With a
/// source one more field is added: the heating dt q / c of one step.
template <int Order, class Real>
struct Diffuse {
  static constexpr int reach = Order / 2;
  std::array<std::array<Real, reach>, 3> weight;

  /// alpha_dt: m2; spacing: m.
  static Diffuse with(double alpha_dt, Real3 spacing) {
    Diffuse diffuse;
    for (std::size_t a = 0; a < 3; ++a) {
      for (int j = 1; j <= reach; ++j) {
        diffuse.weight[a][static_cast<std::size_t>(j - 1)] = static_cast<Real>(
            alpha_dt * finite_differences::second(reach, j) / (spacing[a] * spacing[a]));
      }
    }
    return diffuse;
  }

  /// Inlined by force: in passes GCC 12 calls it for every pack otherwise, which takes twice as
  /// long.
  GOBAN_FUNCTION auto diffused(const auto& u) const {
    const auto here = u();
    auto sum = here;
    unroll<reach>([&](auto j) {
      unroll<3>([&](auto a) {
        constexpr Axis axis = all_axes[a];
        const auto pair = u.shift(axis, j + 1)() + u.shift(axis, -j - 1)();
        sum = fma(weight[a][j], fma(Real(-2), here, pair), sum);
      });
    });
    return sum;
  }

  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = diffused(u); }
  GOBAN_FUNCTION void operator()(auto u, auto heating, auto next) const {
    next = diffused(u) + heating();
  }
};

/// Conductance between the two cells a face parts, on the lower faces of the cell: the conductivity
/// of two half cells in series, 2 k k' / (k + k'), times `scale` (dt / (c h^2) or 1 / h^2). At a
/// side with convection a film is in series with the half cell, half of k b / (2 k + b), b the
/// heat transfer coefficient times h: the flow for the difference to the fluid over h / 2.
struct Join {
  Real3 scale;
  struct Film {
    std::int32_t face = -1;   ///< the index of the face
    double conductivity = 0;  ///< b, W/(m K)
  };
  std::array<std::array<Film, 2>, 3> films{};

  static Join with(Real3 scale, const std::array<std::array<double, 2>, 3>& convection,
                   const Grid& grid) {
    Join join{scale, {}};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (convection[a][side] == 0) continue;
        join.films[a][side] = {static_cast<std::int32_t>(side == 0 ? 0 : grid.cells()[a]),
                               convection[a][side] * grid.spacing()[a]};
      }
    }
    return join;
  }

  template <Axis A>
  GOBAN_FUNCTION auto joined(auto site, auto k) const {
    const auto plain = harmonic_average<A, Onto::face>(k);
    auto all = 1 * plain;
    for (const Film& film : films[index_of(A)]) {
      const auto with_film = plain * (film.conductivity / (2 * plain + film.conductivity));
      all = select(site.index(A) == film.face, with_film, all);
    }
    return all;
  }
  GOBAN_FUNCTION void operator()(auto site, auto k, auto x, auto y, auto z) const {
    x = scale[0] * joined<Axis::x>(site, k);
    y = scale[1] * joined<Axis::y>(site, k);
    z = scale[2] * joined<Axis::z>(site, k);
  }
};

/// Net flow into a cell, sum over its faces of conductance times difference of u.
GOBAN_FUNCTION auto inflow(const auto& u, const auto& x, const auto& y, const auto& z) {
  const auto here = u();
  return (x(1, 0, 0) * (u(1, 0, 0) - here) - x() * (here - u(-1, 0, 0))) +
         (y(0, 1, 0) * (u(0, 1, 0) - here) - y() * (here - u(0, -1, 0))) +
         (z(0, 0, 1) * (u(0, 0, 1) - here) - z() * (here - u(0, 0, -1)));
}

/// u' = u + net inflow, conductances times dt / c: the finite-volume scheme in a medium that
/// varies.
struct Conduct {
  GOBAN_FUNCTION void operator()(auto u, auto x, auto y, auto z, auto next) const {
    next = u() + inflow(u, x, y, z);
  }
  GOBAN_FUNCTION void operator()(auto u, auto x, auto y, auto z, auto heating, auto next) const {
    next = u() + inflow(u, x, y, z) + heating();
  }
};

/// The same where the heat capacity c varies: conductances times dt / c_0, and `ease` = c_0 / c.
struct ConductUnevenly {
  GOBAN_FUNCTION void operator()(auto u, auto x, auto y, auto z, auto ease, auto next) const {
    next = u() + ease() * inflow(u, x, y, z);
  }
  GOBAN_FUNCTION void operator()(auto u, auto x, auto y, auto z, auto ease, auto heating,
                                 auto next) const {
    next = u() + (ease() * inflow(u, x, y, z) + heating());
  }
};
/// What a source heats there.
struct Ease {
  GOBAN_FUNCTION void operator()(auto ease, auto heating) const { heating *= ease(); }
};
/// Heat of a cell over c_0.
struct Content {
  GOBAN_FUNCTION auto operator()(auto u, auto ease) const {
    return convert<double>(u()) / convert<double>(ease());
  }
};

/// The heating of one step by a source whose power varies.
struct Release {
  GOBAN_FUNCTION void operator()(auto where, auto heating, auto u) const {
    u += heating() * where();
  }
};

// Steady states, A u = b: A u is minus the net inflow, b what the sources and the ends give.

struct Outflow {
  GOBAN_FUNCTION auto operator()(auto u, auto x, auto y, auto z) const {
    return -inflow(u, x, y, z);
  }
};

/// 1 / A_ii; 0 where nothing flows at all.
struct InvertDiagonal {
  GOBAN_FUNCTION void operator()(auto x, auto y, auto z, auto inverse) const {
    const auto diagonal = (x() + x(1, 0, 0)) + (y() + y(0, 1, 0)) + (z() + z(0, 0, 1));
    inverse = select(diagonal == 0, 0, 1 / diagonal);
  }
};

/// r_c = div(k e_c), what a unit gradient along c leaves in every cell; conductances k / h^2.
struct UnitGradients {
  Real3 h;
  GOBAN_FUNCTION void operator()(auto x, auto y, auto z, auto r) const {
    r[0] = h[0] * (x(1, 0, 0) - x());
    r[1] = h[1] * (y(0, 1, 0) - y());
    r[2] = h[2] * (z(0, 0, 1) - z());
  }
};

/// Heat flow per area along A through the lower face of the cell, against it: h^2 K (E + du / h)
/// for a mean gradient E along A and conductances K = k / h^2.
template <Axis A, int Component = 0>
struct Flow {
  double h;
  double mean_gradient;
  GOBAN_FUNCTION auto operator()(auto u, auto conductance) const {
    const auto one = u[Component];
    return conductance() * (h * h * mean_gradient + h * (one() - one.shift(A, -1)()));
  }
};

/// The same of each component along the axis of its number, with unit gradients.
struct FlowAlongGradient {
  Real3 h;
  GOBAN_FUNCTION void operator()(auto u, auto x, auto y, auto z, auto flow) const {
    flow[0] = Flow<Axis::x, 0>{h[0], 1}(u, x);
    flow[1] = Flow<Axis::y, 1>{h[1], 1}(u, y);
    flow[2] = Flow<Axis::z, 2>{h[2], 1}(u, z);
  }
};

/// 1 / k: its mean is the inverse of the harmonic mean.
struct Resist {
  GOBAN_FUNCTION auto operator()(auto conductivity) const { return 1 / conductivity(); }
};

}  // namespace goban::heat
