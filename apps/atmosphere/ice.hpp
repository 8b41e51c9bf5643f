#pragma once
// A step of the six species: they fall, melt, freeze, collect each other, evaporate and condense.
// Formulas and symbols: wsm6.hpp.

#include <array>

#include "atmosphere/moisture.hpp"
#include "atmosphere/wsm6.hpp"
#include "goban/stencil/site.hpp"

namespace goban::atmosphere {

/// Processes of a step of dt in a cell.
template <class T>
struct FormIce {
  Wsm6<T> model{};
  T dt;

  /// Arguments: rho, pi, theta and the mixing ratios, which change.
  GOBAN_FUNCTION void operator()(auto density, auto exner, auto theta, auto vapor, auto cloud,
                                 auto rain, auto ice, auto snow, auto graupel) const {
    const auto rho = density() * T(1), pi = exner() * T(1);
    const auto pascal = T(100) * model.water.pressure(pi);
    using X = std::decay_t<decltype(rho)>;
    const auto none = [](const auto& q) -> X { return max(q(), T(0)); };
    const SixSpecies<X> at_first{none(vapor), none(cloud),   none(rain),  none(ice),
                                 none(snow),  none(graupel), pi * theta()};
    const auto melted = melt_and_freeze(at_first, rho, pascal);
    const auto grown = exchange(melted, rho, pascal);
    const auto last = condense(grown, pascal);
    theta += (last.temperature - at_first.temperature) / pi;
    vapor = last.vapor;
    cloud = last.cloud;
    rain = last.rain;
    ice = last.ice;
    snow = last.snow;
    graupel = last.graupel;
  }

  /// Pimlt, Pihmf, Pihtf, Pgfrz, Psmlt, Pgmlt (RH 1983 A25, A28; LFO 45, 47): ice melts above T_0
  /// at once, cloud freezes at once 40 K below and by chance before, as rain does; snow and graupel
  /// melt by what air conducts.
  template <class X>
  GOBAN_FUNCTION SixSpecies<X> melt_and_freeze(const SixSpecies<X>& q, const X& rho,
                                               const X& pascal) const {
    const auto cold = max(model.melting - q.temperature, T(0));
    const auto warm = max(q.temperature - model.melting, T(0));
    const auto is_warm = q.temperature > model.melting;
    const auto many = snow_number<T>(q.temperature);
    const auto f = sqrt(model.density_of_fall / rho);
    const auto F = model.ventilation(q.temperature, rho, pascal, f);
    const auto heat =
        dt * T(1414) * model.viscosity(q.temperature) * warm / (model.fusion_heat * rho);
    const auto l_s = model.snow.kind.mean_diameter(rho * q.snow, many);
    const auto l_g = model.graupel.kind.mean_diameter(rho * q.graupel, T(1));
    const auto l_r = model.rain.kind.mean_diameter(rho * q.rain, T(1));
    const T of_snow = model.pi / 2;  // melting flakes are spheres
    const auto snow = min(of_snow * heat * model.snow.exchange(l_s, many, F), q.snow);
    const auto graupel = min(heat * model.graupel.exchange(l_g, T(1), F), q.graupel);

    const auto chance = dt * model.freezing(cold);
    const T per_drop = 1 / (model.rain.kind.density * model.droplets);
    const auto cube = l_r * l_r * l_r;
    const T of_rain =
        20 * model.pi * model.pi * model.rain.kind.intercept * model.rain.kind.density;
    const auto cloud =
        select(cold > T(40), q.cloud, min(chance * (per_drop * rho) * q.cloud * q.cloud, q.cloud));
    const auto rain = min(chance * (of_rain / rho) * cube * (cube * l_r), q.rain);
    const auto ice = select(is_warm, q.ice, T(0));
    const auto frozen = cloud + rain - (ice + snow + graupel);
    return {q.vapor,
            q.cloud - cloud + ice,
            q.rain - rain + (snow + graupel),
            q.ice - ice + cloud,
            q.snow - snow,
            q.graupel - graupel + rain,
            q.temperature + (model.fusion_heat / model.water.heat_capacity) * frozen};
  }

  /// Pcond (RH 1983 A6): cloud condenses and evaporates.
  template <class X>
  GOBAN_FUNCTION SixSpecies<X> condense(const SixSpecies<X>& q, const X& pascal) const {
    const auto q_s = model.water.saturation(q.temperature) / (T(0.01) * pascal);
    const auto more = max(model.water.condensation(q.temperature, q.vapor, q_s), -q.cloud);
    auto next = q;
    next.vapor = max(q.vapor - more, T(0));
    next.cloud = q.cloud + more;
    next.temperature = q.temperature + (model.water.latent_heat / model.water.heat_capacity) * more;
    return next;
  }

  /// All else, each amount that of a step: what species exchange.
  template <class X>
  GOBAN_FUNCTION SixSpecies<X> exchange(const SixSpecies<X>& q, const X& rho,
                                        const X& pascal) const {
    const auto cold = max(model.melting - q.temperature, T(0));
    const auto warm = max(q.temperature - model.melting, T(0));
    const auto is_cold = q.temperature < model.melting;
    const auto in_cold = [&](const auto& amount) { return select(is_cold, amount, T(0)); };
    const auto in_warm = [&](const auto& amount) { return select(is_cold, T(0), amount); };
    const auto many = snow_number<T>(q.temperature);
    const auto f = sqrt(model.density_of_fall / rho);
    const auto l_r = model.rain.kind.mean_diameter(rho * q.rain, T(1));
    const auto l_s = model.snow.kind.mean_diameter(rho * q.snow, many);
    const auto l_g = model.graupel.kind.mean_diameter(rho * q.graupel, T(1));
    const auto v_r = model.rain.fall_speed(l_r, f), v_s = model.snow.fall_speed(l_s, f),
               v_g = model.graupel.fall_speed(l_g, f);
    const auto size = model.crystal_size(rho * q.ice), v_i = model.crystal_fall(size);
    const auto sticks = exp(T(-0.07) * cold), sticks_less = exp(T(-0.09) * cold);

    // Cloud that is converted and collected: Praut; Pracw, Psacw, Pgacw (LFO 51, 24, 40).
    const auto praut = dt * model.autoconversion(q.cloud);
    const auto swept = dt * q.cloud;
    const auto pracw = swept * model.rain.collection(l_r, T(1), f);
    const auto psacw = swept * model.snow.collection(l_s, many, f);
    const auto pgacw = swept * model.graupel.collection(l_g, T(1), f);

    // Cloud ice: Praci, Psaci, Pgaci (LFO 25, 22, 41), Psaut (HDC 12).
    const auto ice = dt * q.ice;
    const auto praci = ice * model.ice_collection(model.rain, T(1), l_r, size, v_r - v_i);
    const auto psaci = ice * sticks * model.ice_collection(model.snow, many, l_s, size, v_s - v_i);
    const auto pgaci =
        ice * sticks * model.ice_collection(model.graupel, T(1), l_g, size, v_g - v_i);
    const auto psaut = max(q.ice - T(8.125e-5) / rho, T(0));

    // Rain and snow: Piacr, Psacr, Pracs, Pgacr, Pgacs, Pgaut (LFO 26, 28, 27, 42, 29, 37).
    const auto piacr = in_cold(dt * model.drops_on_crystals(l_r, rho * q.ice, f) / rho);
    const auto psacr = dt * model.capture(model.rain, l_r, model.snow, l_s, many, v_r - v_s, rho);
    const auto pgacr =
        dt * model.capture(model.rain, l_r, model.graupel, l_g, T(1), v_r - v_g, rho);
    const auto is_little = max(q.rain, q.snow) < T(1e-4), is_little_rain = q.rain < T(1e-4);
    const auto pracs =
        in_cold(select(is_little, T(0),
                       dt * model.capture(model.snow, l_s, model.rain, l_r, many, v_r - v_s, rho)));
    const auto pgacs =
        dt * sticks_less * model.capture(model.snow, l_s, model.graupel, l_g, many, v_s - v_g, rho);
    const auto pgaut = in_cold((dt * T(1e-3)) * sticks_less * max(q.snow - T(6e-4), T(0)));

    // Melting by what is collected: Pseml, Pgeml (RH 1984 A21, A22).
    const auto by_heat = (model.liquid_heat_capacity / model.fusion_heat) * warm;
    const auto pseml = by_heat * (psacw + psacr), pgeml = by_heat * (pgacw + pgacr);

    // Vapour of ice: Pidep, Psdep, Pgdep, Pigen (HDC 9, 14, 8; LFO 46).
    const auto F = model.ventilation(q.temperature, rho, pascal, f);
    const auto of_rain = model.rain.exchange(l_r, T(1), F);
    const auto of_snow = model.snow.exchange(l_s, many, F);
    const auto of_graupel = model.graupel.exchange(l_g, T(1), F);
    const T L_s = model.sublimation_heat(), L_v = model.water.latent_heat;
    const auto hectopascal = T(0.01) * pascal;
    const auto q_si = model.ice_saturation(q.temperature) / hectopascal;
    const auto q_sw = model.water.saturation(q.temperature) / hectopascal;
    const auto pull = in_cold(dt * (q.vapor / q_si - T(1)) /
                              model.resistance(q.temperature, rho, pascal, q_si, L_s));
    const auto of_ice = T(4) * size * model.crystals(rho * q.ice);
    const auto room = model.excess(q.vapor, q_si, q.temperature, L_s);
    const auto deposition =
        pull * share_that_may_leave<T>(abs(room), abs(pull) * (of_ice + of_snow + of_graupel));
    const auto pidep = deposition * of_ice, psdep = deposition * of_snow,
               pgdep = deposition * of_graupel;
    const auto nuclei = T(4.92e-11) * power(T(1e3) * exp(T(0.1) * cold), T(1.33)) / rho;
    const auto pigen =
        in_cold(min(max(nuclei - q.ice, T(0)), max(room - (pidep + psdep + pgdep), T(0))));

    // Evaporation: Prevp (HDC 14), and of what melts, Psevp, Pgevp (RH 1983 A27, 1984 A19).
    const auto lack = dt * max(T(1) - q.vapor / q_sw, T(0)) /
                      model.resistance(q.temperature, rho, pascal, q_sw, L_v);
    const auto wet = of_rain + in_warm(of_snow + of_graupel);
    const auto dry_room = max(-model.excess(q.vapor, q_sw, q.temperature, L_v), T(0));
    const auto evaporation = lack * share_that_may_leave<T>(dry_room, lack * wet);
    const auto lost_ice = max(-pidep, T(0));
    const auto lost_snow = max(-psdep, T(0)) + in_warm(evaporation * of_snow);
    const auto lost_graupel = max(-pgdep, T(0)) + in_warm(evaporation * of_graupel);
    const auto lost_rain = evaporation * of_rain;

    // No species loses more than there is.
    const auto share_c = share_that_may_leave<T>(q.cloud, praut + pracw + psacw + pgacw);
    const auto share_i = share_that_may_leave<T>(q.ice, psaut + praci + psaci + pgaci + lost_ice);
    const auto share_r =
        share_that_may_leave<T>(q.rain, piacr + in_cold(psacr + pgacr) + lost_rain);
    const auto share_s = share_that_may_leave<T>(q.snow, pracs + pgacs + pgaut + pseml + lost_snow);
    const auto share_g = share_that_may_leave<T>(q.graupel, pgeml + lost_graupel);

    const auto rimed = psacw + pgacw;
    const auto cloud_to_rain = share_c * (praut + pracw + in_warm(rimed));
    const auto cloud_to_graupel = share_c * in_cold(rimed);
    const auto ice_to_snow = share_i * (psaut + psaci + select(is_little_rain, praci, T(0)));
    const auto ice_to_graupel = share_i * (pgaci + select(is_little_rain, T(0), praci));
    const auto rain_to_snow =
        share_r * (select(is_little_rain, piacr, T(0)) + in_cold(select(is_little, psacr, T(0))));
    const auto rain_to_graupel = share_r * (select(is_little_rain, T(0), piacr) +
                                            in_cold(select(is_little, T(0), psacr) + pgacr));
    const auto snow_to_graupel = share_s * (pracs + pgacs + pgaut);
    const auto snow_to_rain = share_s * pseml, graupel_to_rain = share_g * pgeml;
    const auto to_ice = max(pidep, T(0)) + pigen - share_i * lost_ice;
    const auto to_snow = max(psdep, T(0)) - share_s * lost_snow;
    const auto to_graupel = max(pgdep, T(0)) - share_g * lost_graupel;
    const auto to_rain = -share_r * lost_rain;

    const auto deposited = to_ice + to_snow + to_graupel;
    const auto frozen = deposited + cloud_to_graupel + rain_to_snow + rain_to_graupel -
                        (snow_to_rain + graupel_to_rain);
    const T per_heat = 1 / model.water.heat_capacity;
    const auto left = [](const X& value) { return max(value, T(0)); };  // rounding
    return {left(q.vapor - (deposited + to_rain)),
            left(q.cloud - (cloud_to_rain + cloud_to_graupel)),
            left(q.rain + to_rain + cloud_to_rain + (snow_to_rain + graupel_to_rain) -
                 (rain_to_snow + rain_to_graupel)),
            left(q.ice + to_ice - (ice_to_snow + ice_to_graupel)),
            left(q.snow + to_snow + ice_to_snow + rain_to_snow - (snow_to_graupel + snow_to_rain)),
            left(q.graupel + to_graupel + cloud_to_graupel + ice_to_graupel + rain_to_graupel +
                 snow_to_graupel - graupel_to_rain),
            q.temperature + per_heat * (L_v * (deposited + to_rain) + model.fusion_heat * frozen)};
  }
};

/// Levels that the fastest species falls through in a second. Arguments: rho, pi, theta, thickness
/// [m], mixing ratios of what falls.
template <class T>
struct FallRateOfIce {
  Wsm6<T> model{};

  /// Speeds of rain, ice, snow and graupel, m/s.
  GOBAN_FUNCTION auto speeds(const auto& rho, const auto& temperature, const auto& rain,
                             const auto& ice, const auto& snow, const auto& graupel) const {
    const auto many = snow_number<T>(temperature);
    const auto f = sqrt(model.density_of_fall / rho);
    const auto of = [&](const Sweeping<T>& kind, const auto& q, const auto& n) {
      return kind.fall_speed(kind.kind.mean_diameter(rho * q, n), f);
    };
    const auto slow = model.crystal_fall(model.crystal_size(rho * ice));
    return std::array{of(model.rain, rain, T(1)), slow, of(model.snow, snow, many),
                      of(model.graupel, graupel, T(1))};
  }
  GOBAN_FUNCTION auto operator()(auto density, auto exner, auto theta, auto thickness, auto rain,
                                 auto ice, auto snow, auto graupel) const {
    const auto none = [](const auto& q) { return max(q(), T(0)); };
    const auto v =
        speeds(density(), exner() * theta(), none(rain), none(ice), none(snow), none(graupel));
    return max(max(v[0], v[1]), max(v[2], v[3])) / thickness();
  }
};

/// What falls in a sub-cycle, upwind as in FormRain. `rate`, `fallen` and `fallen_ice` are
/// those of the level at the ground: rain and all ice [kg/(m2 s), kg/m2], and ice alone. Arguments:
/// the site, rho, pi, theta, thickness [m], mixing ratios of what falls, those three, dt of the
/// sub-cycle [s], 1/dt of the step, scratch for four numbers.
template <class T>
struct FallOut {
  FallRateOfIce<T> falling{};

  GOBAN_FUNCTION void backward(auto site, auto density, auto exner, auto theta, auto thickness,
                               auto rain, auto ice, auto snow, auto graupel, auto rate, auto fallen,
                               auto fallen_ice, auto dt, auto per_step, auto s) const {
    const auto rho = density();
    const auto none = [](const auto& q) { return max(q(), T(0)); };
    const auto q_r = none(rain), q_i = none(ice), q_s = none(snow), q_g = none(graupel);
    const auto v = falling.speeds(rho, exner() * theta(), q_r, q_i, q_s, q_g);
    const auto out = [&](std::size_t n, const auto& q) {
      return rho * q * min(dt() * v[n], thickness());
    };
    const auto mass = rho * thickness();
    const auto left = [&](const auto& q, const auto& from_above, const auto& falls) {
      return max(q + (from_above - falls) / mass, T(0));
    };
    const auto r = out(0, q_r), i = out(1, q_i), f = out(2, q_s), g = out(3, q_g);
    rain = left(q_r, s[0].before(), r);
    ice = left(q_i, s[1].before(), i);
    snow = left(q_s, s[2].before(), f);
    graupel = left(q_g, s[3].before(), g);
    s[0] = r;
    s[1] = i;
    s[2] = f;
    s[3] = g;
    const auto is_ground = site.index(Axis::z) == 0;
    const auto frozen = select(is_ground, i + f + g, 0), all = select(is_ground, r, 0) + frozen;
    rate += per_step() * all;
    fallen += all;
    fallen_ice += frozen;
  }
};

/// As KesslerFields, with ice, snow and graupel, and the ice among all that has fallen [kg/m2].
template <class T>
struct Wsm6Fields {
  KesslerFields<T> warm;
  Field<T> ice, snow, graupel, fallen_ice;
};

/// Appends a step of dt [s] of all processes: species fall, in as many sub-cycles as the fastest
/// passes 0.8 of a level in, as in add_kessler; then cells form ice. Memory moved: 8 words a cell
/// and step and 13 a cell and sub-cycle to fall, 15 to form ice. Errors: of add_kessler.
template <class T>
void add_wsm6(Program& step, const Wsm6Fields<T>& fields, const Parameter<double>& dt, T seconds,
              const Wsm6<T>& model = {}) {
  const auto& [density, exner, thickness, theta, vapor, cloud, rain, rain_rate, fallen] =
      fields.warm;
  const auto& [warm, ice, snow, graupel, fallen_ice] = fields;
  const FallRateOfIce<T> falling{model};
  const Parameter<double> fall_rate("fall_rate");
  step.reduce(falling, in(density), in(exner), in(theta), in(thickness), in(rain), in(ice),
              in(snow), in(graupel), maximum, into(fall_rate));
  const Subcycles<T> cycles;
  Program cycle("fall");
  cycle.columns(Axis::z, FallOut<T>{falling}, site, in(density), in(exner), in(theta),
                in(thickness), inout(rain), inout(ice), inout(snow), inout(graupel),
                inout(rain_rate), inout(fallen), inout(fallen_ice), param(cycles.length),
                param(cycles.per_step), scratch<T, 4>);
  step.apply(Clear{}, out(rain_rate));
  cycles.add(step, dt, in(1.0), fall_rate, model.courant, cycle);
  step.apply(FormIce<T>{model, seconds}, in(density), in(exner), inout(theta), inout(vapor),
             inout(cloud), inout(rain), inout(ice), inout(snow), inout(graupel));
}

}  // namespace goban::atmosphere
