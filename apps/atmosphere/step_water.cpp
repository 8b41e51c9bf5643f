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
  const T share = T(1.0 / short_steps);
  step.apply(MeanAlongLevels<T>{share}, in(state.x), in(state.y), inout(w.flux_x), inout(w.flux_y));
  add(step, MeanThroughLevels<D, T>{share},
      std::tuple{site, in(state.z), in(w.flux_x), in(w.flux_y)}, slopes(),
      std::tuple{inout(w.flux_z)});
  from.with_species([&](auto species) {
    add(step, ShareOfMass{}, std::tuple{in(mass_), in(state.density)}, from.read(species),
        w.ratio.set(species));
  });
  const WaterFlux<D, T> flux{per_h(dt), per_h(), levels() - 1, base_share()};
  const auto now = w.now.all(), ratio = w.ratio.all(), next = w.star.all(), base = w.base_shares();
  const auto carry = [&](std::size_t n, const auto&... eddies) {
    const auto apply = [&](const auto& functor, const auto&... fields) {
      step.apply(functor, site, in(w.flux_x), in(w.flux_y), in(w.flux_z), in(ratio[n]), in(now[n]),
                 fields..., in(eddies)...);
    };
    if (is_last) {
      apply(LimitOutflow<D, T>{flux}, out(w.share));
      apply(CarryWater<D, true, T>{flux}, in(w.share), out(next[n]));
      step.swap(now[n], next[n]);
    } else {
      apply(CarryWater<D, false, T>{flux}, in(w.share), out(next[n]));
    }
  };
  for (std::size_t n = 0; n < now.size(); ++n) {
    if (eddies_ && map) {
      carry(n, eddies_->kappa, mass_, stretch_, base[n], map->area);
    } else if (eddies_) {
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
  w.now.with_species([&](auto species) {
    add(step, BeginRain<T>{split, T(model_.dt)},
        std::tuple{in(mass_), in(base_heat_), in(volume_), in(now.density), in(w.heating),
                   inout(now.heat), out(w.dry_density), out(w.exner), out(w.theta)},
        w.now.read(species), w.ratio.set(species));
  });
  Kessler<T> kessler;
  kessler.heat_capacity = T(model_.heat_capacity);
  kessler.exner_exponent = T(model_.gas_constant / model_.heat_capacity);
  if (model_.humidity.rain == Humidity::Rain::none) {
    kessler.autoconversion_rate = 0;
    kessler.accretion_rate = 0;
  }
  const KesslerFields<T> fields{w.dry_density, w.exner,       w.thickness,
                                w.theta,       w.ratio.vapor, w.ratio.cloud,
                                w.ratio.rain,  w.rain_rate,   w.fallen_rain};
  if (w.has_ice) {
    const auto& ice = w.ratio.ice;
    add_wsm6<T>(step, {fields, ice[0], ice[1], ice[2], *w.fallen_ice}, w.dt, T(model_.dt),
                {kessler});
  } else {
    add_kessler<T>(step, fields, w.dt, kessler);
  }
  w.now.with_species([&](auto species) {
    add(step, EndRain<T>{split, T(1 / model_.dt)},
        std::tuple{in(mass_), in(base_heat_), in(w.theta), inout(now.density), inout(now.heat),
                   out(w.heating)},
        w.now.change(species), w.ratio.read(species));
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::add_shown_water(Program& observe) const {
  const Moisture<T>& w = *water;
  w.now.with_species([&](auto species) {
    add(observe, ShowWater<T>{{model_.moist_air<T>()}},
        std::tuple{in(mass_), in(base_heat_), in(volume_), in(now.density), in(now.heat),
                   out(w.equivalent_theta), out(w.relative_humidity), out(air.theta),
                   out(air.temperature)},
        w.now.read(species), w.ratio.set(species));
    std::apply([&](const auto&... q) { observe.reduce(SumOfWater{}, q..., sum, into(w.water)); },
               w.now.read(species));
  });
  const double ds = grid_.spacing()[2];
  with_area([&](const auto&... area) {
    observe.columns(Axis::z, LookThrough<T>{T(ds), levels()}, site, in(w.now.cloud), in(w.now.rain),
                    in(w.ratio.cloud), out(w.liquid_path), out(w.cloud_cover), scratch<T, 2>,
                    area...);
    if (skin) observe.reduce(Value{}, in(skin->evaporated), area..., sum, into(evaporated));
    observe.reduce(Value{}, in(w.fallen_rain), area..., sum, into(w.fallen));
  });
  observe.reduce(Value{}, in(w.liquid_path), sum, into(w.all_liquid)).over(ground_cells());
  observe.reduce(Value{}, in(w.cloud_cover), sum, into(w.all_cover)).over(ground_cells());
  observe.reduce(HeightOfCloud{levels() * ds}, in(w.ratio.cloud), in(height), minimum,
                 into(w.cloud_base));
  observe.reduce(HeightOfCloud{0}, in(w.ratio.cloud), in(height), maximum, into(w.cloud_top));
  observe.reduce(Value{}, in(w.ratio.cloud), maximum, into(w.largest_cloud));
  observe.reduce(Value{}, in(w.ratio.rain), maximum, into(w.largest_rain));
  observe.reduce(Value{}, in(w.equivalent_theta), maximum, into(w.largest_equivalent));
  observe.reduce(Value{}, in(w.equivalent_theta), minimum, into(w.smallest_equivalent));
}

template <int D, class T>
Program AtmosphereStep<D, T>::storm_observation() const {
  Program observe("storms");
  const Moisture<T>& w = *water;
  const auto see = [&](const auto&... ice) {
    observe.columns(Axis::z, SeeColumns<T>{levels()}, site, in(w.now.rain), in(volume_),
                    in(air.temperature), out(storms->reflectivity), out(storms->composite),
                    scratch<T, 1>, ice...);
  };
  if (w.fallen_ice) {
    see(in(w.now.ice[1]), in(w.now.ice[2]));
  } else {
    see();
  }
  observe.columns(Axis::z, LiftParcel<T>{T(model_.gravity), levels()}, site, in(air.pressure),
                  in(air.temperature), in(w.ratio.vapor), in(height), out(storms->cape),
                  out(storms->cin), scratch<T, 7>);
  return observe;
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
