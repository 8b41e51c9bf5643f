// What a step does with water.

#include "atmosphere/measures.hpp"
#include "atmosphere/moist_cell.hpp"
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
  const Real3 h = grid_.spacing();
  const WaterFlux<D, T> flux{
      {static_cast<T>(dt / h[0]), static_cast<T>(dt / h[1]), static_cast<T>(dt / h[2])},
      static_cast<std::int32_t>(grid_.cells()[2] - 1)};
  const auto now = w.now.all(), ratio = w.ratio.all(), next = w.star.all();
  for (std::size_t n = 0; n < now.size(); ++n) {
    if (is_last) {
      step.apply(LimitOutflow<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(now[n]), out(w.share));
      step.apply(CarryPositive<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(w.share), in(now[n]), out(next[n]));
      step.swap(now[n], next[n]);
    } else {
      step.apply(CarryWater<D, T>{flux}, site, in(w.flux_x), in(w.flux_y), in(w.flux_z),
                 in(ratio[n]), in(now[n]), out(next[n]));
    }
  }
}

/// Warm rain, and the heat of it, which the next step's rates take up.
template <int D, class T>
void AtmosphereStep<D, T>::add_rain(Program& step) const {
  const Moisture<T>& w = *water;
  const SplitAir<T> split{model_.moist_air<T>()};
  step.apply(BeginRain<T>{split, static_cast<T>(model_.dt)}, in(mass_), in(base_heat_),
             in(stretch_), in(now.density), in(w.now.vapor), in(w.now.cloud), in(w.now.rain),
             in(w.heating), inout(now.heat), out(w.dry_density), out(w.exner), out(w.theta),
             out(w.ratio.vapor), out(w.ratio.cloud), out(w.ratio.rain));
  Kessler<T> kessler;
  kessler.heat_capacity = static_cast<T>(model_.heat_capacity);
  kessler.exner_exponent = static_cast<T>(model_.gas_constant / model_.heat_capacity);
  if (!model_.humidity.rains) {
    kessler.autoconversion_rate = 0;
    kessler.accretion_rate = 0;
  }
  add_kessler<T>(step,
                 {w.dry_density, w.exner, w.thickness, w.theta, w.ratio.vapor, w.ratio.cloud,
                  w.ratio.rain, w.rain_rate, w.fallen_rain},
                 w.dt, kessler);
  step.apply(EndRain<T>{split, static_cast<T>(1 / model_.dt)}, in(mass_), in(base_heat_),
             in(w.theta), in(w.ratio.vapor), in(w.ratio.cloud), in(w.ratio.rain),
             inout(now.density), inout(now.heat), inout(w.now.vapor), inout(w.now.cloud),
             inout(w.now.rain), out(w.heating));
}

template <int D, class T>
void AtmosphereStep<D, T>::add_shown_water(Program& observe) const {
  const Moisture<T>& w = *water;
  observe.apply(ShowWater<T>{{model_.moist_air<T>()}}, in(mass_), in(base_heat_), in(stretch_),
                in(now.density), in(now.heat), in(w.now.vapor), in(w.now.cloud), in(w.now.rain),
                out(w.ratio.vapor), out(w.ratio.cloud), out(w.ratio.rain), out(w.equivalent_theta));
  observe.reduce(SumOfWater{}, in(w.now.vapor), in(w.now.cloud), in(w.now.rain), sum,
                 into(w.water));
  observe.reduce(Value{}, in(w.fallen_rain), sum, into(w.fallen));
  observe.reduce(Value{}, in(w.ratio.cloud), maximum, into(w.largest_cloud));
  observe.reduce(Value{}, in(w.ratio.rain), maximum, into(w.largest_rain));
  observe.reduce(Value{}, in(w.equivalent_theta), maximum, into(w.largest_equivalent));
  observe.reduce(Value{}, in(w.equivalent_theta), minimum, into(w.smallest_equivalent));
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
