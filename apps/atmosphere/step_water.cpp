// What a step does with water.

#include "atmosphere/clouds.hpp"
#include "atmosphere/ice.hpp"
#include "atmosphere/measures.hpp"
#include "atmosphere/moist_cell.hpp"
#include "atmosphere/parcel.hpp"
#include "atmosphere/radar.hpp"
#include "atmosphere/step.hpp"
#include "atmosphere/water.hpp"
#include "goban/goban.hpp"

namespace goban::atmosphere {

/// Carries water to the end of a stage, from the water with which the step began, by the mixing
/// ratios of the stage's state; the last stage leaves no water below zero.
template <int D, class T>
void AtmosphereStep<D, T>::add_water(Program& step, const State<T>& state, const Water<T>& from,
                                     int short_steps, double dt, bool is_last) const {
  const Moisture<T>& w = *water;
  const T share = static_cast<T>(1.0 / short_steps);
  step.apply(MeanAlongLevels<T>{share}, in(state.x), in(state.y), inout(w.flux_x), inout(w.flux_y));
  step.apply(MeanThroughLevels<D, T>{share}, site, in(state.z), in(w.flux_x), in(w.flux_y),
             in(slope_x_), in(slope_y_), in(per_stretch_x_), in(per_stretch_y_), inout(w.flux_z));
  step.apply(ShareOfMass{}, in(from.vapor), in(from.cloud), in(from.rain), in(mass_),
             in(state.density), out(w.ratio.vapor), out(w.ratio.cloud), out(w.ratio.rain));
  if (model_.humidity.has_ice()) {
    const auto &q = from.ice, &share_of = w.ratio.ice;
    step.apply(ShareOfMass{}, in(q[0]), in(q[1]), in(q[2]), in(mass_), in(state.density),
               out(share_of[0]), out(share_of[1]), out(share_of[2]));
  }
  const Real3 h = grid_.spacing();
  const WaterFlux<D, T> flux{
      {static_cast<T>(dt / h[0]), static_cast<T>(dt / h[1]), static_cast<T>(dt / h[2])},
      per_h(),
      static_cast<std::int32_t>(grid_.cells()[2] - 1),
      base_share()};
  const auto now = w.now.all(), ratio = w.ratio.all(), next = w.star.all(), base = w.base_shares();
  const auto carry = [&](std::size_t n, const auto&... eddies) {
    if (is_last) {
      step.apply(LimitOutflow<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(now[n]), out(w.share), in(eddies)...);
      step.apply(CarryPositive<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(w.share), in(now[n]), out(next[n]), in(eddies)...);
      step.swap(now[n], next[n]);
    } else {
      step.apply(CarryWater<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(now[n]), out(next[n]), in(eddies)...);
    }
  };
  for (std::size_t n = 0; n < now.size(); ++n) {
    if (eddies_) {
      carry(n, eddies_->kappa, mass_, stretch_, base[n]);
    } else {
      carry(n);
    }
  }
}

/// Rain and ice, and the heat of them, which the next step's rates take up.
template <int D, class T>
void AtmosphereStep<D, T>::add_rain(Program& step) const {
  const Moisture<T>& w = *water;
  const SplitAir<T> split{model_.moist_air<T>()};
  w.now.with_ice([&](const auto&... ice) {
    step.apply(BeginRain<T>{split, static_cast<T>(model_.dt)}, in(mass_), in(base_heat_),
               in(stretch_), in(now.density), in(w.now.vapor), in(w.now.cloud), in(w.now.rain),
               in(w.heating), inout(now.heat), out(w.dry_density), out(w.exner), out(w.theta),
               out(w.ratio.vapor), out(w.ratio.cloud), out(w.ratio.rain), ice...);
  });
  Kessler<T> kessler;
  kessler.heat_capacity = static_cast<T>(model_.heat_capacity);
  kessler.exner_exponent = static_cast<T>(model_.gas_constant / model_.heat_capacity);
  if (model_.humidity.rain == Humidity::Rain::none) {
    kessler.autoconversion_rate = 0;
    kessler.accretion_rate = 0;
  }
  const KesslerFields<T> fields{w.dry_density, w.exner,       w.thickness,
                                w.theta,       w.ratio.vapor, w.ratio.cloud,
                                w.ratio.rain,  w.rain_rate,   w.fallen_rain};
  if (model_.humidity.has_ice()) {
    add_ice_ratios(step);
    const auto& ice = w.ratio.ice;
    add_wsm6<T>(step, {fields, ice[0], ice[1], ice[2], *w.fallen_ice}, w.dt,
                static_cast<T>(model_.dt), {kessler});
  } else {
    add_kessler<T>(step, fields, w.dt, kessler);
  }
  w.now.with_ice([&](const auto&... ice) {
    step.apply(EndRain<T>{split, static_cast<T>(1 / model_.dt)}, in(mass_), in(base_heat_),
               in(w.theta), in(w.ratio.vapor), in(w.ratio.cloud), in(w.ratio.rain),
               inout(now.density), inout(now.heat), inout(w.now.vapor), inout(w.now.cloud),
               inout(w.now.rain), out(w.heating), ice...);
  });
  if (!model_.humidity.has_ice()) return;
  const auto &q = w.ratio.ice, &ice = w.now.ice;
  step.apply(EndIce{}, in(mass_), in(q[0]), in(q[1]), in(q[2]), in(w.now.vapor), in(w.now.cloud),
             in(w.now.rain), inout(now.density), inout(ice[0]), inout(ice[1]), inout(ice[2]));
}

template <int D, class T>
void AtmosphereStep<D, T>::add_ice_ratios(Program& program) const {
  const Water<T>&now_water = water->now, &ratio = water->ratio;
  now_water.with_ice([&](const auto&... ice) {
    if constexpr (sizeof...(ice) == 3) {
      program.apply(IceRatios{}, in(mass_), in(now.density), in(now_water.vapor),
                    in(now_water.cloud), in(now_water.rain), ice..., out(ratio.ice[0]),
                    out(ratio.ice[1]), out(ratio.ice[2]));
    }
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::add_shown_water(Program& observe) const {
  const Moisture<T>& w = *water;
  w.now.with_ice([&](const auto&... ice) {
    observe.apply(ShowWater<T>{{model_.moist_air<T>()}, {}}, in(mass_), in(base_heat_),
                  in(stretch_), in(now.density), in(now.heat), in(w.now.vapor), in(w.now.cloud),
                  in(w.now.rain), out(w.ratio.vapor), out(w.ratio.cloud), out(w.ratio.rain),
                  out(w.equivalent_theta), out(w.relative_humidity), out(air.theta),
                  out(air.temperature), ice...);
    observe.reduce(SumOfWater{}, in(w.now.vapor), in(w.now.cloud), in(w.now.rain), ice..., sum,
                   into(w.water));
  });
  if (w.fallen_ice) add_ice_ratios(observe);
  const Real3 h = grid_.spacing();
  const auto levels = static_cast<std::int32_t>(grid_.cells()[2]);
  observe.columns(Axis::z, LookThrough<T>{static_cast<T>(h[2]), levels}, site, in(w.now.cloud),
                  in(w.now.rain), in(w.ratio.cloud), out(w.liquid_path), out(w.cloud_cover),
                  scratch<T, 2>);
  observe.reduce(Value{}, in(w.liquid_path), sum, into(w.all_liquid)).over(ground_cells());
  observe.reduce(Value{}, in(w.cloud_cover), sum, into(w.all_cover)).over(ground_cells());
  const double lid = levels * h[2];
  observe.reduce(HeightOfCloud{lid}, in(w.ratio.cloud), in(height), minimum, into(w.cloud_base));
  observe.reduce(HeightOfCloud{0}, in(w.ratio.cloud), in(height), maximum, into(w.cloud_top));
  if (skin) observe.reduce(Value{}, in(skin->evaporated), sum, into(evaporated));
  observe.reduce(Value{}, in(w.fallen_rain), sum, into(w.fallen));
  observe.reduce(Value{}, in(w.ratio.cloud), maximum, into(w.largest_cloud));
  observe.reduce(Value{}, in(w.ratio.rain), maximum, into(w.largest_rain));
  observe.reduce(Value{}, in(w.equivalent_theta), maximum, into(w.largest_equivalent));
  observe.reduce(Value{}, in(w.equivalent_theta), minimum, into(w.smallest_equivalent));
}

template <int D, class T>
Program AtmosphereStep<D, T>::storm_observation() const {
  Program observe("storms");
  const Moisture<T>& w = *water;
  const auto levels = static_cast<std::int32_t>(grid_.cells()[2]);
  const auto see = [&](const auto&... ice) {
    observe.columns(Axis::z, SeeColumns<T>{levels}, site, in(w.now.rain), in(stretch_),
                    in(air.temperature), out(storms->reflectivity), out(storms->composite),
                    scratch<T, 1>, ice...);
  };
  if (w.fallen_ice) {
    see(in(w.now.ice[1]), in(w.now.ice[2]));
  } else {
    see();
  }
  observe.columns(Axis::z, LiftParcel<T>{static_cast<T>(model_.gravity), levels}, site,
                  in(air.pressure), in(air.temperature), in(w.ratio.vapor), in(height),
                  out(storms->cape), out(storms->cin), scratch<T, 7>);
  return observe;
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
