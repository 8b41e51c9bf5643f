#pragma once
// From what moves to what warm rain is about, and back: G rho, G rho theta_m and Q = G rho q on one
// side, dry air, its potential temperature and mixing ratios (kg for a kg of dry air) on the other.

#include <tuple>

#include "atmosphere/kessler.hpp"
#include "atmosphere/moisture.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::atmosphere {

/// A cell of moist air; all but theta, exner and ratios are times G.
template <class X>
struct MoistCell {
  X dry;            ///< density of dry air, kg/m3
  X q_v, q_c, q_r;  ///< mixing ratios
  X heat;           ///< rho theta_m, kg K/m3
  X theta;          ///< potential temperature of the air, K
};

template <class T>
struct SplitAir {
  MoistAir<T> air{};

  /// From density and heat of all, and Q; of ice, snow and graupel, too, where there are any.
  GOBAN_FUNCTION auto operator()(const auto& all, const auto& heat, const auto& vapor,
                                 const auto& cloud, const auto& rain, const auto&... ice) const {
    const auto dry = all - ((vapor + cloud + rain) + ... + ice);
    const auto q_v = vapor / dry;
    const auto theta = heat / (dry * (T(1) + ratio() * q_v));
    return MoistCell<std::decay_t<decltype(dry)>>{dry, q_v, cloud / dry, rain / dry, heat, theta};
  }
  /// The same of Q that lead a tuple.
  template <int Species>
  GOBAN_FUNCTION auto of_first(const auto& all, const auto& heat, const auto& q) const {
    return [&]<std::size_t... n>(std::index_sequence<n...>) {
      return (*this)(all, heat, std::get<n>(q)()...);
    }
    (std::make_index_sequence<Species>{});
  }
  GOBAN_FUNCTION T ratio() const { return air.vapor_gas_constant / air.gas_constant; }
};

/// d(G rho theta_m)/dt += what the step before has gained by condensation.
struct AddHeating {
  GOBAN_FUNCTION void operator()(auto heating, auto rate) const { rate += heating(); }
};

/// Before rain: takes out again what AddHeating has put in, and makes what rain reads. `q`: Q of
/// all species and, to be set, their mixing ratios.
template <class T>
struct BeginRain {
  SplitAir<T> split;
  T dt;

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto stretch, auto r, auto heating,
                                 auto th, auto density, auto exner, auto theta, auto... q) const {
    constexpr int species = sizeof...(q) / 2;
    const auto all = std::tie(q...);
    th -= dt * heating();
    const auto cell = split.template of_first<species>(mass() + r(), base_heat() + th(), all);
    density = cell.dry / stretch();
    exner = split.air.exner(cell.heat / stretch());
    theta = cell.theta;
    unroll<species>([&](auto n) { std::get<species + n>(all) = std::get<n>(all)() / cell.dry; });
  }
};

/// All water of a cell.
struct SumOfWater {
  GOBAN_FUNCTION auto operator()(auto vapor, auto... others) const {
    return (vapor() + ... + others());
  }
};

/// After rain: what it has changed. Where it has changed nothing, nothing changes. `q`: Q of all
/// species, which change, and their mixing ratios.
template <class T>
struct EndRain {
  SplitAir<T> split;
  T per_dt;

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto theta, auto r, auto th,
                                 auto heating, auto... q) const {
    constexpr int species = sizeof...(q) / 2;
    const auto all = std::tie(q...);
    const auto before = split.template of_first<species>(mass() + r(), base_heat() + th(), all);
    const auto q_v = std::get<species>(all)();
    const auto warming = (T(1) + split.ratio() * before.q_v) * (theta() - before.theta) +
                         split.ratio() * (q_v - before.q_v) * theta();
    const auto gained = before.dry * warming;
    th += gained;
    heating = per_dt * gained;
    // Three species from `first` on.
    const auto update = [&](auto first, const auto& dry) {
      auto &x = std::get<first>(all), &y = std::get<first + 1>(all), &z = std::get<first + 2>(all);
      const auto new_x = dry * std::get<species + first>(all)();
      const auto new_y = dry * std::get<species + first + 1>(all)();
      const auto new_z = dry * std::get<species + first + 2>(all)();
      const auto more = (new_x + new_y + new_z) - (x() + y() + z());
      x = new_x;
      y = new_y;
      z = new_z;
      return more;
    };
    const auto with_warm_rain = r() + update(std::integral_constant<int, 0>{}, before.dry);
    if constexpr (species == 6) {
      const auto after =
          split.template of_first<species>(mass() + with_warm_rain, before.heat, all);
      r = with_warm_rain + update(std::integral_constant<int, 3>{}, after.dry);
    } else {
      r = with_warm_rain;
    }
  }
};

/// Mixing ratios, the equivalent potential temperature of saturated air [K], relative humidity over
/// water, theta and temperature [K]. `q`: as in BeginRain.
template <class T>
struct ShowWater {
  SplitAir<T> split;
  Kessler<T> rain_model{};

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto stretch, auto r, auto th,
                                 auto equivalent, auto humidity, auto theta, auto temperature,
                                 auto... q) const {
    constexpr int species = sizeof...(q) / 2;
    const auto all = std::tie(q...);
    const auto cell = split.template of_first<species>(mass() + r(), base_heat() + th(), all);
    const auto exner = split.air.exner(cell.heat / stretch());
    const auto pressure = split.air.pressure(exner), hot = exner * cell.theta;
    unroll<species>([&](auto n) { std::get<species + n>(all) = std::get<n>(all)() / cell.dry; });
    equivalent = split.air.equivalent_theta(hot, pressure, cell.q_v, cell.q_c + cell.q_r);
    humidity = cell.q_v * (T(0.01) * pressure) / rain_model.saturation(hot);
    theta = cell.theta;
    temperature = hot;
  }
};

}  // namespace goban::atmosphere
