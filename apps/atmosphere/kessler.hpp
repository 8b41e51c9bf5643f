#pragma once
// Warm rain: cloud water that condenses, rain that forms, falls and evaporates, in the form of
// Klemp and Wilhelmson (J. Atmos. Sci. 35 (1978) 1070, equations 2.11 to 2.15 and 3.10) after
// Kessler (1969), with the numbers of the DCMIP2016 test cases (Ullrich et al. 2016, kessler.f90).
//
// rho is the density of dry air [kg/m3], pi the Exner function, theta the potential temperature
// [K], T = pi theta; q_v, q_c, q_r are the mixing ratios of vapour, cloud and rain water: kg for a
// kg of dry air. Neither rho nor pi nor the thickness of levels changes. Level 0 lies at the
// ground.

#include "atmosphere/measures.hpp"
#include "goban/program/program.hpp"

namespace goban::atmosphere {

/// x^y of x > 0, or of x = 0 and y > 0; the error is about |y log x| units of the last place, the
/// time a third of pow's.
template <class T>
GOBAN_FUNCTION auto power(const auto& x, T y) {
  return exp(y * log(x));
}

/// The numbers of the scheme and what they say of one cell. Without autoconversion and accretion
/// (rates 0) cloud condenses and evaporates reversibly. T: float or double.
template <class T>
struct Kessler {
  T latent_heat = T(2.5e6);        ///< J/kg, of vaporization
  T heat_capacity = T(1003);       ///< J/(kg K), of dry air at constant pressure
  T exner_exponent = T(0.2875);    ///< gas constant over heat capacity: pi = (p / p_0)^this
  T reference_pressure = T(1000);  ///< p_0, hPa

  // Saturation after Tetens: p q_vs = e_0 exp(a (T - T_0) / (T - T_1)) (2.11).
  T saturation_pressure = T(3.8);   ///< e_0, hPa: that of vapour at T_0 times R_d / R_v
  T tetens_factor = T(17.27);       ///< a
  T freezing_temperature = T(273);  ///< T_0, K
  T tetens_temperature = T(36);     ///< T_1, K
  T tetens_difference = T(237.3);   ///< T_0 - T_1 as (3.10) has it, K

  // Cloud water becomes rain (2.13).
  T autoconversion_rate = T(1e-3);       ///< 1/s
  T autoconversion_threshold = T(1e-3);  ///< kg/kg
  T accretion_rate = T(2.2);             ///< 1/s
  T accretion_exponent = T(0.875);

  // Rain evaporates (2.14) and falls (2.15); r is the density of rain water in g/cm3.
  T ventilation_constant = T(1.6);
  T ventilation_factor = T(124.9);
  T ventilation_exponent = T(0.2046);
  T evaporation_exponent = T(0.525);
  T vapor_resistance = T(2.55e6);  ///< with p in hPa
  T heat_resistance = T(5.4e5);
  T fall_speed_factor = T(36.34);  ///< m/s
  T fall_speed_exponent = T(0.1364);
  T courant = T(0.8);  ///< levels that rain falls through in a sub-cycle at most

  static constexpr T grams_per_cm3 = T(1e-3);  ///< in 1 kg/m3

  /// V = 36.34 r^0.1364 sqrt(rho_0 / rho) [m/s], rho_0 the density at the ground.
  GOBAN_FUNCTION auto fall_speed(const auto& rho, const auto& rho_0, const auto& q_r) const {
    const auto r = grams_per_cm3 * rho * q_r;
    return fall_speed_factor * power(r, fall_speed_exponent) * sqrt(rho_0 / rho);
  }

  /// Rain that falls out of a level in dt [kg/m2]: not more than there is.
  GOBAN_FUNCTION auto rain_falling(const auto& rho, const auto& rho_0, const auto& q_r,
                                   const auto& thickness, const auto& dt) const {
    return rho * q_r * min(dt * fall_speed(rho, rho_0, q_r), thickness);
  }

  /// What is left of cloud water after dt: autoconversion explicitly, accretion implicitly.
  GOBAN_FUNCTION auto cloud_left(const auto& q_c, const auto& q_r, const auto& dt) const {
    const auto converted = autoconversion_rate * max(q_c - autoconversion_threshold, T(0));
    const auto accreted = accretion_rate * power(q_r, accretion_exponent);
    return max((q_c - dt * converted) / (T(1) + dt * accreted), T(0));
  }

  /// p, hPa.
  GOBAN_FUNCTION auto pressure(const auto& exner) const {
    return reference_pressure * power(exner, 1 / exner_exponent);
  }
  /// p q_vs, hPa.
  GOBAN_FUNCTION auto saturation(const auto& temperature) const {
    return saturation_pressure * exp(tetens_factor * (temperature - freezing_temperature) /
                                     (temperature - tetens_temperature));
  }

  /// Vapour that condenses [kg/kg], negative: is missing, so that air is saturated at the
  /// temperature that follows (3.10): a step of Newton's iteration.
  GOBAN_FUNCTION auto condensation(const auto& temperature, const auto& q_v,
                                   const auto& q_vs) const {
    const T heating = tetens_difference * tetens_factor * (latent_heat / heat_capacity);
    const auto above = temperature - tetens_temperature, square = above * above;
    return (q_v - q_vs) * square / (square + q_vs * heating);
  }

  /// Rate at which rain evaporates [1/s]:
  ///   (1.6 + 124.9 r^0.2046) r^0.525 max(q_vs - q_v, 0) / (q_vs rho (2.55e6 / (p q_vs) + 5.4e5)),
  /// fraction expanded by p q_vs, rho in g/cm3.
  GOBAN_FUNCTION auto evaporation(const auto& rho, const auto& pressure, const auto& q_v,
                                  const auto& q_vs, const auto& q_r) const {
    const auto r = grams_per_cm3 * rho * q_r;
    const auto ventilation =
        ventilation_constant + ventilation_factor * power(r, ventilation_exponent);
    return ventilation * power(r, evaporation_exponent) * pressure * max(q_vs - q_v, T(0)) /
           (grams_per_cm3 * rho * (vapor_resistance + heat_resistance * pressure * q_vs));
  }

  /// Warming by a kg of vapour that condenses in a kg of air [K].
  GOBAN_FUNCTION auto warming(const auto& exner) const {
    return latent_heat / (heat_capacity * exner);
  }
};

/// Levels that rain falls through in a second, at a density of 1 kg/m3 at the ground. Arguments:
/// rho, q_r, thickness [m].
template <class T>
struct FallRate {
  Kessler<T> model{};
  GOBAN_FUNCTION auto operator()(auto density, auto rain, auto thickness) const {
    const auto q_r = max(rain(), T(0));
    return model.fall_speed(density(), T(1), q_r) / thickness();
  }
};

/// Rain that reaches the ground in a sub-cycle, over the lowest level. Arguments: rho, q_r,
/// thickness [m], mean rate of the step [kg/(m2 s)], sum [kg/m2], dt of the sub-cycle [s], 1/dt of
/// the step.
template <class T>
struct ReachGround {
  Kessler<T> model{};
  GOBAN_FUNCTION void operator()(auto density, auto rain, auto thickness, auto rate, auto fallen,
                                 auto dt, auto per_step) const {
    const auto rho = density();
    const auto reached = model.rain_falling(rho, rho, max(rain(), T(0)), thickness(), dt());
    rate += per_step() * reached;
    fallen += reached;
  }
};

/// A sub-cycle of all processes. Upward it carries the density at the ground, downward the rain
/// that falls into a level:
///   q_r' = q_r + (F_{k+1} - F_k) / (rho_k thickness_k), F = dt rho q_r V, nothing from above.
/// Arguments: rho, pi, thickness [m], theta, q_v, q_c, q_r, dt [s], scratch for two numbers.
template <class T>
struct FormRain {
  Kessler<T> model{};

  GOBAN_FUNCTION void forward(auto density, auto, auto, auto, auto, auto, auto, auto,
                              auto s) const {
    const auto below = s[0].before();
    s[0] = select(below > T(0), below, density());
  }

  GOBAN_FUNCTION void backward(auto density, auto exner, auto thickness, auto theta, auto vapor,
                               auto cloud, auto rain, auto dt, auto s) const {
    const auto rho = density();
    const auto q_r = max(rain(), T(0));
    const auto falling = model.rain_falling(rho, s[0](), q_r, thickness(), dt());
    const auto gained = (s[1].before() - falling) / (rho * thickness());
    s[1] = falling;

    const auto q_c = model.cloud_left(cloud(), q_r, dt());
    const auto formed = max(q_r + (cloud() - q_c) + gained, T(0));

    const auto temperature = exner() * theta();
    const auto pressure = model.pressure(exner());
    const auto q_vs = model.saturation(temperature) / pressure;
    const auto excess = model.condensation(temperature, vapor(), q_vs);
    const auto condensed = max(excess, -q_c);
    const auto rate = model.evaporation(rho, pressure, vapor(), q_vs, formed);
    const auto evaporated = min(min(dt() * rate, max(-excess - q_c, T(0))), formed);

    theta += model.warming(exner()) * (condensed - evaporated);
    vapor = max(vapor() - condensed + evaporated, T(0));
    cloud = q_c + condensed;
    rain = formed - evaporated;
  }
};

/// All in cells of one grid, with x fastest.
template <class T>
struct KesslerFields {
  Field<T> density;             ///< density of dry air, kg/m3; read
  Field<T> exner;               ///< (p / 1000 hPa)^exner_exponent; read
  Field<T> thickness;           ///< thickness of the levels, m; read
  Field<T> theta;               ///< potential temperature, K; changed
  Field<T> vapor, cloud, rain;  ///< mixing ratios, kg/kg; changed
  /// In the lowest level, 0 elsewhere: rain at the ground, mean of the step [kg/(m2 s)], set, and
  /// all since the beginning [kg/m2, which is mm], added to.
  Field<T> rain_rate, fallen_rain;
};

/// More sub-cycles than these end a run.
inline constexpr Index most_subcycles = 10000;

/// As many sub-cycles of equal length as what falls passes `courant` of a level in one at most.
/// Their number comes from a reduction over the grid: it is the same for every decomposition.
template <class T>
struct Subcycles {
  Parameter<T> length{"rain_cycle"};  ///< s
  Parameter<T> per_step{"per_step"};  ///< 1/dt of the step

  /// `rate`: levels that are passed in a second, times the square root of `ground_density`.
  void add(Program& step, const Parameter<double>& dt, const auto& ground_density,
           const Parameter<double>& rate, T courant, Program cycle) const {
    const Parameter<double> left("rain_cycles_left");
    step.compute(
        [](auto dt, auto ground_density, auto rate, auto courant, auto& left, auto& length,
           auto& per_step) {
          left = max(ceil(dt * sqrt(ground_density) * rate / courant), 1.0);
          length = convert<T>(dt / left);
          per_step = convert<T>(1 / dt);
        },
        in(dt), ground_density, in(rate), in(static_cast<double>(courant)), out(left), out(length),
        out(per_step));
    cycle.compute([](auto& left) { left = left - 1; }, inout(left));
    step.until(left < 0.5, 1, most_subcycles, cycle, Program("check"));
  }
};

/// Appends a step of dt > 0 [s] of all processes, in as many sub-cycles of equal length as rain
/// falls through 0.8 of a level in one at most. That number comes from a reduction over the grid,
/// with the largest density at the ground: it is the same for every decomposition, and so are all
/// bits. Water below zero counts as none. Level 0 lies at the ground; z is not periodic, and no
/// decomposition cuts it. No neighbours but those of the column are read, no halos exchanged.
/// Memory moved: 3 words a cell and step, 12 a cell and sub-cycle. Errors: of Program::columns;
/// (ExitCode::diverged) more than `most_subcycles`.
template <class T>
void add_kessler(Program& step, const KesslerFields<T>& fields, const Parameter<double>& dt,
                 const Kessler<T>& model = {}) {
  const auto& [density, exner, thickness, theta, vapor, cloud, rain, rain_rate, fallen] = fields;
  Box ground = density.grid()->domain(Location::cell);
  ground.upper[2] = 1;
  const Parameter<double> ground_density("ground_density"), fall_rate("fall_rate");
  const Subcycles<T> cycles;

  step.reduce(Value{}, in(density), maximum, into(ground_density)).over(ground);
  step.reduce(FallRate<T>{model}, in(density), in(rain), in(thickness), maximum, into(fall_rate));
  step.apply(Clear{}, out(rain_rate)).over(ground);
  Program cycle("rain");
  cycle
      .apply(ReachGround<T>{model}, in(density), in(rain), in(thickness), inout(rain_rate),
             inout(fallen), param(cycles.length), param(cycles.per_step))
      .over(ground);
  cycle.columns(Axis::z, FormRain<T>{model}, in(density), in(exner), in(thickness), inout(theta),
                inout(vapor), inout(cloud), inout(rain), param(cycles.length), scratch<T, 2>);
  cycles.add(step, dt, in(ground_density), fall_rate, model.courant, cycle);
}

}  // namespace goban::atmosphere
