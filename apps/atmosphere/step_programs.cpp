// What a step does.

#include "atmosphere/acoustic.hpp"
#include "atmosphere/measures.hpp"
#include "atmosphere/moist_cell.hpp"
#include "atmosphere/rotation.hpp"
#include "atmosphere/stencils.hpp"
#include "atmosphere/step.hpp"
#include "atmosphere/water.hpp"
#include "goban/goban.hpp"

namespace goban::atmosphere {

template <int D, class T>
std::array<T, 3> AtmosphereStep<D, T>::per_h() const {
  const Real3 h = grid_.spacing();
  return {static_cast<T>(1 / h[0]), static_cast<T>(1 / h[1]), static_cast<T>(1 / h[2])};
}

template <int D, class T>
Rates<T> AtmosphereStep<D, T>::numbers() const {
  return {per_h(), static_cast<std::int32_t>(grid_.cells()[2])};
}

template <int D, class T>
void AtmosphereStep<D, T>::add_diagnosis(Program& step, const State<T>& state) const {
  step.apply(Diagnose<D, T>{static_cast<T>(model_.gamma())}, site, in(state.density),
             in(state.heat), in(state.x), in(state.y), in(state.z), in(mass_), in(base_heat_),
             in(base_pressure_), in(stretch_), in(slope_x_), in(slope_y_), in(per_stretch_x_),
             in(per_stretch_y_), out(theta_), out(p_), out(stiffness_), out(u_), out(v_), out(w_),
             out(O_));
}

/// Adds the rates of a state that has been diagnosed.
template <int D, class T>
void AtmosphereStep<D, T>::add_rates(Program& step, const State<T>& state,
                                     bool is_first_stage) const {
  step.apply(HorizontalRate<Axis::x, D, T>{numbers()}, site, in(state.x), in(state.y), in(O_),
             in(u_), in(p_), in(stretch_), in(slope_x_), out(rate_.x));
  step.apply(HorizontalRate<Axis::y, D, T>{numbers()}, site, in(state.x), in(state.y), in(O_),
             in(v_), in(p_), in(stretch_), in(slope_y_), out(rate_.y));
  step.apply(VerticalRate<D, T>{numbers(), static_cast<T>(model_.gravity)}, site, in(state.x),
             in(state.y), in(O_), in(w_), in(p_), in(state.density), in(stretch_), out(rate_.z));
  const auto of_cells = [&](const auto& rates) {
    step.apply(rates, site, in(state.x), in(state.y), in(O_), in(theta_), out(rate_.density),
               out(rate_.heat));
  };
  if (model_.limits_theta) {
    of_cells(CellRates<D, Limit::koren, T>{numbers()});
  } else {
    of_cells(CellRates<D, Limit::none, T>{numbers()});
  }
  if (model_.rotation != 0) {
    const bool is_given = around_ && model_.large_scale->has_wind();
    const auto &u = is_given ? around_->u : base_u_, &v = is_given ? around_->v : base_v_;
    step.apply(Turn<T>{static_cast<T>(model_.rotation)}, in(state.x), in(state.y), in(mass_), in(u),
               in(v), inout(rate_.x), inout(rate_.y));
  }
  if (around_) add_forcing(step, state);
  if (eddies_) add_eddies(step, is_first_stage);
  if (water) step.apply(AddHeating{}, in(water->heating), inout(rate_.heat));
  add_sides(step, state);
}

template <int D, class T>
Program AtmosphereStep<D, T>::short_step(double dtau, const Field<T>& state_w) const {
  const double ahead = model_.ahead;
  const ImplicitStep<T> numbers{static_cast<T>(dtau),
                                static_cast<T>(ahead),
                                static_cast<T>(1 - ahead),
                                static_cast<T>(1 / ahead),
                                per_h(),
                                static_cast<T>(model_.gravity),
                                static_cast<T>(model_.divergence_damping)};
  Program step("short step");
  const Push<D, T> push{static_cast<T>(dtau), per_h()};
  const SolveColumns<D, T> solve{numbers};
  const auto add = [&](const auto& pushes, const auto& solves, const auto& sums_along,
                       const auto&... sum_through) {
    std::apply(
        [&](const auto&... sums) {
          step.apply(pushes, site, in(p_star_), in(stretch_), in(slope_x_), in(slope_y_),
                     in(rate_.x), in(rate_.y), inout(deviation_.x), inout(deviation_.y),
                     inout(sums)...);
        },
        sums_along);
    step.columns(Axis::z, solves, site, in(deviation_.x), in(deviation_.y), in(rate_.density),
                 in(rate_.heat), in(rate_.z), in(stretch_), in(slope_x_), in(slope_y_),
                 in(per_stretch_x_), in(per_stretch_y_), in(theta_), in(stiffness_), in(sponge_),
                 in(state_w), in(deviation_.z), inout(deviation_.density), inout(deviation_.heat),
                 out(next_w_), out(p_star_), inout(sum_through)..., scratch<T, 4>);
  };
  if (water) {
    add(PushAndSum<D, T>{push}, SolveColumnsAndSum<D, T>{solve},
        std::tie(water->flux_x, water->flux_y), water->flux_z);
  } else {
    add(push, solve, std::tie());
  }
  step.swap(deviation_.z, next_w_);
  return step;
}

template <int D, class T>
void AtmosphereStep<D, T>::add_short_steps(Program& step, int number, double dtau,
                                           const Field<T>& state_w) const {
  if (water) {
    step.apply(ForgetFluxes{}, out(water->flux_x), out(water->flux_y), out(water->flux_z));
  }
  step.repeat(number, short_step(dtau, state_w));
}

/// Runge, Kutta of third order as Wicker and Skamarock have it (Mon. Weather Rev. 130 (2002) 2088):
/// a third, a half and the whole of a step, each from its beginning.
template <int D, class T>
Program AtmosphereStep<D, T>::program() const {
  Program step("atmosphere");
  const int short_steps = model_.short_steps;
  if (outer_) add_larger(step);
  add_diagnosis(step, now);
  add_rates(step, now, true);
  step.apply(BeginStep{}, out(deviation_.density), out(deviation_.heat), out(deviation_.x),
             out(deviation_.y), out(deviation_.z), out(p_star_));
  add_short_steps(step, 1, model_.dt / 3, now.z);
  if (water) add_water(step, now, water->now, 1, model_.dt / 3, false);
  step.apply(EndFirstStage{}, in(now.density), in(now.heat), in(now.x), in(now.y), in(now.z),
             in(deviation_.density), in(deviation_.heat), in(deviation_.x), in(deviation_.y),
             in(deviation_.z), out(star_.density), out(star_.heat), out(star_.x), out(star_.y),
             out(star_.z));
  for (const int parts : {2, 1}) {
    add_diagnosis(step, star_);
    add_rates(step, star_, false);
    step.apply(BeginStage{}, in(now.density), in(now.heat), in(now.x), in(now.y), in(now.z),
               in(star_.density), in(star_.heat), in(star_.x), in(star_.y), in(star_.z),
               in(stiffness_), out(deviation_.density), out(deviation_.heat), out(deviation_.x),
               out(deviation_.y), out(deviation_.z), out(p_star_));
    add_short_steps(step, short_steps / parts, model_.dt / short_steps, star_.z);
    if (water && parts == 2) {
      add_water(step, star_, water->star, short_steps / 2, model_.dt / 2, false);
    } else if (water) {
      add_water(step, star_, water->star, short_steps, model_.dt, true);
    }
    step.apply(EndStage{}, in(deviation_.density), in(deviation_.heat), in(deviation_.x),
               in(deviation_.y), in(deviation_.z), inout(star_.density), inout(star_.heat),
               inout(star_.x), inout(star_.y), inout(star_.z));
  }
  const auto swap = [&](auto... members) { ((void)step.swap(now.*members, star_.*members), ...); };
  swap(&State<T>::density, &State<T>::heat, &State<T>::x, &State<T>::y, &State<T>::z);
  if (water) {
    add_water_sides(step);
    add_rain(step);
    if (around_) add_water_forcing(step);
  }
  if (skin) add_surface(step);
  return step;
}

template <int D, class T>
Program AtmosphereStep<D, T>::observation() const {
  Program observe("observation");
  add_diagnosis(observe, now);
  observe.apply(Show{}, in(u_), in(v_), in(w_), in(theta_), in(p_), in(mass_), in(base_heat_),
                out(velocity), out(theta_deviation), out(pressure_deviation));
  observe.apply(ShowAir<T>{static_cast<T>(model_.gas_constant / model_.heat_capacity)}, in(theta_),
                in(p_), in(base_pressure_), in(mass_), in(now.density), in(stretch_),
                out(air.pressure), out(air.density), out(air.theta), out(air.temperature));
  observe.reduce(Value{}, in(w_), maximum, into(largest_w));
  observe.reduce(Value{}, in(w_), minimum, into(smallest_w));
  observe.reduce(Speed{}, in(velocity), maximum, into(largest_wind)).over(ground_cells());
  observe
      .reduce(PressureBelow{model_.gravity, grid_.spacing()[2]}, in(air.pressure), in(air.density),
              in(stretch_), minimum, into(lowest_pressure))
      .over(ground_cells());
  observe.reduce(Value{}, in(theta_deviation), maximum, into(largest_theta));
  observe.reduce(Value{}, in(theta_deviation), minimum, into(smallest_theta));
  observe.reduce(Value{}, in(now.density), sum, into(added_mass));
  if (water) add_shown_water(observe);
  return observe;
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
