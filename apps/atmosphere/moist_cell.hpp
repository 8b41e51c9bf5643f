#pragma once
// From what moves to what warm rain is about, and back: G rho, G rho theta_m and Q = G rho q on one
// side, dry air, its potential temperature and mixing ratios (kg for a kg of dry air) on the other.

#include "atmosphere/kessler.hpp"
#include "atmosphere/moisture.hpp"

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
  GOBAN_FUNCTION T ratio() const { return air.vapor_gas_constant / air.gas_constant; }
};

/// d(G rho theta_m)/dt += what the step before has gained by condensation.
struct AddHeating {
  GOBAN_FUNCTION void operator()(auto heating, auto rate) const { rate += heating(); }
};

/// Before warm rain: takes out again what AddHeating has put in, and makes what warm rain reads.
template <class T>
struct BeginRain {
  SplitAir<T> split;
  T dt;

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto stretch, auto r, auto vapor,
                                 auto cloud, auto rain, auto heating, auto th, auto density,
                                 auto exner, auto theta, auto q_v, auto q_c, auto q_r,
                                 auto... ice) const {
    th -= dt * heating();
    const auto cell = split(mass() + r(), base_heat() + th(), vapor(), cloud(), rain(), ice()...);
    density = cell.dry / stretch();
    exner = split.air.exner(cell.heat / stretch());
    theta = cell.theta;
    q_v = cell.q_v;
    q_c = cell.q_c;
    q_r = cell.q_r;
  }
};

/// After warm rain: what it has changed. Where it has changed nothing, nothing changes.
template <class T>
struct EndRain {
  SplitAir<T> split;
  T per_dt;

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto theta, auto q_v, auto q_c,
                                 auto q_r, auto r, auto th, auto vapor, auto cloud, auto rain,
                                 auto heating, auto... ice) const {
    const auto before = split(mass() + r(), base_heat() + th(), vapor(), cloud(), rain(), ice()...);
    const auto warming = (T(1) + split.ratio() * before.q_v) * (theta() - before.theta) +
                         split.ratio() * (q_v() - before.q_v) * theta();
    const auto gained = before.dry * warming;
    th += gained;
    heating = per_dt * gained;
    const auto new_v = before.dry * q_v(), new_c = before.dry * q_c(), new_r = before.dry * q_r();
    r += (new_v + new_c + new_r) - (vapor() + cloud() + rain());
    vapor = new_v;
    cloud = new_c;
    rain = new_r;
  }
};

/// G rho of dry air with all six species.
struct DryMass {
  GOBAN_FUNCTION auto operator()(auto mass, auto r, auto vapor, auto cloud, auto rain, auto ice,
                                 auto snow, auto graupel) const {
    return mass() + r() - (vapor() + cloud() + rain() + ice() + snow() + graupel());
  }
};

/// Mixing ratios of ice, snow and graupel.
struct IceRatios {
  GOBAN_FUNCTION void operator()(auto mass, auto r, auto vapor, auto cloud, auto rain, auto ice,
                                 auto snow, auto graupel, auto q_i, auto q_s, auto q_g) const {
    const auto dry = DryMass{}(mass, r, vapor, cloud, rain, ice, snow, graupel);
    q_i = ice() / dry;
    q_s = snow() / dry;
    q_g = graupel() / dry;
  }
};

/// What mixing ratios say of the ice and of all there is.
struct EndIce {
  GOBAN_FUNCTION void operator()(auto mass, auto q_i, auto q_s, auto q_g, auto vapor, auto cloud,
                                 auto rain, auto r, auto ice, auto snow, auto graupel) const {
    const auto dry = DryMass{}(mass, r, vapor, cloud, rain, ice, snow, graupel);
    const auto new_i = dry * q_i(), new_s = dry * q_s(), new_g = dry * q_g();
    r += (new_i + new_s + new_g) - (ice() + snow() + graupel());
    ice = new_i;
    snow = new_s;
    graupel = new_g;
  }
};

/// Mixing ratios, the equivalent potential temperature of saturated air [K], relative humidity over
/// water, theta and temperature [K].
template <class T>
struct ShowWater {
  SplitAir<T> split;
  Kessler<T> rain_model;

  GOBAN_FUNCTION void operator()(auto mass, auto base_heat, auto stretch, auto r, auto th,
                                 auto vapor, auto cloud, auto rain, auto q_v, auto q_c, auto q_r,
                                 auto equivalent, auto humidity, auto theta, auto temperature,
                                 auto... ice) const {
    const auto cell = split(mass() + r(), base_heat() + th(), vapor(), cloud(), rain(), ice()...);
    const auto exner = split.air.exner(cell.heat / stretch());
    const auto pressure = split.air.pressure(exner), hot = exner * cell.theta;
    q_v = cell.q_v;
    q_c = cell.q_c;
    q_r = cell.q_r;
    equivalent = split.air.equivalent_theta(hot, pressure, cell.q_v, cell.q_c + cell.q_r);
    humidity = cell.q_v * (T(0.01) * pressure) / rain_model.saturation(hot);
    theta = cell.theta;
    temperature = hot;
  }
};

/// All water of a cell.
struct SumOfWater {
  GOBAN_FUNCTION auto operator()(auto vapor, auto cloud, auto rain, auto... ice) const {
    return ((vapor() + cloud() + rain()) + ... + ice());
  }
};

}  // namespace goban::atmosphere
