#pragma once
// What ground and sea exchange with the lowest level: laws say by what its theta and vapour grow in
// a step, and the share that it loses of its momentum.

#include "atmosphere/moist_cell.hpp"
#include "goban/stencil/operators.hpp"

namespace goban::atmosphere {

/// Bulk formulas: stress rho C_D |v| u, heat rho C_H |v| (theta_s - theta), vapour rho C_H |v|
/// wetness (q_s - q_v), implicit over a step. Over the sea C_D = 7e-4 + 6.5e-5 |v| / (m/s), 2e-3
/// from 20 m/s on, C_H = 1.1e-3; over land both are (0.4 / ln(z_1 / z_0))^2, z_1 the height of the
/// middle of the level, z_0 the roughness [m], which is 0 where there is sea. Surfaces have a
/// temperature [K] and a wetness [1].
template <class T>
struct BulkFormulas {
  MoistAir<T> air{};
  T dt, gravity;
  Kessler<T> rain_model{};

  /// Drag, warming [K] and what q_v gains of air whose Exner function this is.
  GOBAN_FUNCTION auto operator()(const auto& speed, const auto& thickness, const auto& exner,
                                 const auto& theta, const auto& q_v, const auto& hot,
                                 const auto& roughness, const auto& wetness) const {
    constexpr T smoothest = T(1e-6);
    const auto root = T(0.4) / log(max(T(0.5) * thickness / max(roughness(), smoothest), T(2)));
    const auto passes = dt * speed / thickness, land = root * root;
    const auto is_sea = roughness() == 0;
    const auto drag = passes * select(is_sea, min(T(7e-4) + T(6.5e-5) * speed, T(2e-3)), land);
    const auto of_heat = passes * select(is_sea, T(1.1e-3), land);
    const auto share = of_heat / (1 + of_heat);
    // At the ground Exner's function is larger by g dz / (c_p theta).
    const auto below = exner + (T(0.5) * gravity / air.heat_capacity) * thickness / theta;
    const auto q_s = rain_model.saturation(hot()) / (T(0.01) * air.pressure(below));
    return std::tuple{drag, share * (hot() / below - theta), (wetness() * share) * (q_s - q_v)};
  }
};

/// Fluxes over density that are given: of theta [K m/s], of vapour [m/s], and u*^2 of momentum.
template <class T>
struct GivenFluxes {
  T heat, vapor, square_of_friction, dt;  ///< K m/s, m/s, m2/s2, s

  GOBAN_FUNCTION auto operator()(const auto& speed, const auto& thickness, const auto&, const auto&,
                                 const auto&, const auto&...) const {
    const auto passes = dt / thickness;
    constexpr T slowest = T(0.01);  // m/s
    return std::tuple{passes * (square_of_friction / max(speed, slowest)), passes * heat,
                      passes * vapor};
  }
};

/// The lowest level. Arguments: U, V, G rho and G rho theta of the base state, G, r, the skin's
/// temperature, roughness and wetness, th, and `drag`, by which momentum becomes smaller. Of moist
/// air, for which theta is theta_m, Q of vapour comes before it, and behind it what has evaporated
/// so far [kg/m2] and Q of the other species. The area of a map comes last.
template <class Law, class T, bool IsOnMap = false>
struct Exchange {
  Law law;
  MoistAir<T> air{};
  T ds;

  GOBAN_FUNCTION void operator()(auto U, auto V, auto mass, auto base_heat, auto stretch, auto r,
                                 auto hot, auto roughness, auto wetness, auto th, auto drag,
                                 auto... area) const {
    const auto all = mass() + r(), heat = base_heat() + th();
    const auto [loss, warming, moistening] = changes(std::tie(area...), U, V, all, heat, stretch,
                                                     heat / all, T(0), hot, roughness, wetness);
    drag = loss;
    th += all * warming;
  }
  GOBAN_FUNCTION void operator()(auto U, auto V, auto mass, auto base_heat, auto stretch, auto r,
                                 auto hot, auto roughness, auto wetness, auto th, auto vapor,
                                 auto drag, auto so_far, auto... others) const {
    constexpr int species = sizeof...(others) + 1 - IsOnMap;
    const auto all = mass() + r(), heat = base_heat() + th();
    const SplitAir<T> split{air};
    const auto cell = split.template of_first<species>(all, heat, std::tie(vapor, others...));
    const auto area = [&] {
      if constexpr (IsOnMap) {
        return std::tie(std::get<species - 1>(std::tie(others...)));
      } else {
        return std::tuple{};
      }
    }();
    const auto [loss, warming, moistening] =
        changes(area, U, V, all, heat, stretch, cell.theta, cell.q_v, hot, roughness, wetness);
    const auto evaporated = cell.dry * moistening;
    drag = loss;
    // theta_m rho = rho_d (theta (1 + ratio q_v)).
    th += cell.dry * (1 + split.ratio() * cell.q_v) * warming +
          split.ratio() * evaporated * (cell.theta + warming);
    vapor += evaporated;
    r += evaporated;
    so_far += std::apply([&](const auto&... a) { return ((ds * evaporated) / ... / a()); }, area);
  }

 private:
  GOBAN_FUNCTION auto changes(const auto& area, const auto& U, const auto& V, const auto& all,
                              const auto& heat, const auto& stretch,
                              const auto&... air_and_skin) const {
    return std::apply(
        [&](const auto&... a) {
          return law(speed(U, V, all, a...), ds * stretch(),
                     air.exner(((heat / stretch()) / ... / a())), air_and_skin...);
        },
        area);
  }
  GOBAN_FUNCTION auto speed(const auto& U, const auto& V, const auto& all,
                            const auto&... area) const {
    const auto u = average<Axis::x, Onto::center>(U), v = average<Axis::y, Onto::center>(V);
    return sqrt(((u * u + v * v) * ... * area())) / all;
  }
};

/// The wind of the lowest level along A.
template <Axis A>
struct Brake {
  GOBAN_FUNCTION void operator()(auto drag, auto U) const {
    U = U() / (1 + average<A, Onto::face>(drag));
  }
};

}  // namespace goban::atmosphere
