#pragma once
// What eddies spread of momentum, heat and water: div(G rho nu (grad u + grad u^T)), div(G rho
// kappa grad theta), along levels and across, of deviations from the base state. What slopes add
// to gradients is left out, as is what a map's scale adds by its own gradient. Symbols as in
// stencils.hpp; `nu` and `kappa` [m2/s] lie in cells, as does `area` of a map.

#include "atmosphere/advection.hpp"

namespace goban::atmosphere {

/// nu and kappa after Smagorinsky (1963) and Lilly (1962), with functions of the Richardson number
/// Ri = N^2 / |S|^2 as Brown, Derbyshire and Mason have them (Q. J. R. Meteorol. Soc. 120 (1994)
/// 1485):
///   nu = l^2 |S| f(Ri),  |S|^2 = 2 S_ij S_ij,  N^2 = g d_z theta / theta,
///   Ri < 0: f = sqrt(1 - 16 Ri), kappa = l^2 |S| sqrt(1 - 40 Ri) / 0.7
///   Ri < 1/4: f = (1 - 4 Ri)^4, kappa = nu (1 - 1.2 Ri) / 0.7; above: none,
/// more by a constant diffusivity and no more than what the time step bears. In the plane nothing
/// changes along y.
template <int D, class Real>
struct Smagorinsky {
  std::array<Real, 3> per_h;  ///< 1/m
  Real gravity;               ///< m/s2
  Real least, least_heat;     ///< nu and kappa of still air, m2/s
  Real stable;                ///< nu times the sum of 1/h^2 at most, 1/s

  GOBAN_FUNCTION void operator()(auto u, auto v, auto w, auto theta, auto stretch,
                                 auto square_length, auto nu, auto kappa, auto... area) const {
    const auto per_G = 1 / stretch();
    const auto shear = square_of_shear(std::tie(u, v, w), per_G, area...);
    const auto buoyancy =
        (Real(0.5) * gravity * per_h[2]) * per_G * (theta(0, 0, 1) - theta(0, 0, -1)) / theta();
    constexpr Real tiny = 1e-20;
    const auto richardson = buoyancy / max(shear, tiny);
    const auto calm = max(1 - 4 * richardson, Real(0)), square = calm * calm;
    const auto when_stable = sqrt(shear) * (square * square);
    const auto is_stable = buoyancy > 0;
    const auto falling = max(-buoyancy, Real(0));
    const auto of_momentum = select(is_stable, when_stable, sqrt(shear + 16 * falling));
    const auto of_heat = select(is_stable, when_stable * max(1 - Real(1.2) * richardson, Real(0)),
                                sqrt(shear + 40 * falling));
    const auto along_levels = [&](std::size_t a) { return ((per_h[a] * per_h[a]) / ... / area()); };
    auto sharp = along_levels(0) + per_h[2] * per_h[2] * (per_G * per_G);
    if constexpr (D == 3) sharp = sharp + along_levels(1);
    const auto most = stable / sharp;
    nu = min(least + square_length() * of_momentum, most);
    kappa = min(least_heat + square_length() * (of_heat * Real(1 / 0.7)), most);
  }

 private:
  /// 2 S_ij S_ij; products of S_ij off the diagonal are means over four edges.
  GOBAN_FUNCTION auto square_of_shear(const auto& velocity, const auto& per_G,
                                      const auto&... area) const {
    const auto slope = [&](auto a, auto b, int i, int j) {  // d_b u_a, i and j cells along a, b
      constexpr Axis A = all_axes[a], B = all_axes[b];
      const auto q = along<A>(velocity).shift(A, i);
      const Real per = per_h[static_cast<std::size_t>(b)];
      const auto change = per * (q.shift(B, j)() - q.shift(B, j - 1)());
      if constexpr (B == Axis::z && A == Axis::z) {
        return change * per_G;
      } else if constexpr (B == Axis::z) {
        return ((change * per_G) * ... * sqrt(area()));
      } else if constexpr (A == Axis::z) {
        return (change / ... / sqrt(area()));
      } else {
        return change;
      }
    };
    const auto along_axis = [&](auto a) {
      const auto s = slope(a, a, 0, 1);
      return 2 * (s * s);
    };
    const auto across = [&](auto a, auto b) {
      const auto at = [&](int i, int j) {
        const auto s = slope(a, b, i, j) + slope(b, a, j, i);
        return s * s;
      };
      return 0.25 * ((at(0, 0) + at(1, 0)) + (at(0, 1) + at(1, 1)));
    };
    constexpr std::integral_constant<int, 0> x{};
    constexpr std::integral_constant<int, 1> y{};
    constexpr std::integral_constant<int, 2> z{};
    const auto in_plane = (along_axis(x) + along_axis(z)) + across(x, z);
    if constexpr (D == 3) {
      return in_plane + (along_axis(y) + (across(x, y) + across(y, z)));
    } else {
      const auto sideways_x = slope(y, x, 0, 0), sideways_z = slope(y, z, 0, 0);
      return in_plane + (sideways_x * sideways_x + sideways_z * sideways_z);
    }
  }
};

/// Adds what eddies bring to dU_A/dt, along z to G dW/dt: with e = u - u_b, w having no base,
///   d_B [G rho nu (g_B^2 d_B e_A + g_A g_B d_A e_B)] over all B,  g_z = 1 / G, g_x = g_y = 1.
/// Nothing goes through ground and lid. On a map derivatives along x and y count m^2.
template <Axis A, int D, class Real>
struct SpreadMomentum {
  std::array<Real, 3> per_h;
  std::int32_t levels;
  Real base_share;  ///< 1, or 0 where the base state is spread, too

  GOBAN_FUNCTION void operator()(auto site, auto u, auto v, auto w, auto base_u, auto base_v,
                                 auto mass, auto stretch, auto nu, auto rate, auto... area) const {
    const auto excess = [&](auto c, const auto& move) {
      if constexpr (c == 0) {
        return move(u)() - base_share * move(base_u)();
      } else if constexpr (c == 1) {
        return move(v)() - base_share * move(base_v)();
      } else {
        return move(w)();
      }
    };
    constexpr std::integral_constant<int, index_of(A)> a{};
    const auto gain = sum_over_axes<D>([&](auto b) {
      constexpr Axis B = all_axes[b];
      const auto weight = [&](auto p, int i, int j) {  // G rho nu g_B g_P, i along B, j along A
        const auto moved = [&](const auto& q) { return q.shift(B, i).shift(A, j)(); };
        const auto all = moved(nu) * moved(mass);
        const auto once = divided_along_z<B>(all, [&] { return moved(stretch); });
        if constexpr (all_axes[p] == Axis::z) {
          return once / moved(stretch);
        } else {
          return (once / ... / moved(area));
        }
      };
      const auto mean = [&](auto p, int n) {
        if constexpr (A == B) {
          return weight(p, n - 1, 0);
        } else {
          return 0.25 * ((weight(p, n, 0) + weight(p, n - 1, 0)) +
                         (weight(p, n, -1) + weight(p, n - 1, -1)));
        }
      };
      const auto change = [&](auto c, Axis axis, int n) {
        const auto at = [&](int m) {
          return excess(c, [&](const auto& q) { return q.shift(B, n).shift(axis, m); });
        };
        return per_h[static_cast<std::size_t>(index_of(axis))] * (at(0) - at(-1));
      };
      const auto through = [&](int n) {
        const auto flux = mean(b, n) * change(a, B, n) + mean(a, n) * change(b, A, n);
        if constexpr (B == Axis::z && A != Axis::z) {
          const auto face = site.index(B) + n;
          return select(face == 0 || face == levels, 0, flux);
        } else {
          return flux;
        }
      };
      return per_h[static_cast<std::size_t>(b)] * (through(1) - through(0));
    });
    if constexpr (A == Axis::z) {
      rate += select(site.index(A) == 0, 0, gain);
    } else {
      rate += gain;
    }
  }

 private:
  template <Axis B>
  GOBAN_FUNCTION static auto divided_along_z(const auto& value, const auto& by) {
    if constexpr (B == Axis::z) {
      return value / by();
    } else {
      return value;
    }
  }
};

/// What eddies carry through the lower face along B, n cells further, of what exceeds the base
/// state by `excess`(cells along B), over the length of the cell.
template <Axis B, class Real>
GOBAN_FUNCTION auto spread_through(const std::array<Real, 3>& per_h, const auto& kappa,
                                   const auto& mass, const auto& stretch, int n, const auto& excess,
                                   const auto&... area) {
  const auto weight = [&](int i) {
    return kappa.shift(B, i)() *
           spreading<B>(mass.shift(B, i), stretch.shift(B, i), area.shift(B, i)...);
  };
  return (Real(-0.5) * per_h[static_cast<std::size_t>(index_of(B))]) *
         ((weight(n) + weight(n - 1)) * (excess(n) - excess(n - 1)));
}

/// The same of heat: adds to d(G rho theta)/dt.
template <int D, class Real>
struct SpreadHeat {
  std::array<Real, 3> per_h;
  Real base_share;

  GOBAN_FUNCTION void operator()(auto theta, auto mass, auto heat, auto stretch, auto kappa,
                                 auto rate, auto... area) const {
    rate += sum_over_axes<D>([&](auto b) {
      constexpr Axis B = all_axes[b];
      const auto excess = [&](int i) {
        return theta.shift(B, i)() - base_share * (heat.shift(B, i)() / mass.shift(B, i)());
      };
      const auto through = [&](int n) {
        return spread_through<B>(per_h, kappa, mass, stretch, n, excess, area...);
      };
      return per_h[static_cast<std::size_t>(b)] * (through(0) - through(1));
    });
  }
};

}  // namespace goban::atmosphere
