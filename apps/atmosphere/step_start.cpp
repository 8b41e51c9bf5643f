// How a case begins: levels, the base state, air in balance, bubbles, the wind.

#include <cmath>
#include <numbers>

#include "atmosphere/balance.hpp"
#include "atmosphere/measures.hpp"
#include "atmosphere/sounding.hpp"
#include "atmosphere/stencils.hpp"
#include "atmosphere/step.hpp"
#include "goban/goban.hpp"

namespace goban::atmosphere {
namespace detail {

/// The grid's, but for what lies beyond the lid and the ground.
inline BoundarySet beyond_lid(const Grid& grid, const BoundaryCondition& condition) {
  BoundarySet sides = grid.state()->boundary;
  for (const Side side : both_sides) sides.at(Axis::z, side) = condition;
  return sides;
}

template <class T>
Field<T> field_at(Grid& grid, const std::string& name, Location location,
                  const BoundaryCondition& beyond = mirror) {
  const BoundarySet sides = beyond_lid(grid, beyond);
  return Field<T>(grid, name, {.location = location, .boundary = &sides});
}

}  // namespace detail

template <class T>
State<T>::State(Grid& grid, const std::string& prefix)
    : density(detail::field_at<T>(grid, prefix + "density_deviation", Location::cell)),
      heat(detail::field_at<T>(grid, prefix + "heat_deviation", Location::cell)),
      x(detail::field_at<T>(grid, prefix + "momentum_x", Location::face_x)),
      y(detail::field_at<T>(grid, prefix + "momentum_y", Location::face_y)),
      z(detail::field_at<T>(grid, prefix + "momentum_z", Location::cell, constant(0))) {}

template <class T>
Water<T>::Water(Grid& grid, const std::string& prefix, const std::string& suffix)
    : vapor(detail::field_at<T>(grid, prefix + "vapor" + suffix, Location::cell)),
      cloud(detail::field_at<T>(grid, prefix + "cloud" + suffix, Location::cell)),
      rain(detail::field_at<T>(grid, prefix + "rain" + suffix, Location::cell)) {}

template <class T>
Moisture<T>::Moisture(Grid& grid, const Model& model)
    : now(grid, "", "_density"),
      ratio(grid, "", ""),
      equivalent_theta(grid, "equivalent_theta"),
      rain_rate(grid, "rain_rate"),
      fallen_rain(grid, "fallen_rain"),
      star(grid, "star_", "_density"),
      flux_x(detail::field_at<T>(grid, "flux_x", Location::face_x)),
      flux_y(detail::field_at<T>(grid, "flux_y", Location::face_y)),
      flux_z(detail::field_at<T>(grid, "flux_z", Location::cell, constant(0))),
      share(detail::field_at<T>(grid, "share", Location::cell)),
      heating(grid, "heating"),
      dry_density(grid, "dry_density"),
      exner(grid, "exner"),
      thickness(grid, "thickness"),
      theta(grid, "dry_theta"),
      dt("rain_dt", model.dt) {
  rain_rate.fill(0);
  fallen_rain.fill(0);
  heating.fill(0);
}

template <int D, class T>
AtmosphereStep<D, T>::AtmosphereStep(Grid& grid, const Model& model)
    : now(grid, ""),
      velocity(grid, "velocity"),
      theta_deviation(grid, "theta_deviation"),
      pressure(grid, "pressure_deviation"),
      height(grid, "height"),
      grid_(grid),
      model_(model),
      star_(grid, "star_"),
      deviation_(grid, "deviation_"),
      rate_(grid, "rate_"),
      next_w_(deviation_.z, "next_deviation_z"),
      stretch_(detail::field_at<T>(grid, "stretch", Location::cell)),
      slope_x_(detail::field_at<T>(grid, "slope_x", Location::face_x, constant(0))),
      slope_y_(detail::field_at<T>(grid, "slope_y", Location::face_y, constant(0))),
      per_stretch_x_(detail::field_at<T>(grid, "per_stretch_x", Location::face_x)),
      per_stretch_y_(detail::field_at<T>(grid, "per_stretch_y", Location::face_y)),
      mass_(detail::field_at<T>(grid, "base_density", Location::cell)),
      base_heat_(detail::field_at<T>(grid, "base_heat", Location::cell)),
      base_pressure_(detail::field_at<T>(grid, "base_pressure", Location::cell)),
      sponge_(detail::field_at<T>(grid, "sponge", Location::cell)),
      theta_(detail::field_at<T>(grid, "theta", Location::cell)),
      p_(detail::field_at<T>(grid, "p", Location::cell)),
      stiffness_(detail::field_at<T>(grid, "stiffness", Location::cell)),
      u_(detail::field_at<T>(grid, "u", Location::face_x)),
      v_(detail::field_at<T>(grid, "v", Location::face_y)),
      w_(detail::field_at<T>(grid, "w", Location::cell, constant(0))),
      O_(detail::field_at<T>(grid, "O", Location::cell, constant(0))),
      p_star_(detail::field_at<T>(grid, "p_star", Location::cell)) {
  if (model.humidity.has_water()) water.emplace(grid, model);
  const Levels levels(model, *grid.state());
  fill_levels(levels);
  fill_state(levels);
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_levels(const Levels& levels) {
  height.fill([&](Index3 cell) { return static_cast<T>(levels.center(cell)); });
  stretch_.fill([&](Index3 cell) { return static_cast<T>(levels.stretch(cell)); });
  const auto fill_axis = [&](int axis, Field<T>& slope, Field<T>& per_stretch) {
    slope.fill([&](Index3 cell) { return static_cast<T>(levels.slope(axis, cell)); });
    per_stretch.fill([&](Index3 cell) {
      Index3 before = cell;
      --before[static_cast<std::size_t>(axis)];
      return static_cast<T>(2 / (levels.stretch(cell) + levels.stretch(before)));
    });
  };
  fill_axis(0, slope_x_, per_stretch_x_);
  fill_axis(1, slope_y_, per_stretch_y_);
  const double depth = model_.sponge_depth, lid = levels.lid(), rate = model_.sponge_rate;
  sponge_.fill([&](Index3 cell) {
    const double below = lid - levels.face(cell);
    if (below >= depth) return T(0);
    const double share = std::sin(std::numbers::pi / 2 * (1 - below / depth));
    return static_cast<T>(rate * share * share);
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_state(const Levels& levels) {
  const auto numbers = [&](const std::string& name, const auto& value) {
    Field<double> field(grid_, name);
    field.fill([&](Index3 cell) -> double { return value(cell); });
    return field;
  };
  const Model& model = model_;
  const Sounding air_at(model, levels.lid());
  const auto base_theta =
      numbers("start_base_theta", [&](Index3 cell) { return air_at.theta(levels.center(cell)); });
  const auto theta = numbers(
      "start_theta", [&](Index3 cell) { return air_at.theta(levels.center(cell)) + model.warmer; });
  const auto rise = numbers("start_rise", [&](Index3 cell) {
    return levels.center(cell) - levels.center({cell[0], cell[1], cell[2] - 1});
  });
  const auto lowest = [&](double warmer) {
    return [&, warmer](Index3 cell) {
      return cell[2] == 0 ? air_at.pressure(levels.center(cell), warmer) : 0;
    };
  };
  const auto base_lowest = numbers("start_base_lowest", lowest(0));
  const auto own_lowest = numbers("start_lowest", lowest(model.warmer));
  const auto bubbles = [&](bool is_temperature) {
    return [&, is_temperature](Index3 cell) {
      const Position at = grid_.state()->position(cell, Location::cell);
      double sum = 0;
      for (const Bubble& bubble : model.bubbles) {
        if ((bubble.of == Bubble::Of::temperature) != is_temperature) continue;
        const double z = levels.center(cell), excess = bubble.at(at.x, at.y, z, levels.lid());
        sum += bubble.of == Bubble::Of::buoyancy ? excess * air_at.theta(z) / 300 : excess;
      }
      return sum;
    };
  };
  const auto warmer = numbers("start_warmer", bubbles(false));
  const auto hotter = numbers("start_hotter", bubbles(true));
  const Field<double> base_p(grid_, "start_base_pressure"), p(grid_, "start_pressure");

  const StateEquation air{model.gas_constant, model.gamma()};
  const Balance balance{air, model.gravity};
  Program start("start");
  start.columns(Axis::z, balance, site, in(base_theta), in(rise), in(base_lowest), out(base_p),
                scratch<double, 2>);
  start.columns(Axis::z, balance, site, in(theta), in(rise), in(own_lowest), out(p),
                scratch<double, 2>);
  start.apply(SetBase{air}, in(base_theta), in(base_p), in(stretch_), out(mass_), out(base_heat_),
              out(base_pressure_));
  start.apply(SetDeviations{air}, in(base_theta), in(base_p), in(theta), in(p), in(warmer),
              in(hotter), in(stretch_), out(now.density), out(now.heat));
  start.apply(SetWind<Axis::x, T>{static_cast<T>(model.wind[0])}, in(mass_), in(now.density),
              out(now.x));
  start.apply(SetWind<Axis::y, T>{static_cast<T>(model.wind[1])}, in(mass_), in(now.density),
              out(now.y));
  start.apply(AtGround<D>{}, site, in(now.x), in(now.y), in(slope_x_), in(slope_y_),
              in(per_stretch_x_), in(per_stretch_y_), out(now.z));
  if (water) {
    const auto vapor =
        numbers("start_vapor", [&](Index3 cell) { return air_at.vapor(levels.center(cell)); });
    const auto cloud =
        numbers("start_cloud", [&](Index3 cell) { return air_at.cloud(levels.center(cell)); });
    const auto add = [&](const auto& set) {
      start.apply(set, in(theta), in(p), in(warmer), in(hotter), in(vapor), in(cloud), in(stretch_),
                  out(water->now.vapor), out(water->now.cloud), out(water->now.rain));
    };
    const auto moist = model.moist_air<double>();
    if (model.humidity.kind == Humidity::Kind::saturated) {
      add(SetWater<true>{air, moist});
    } else {
      add(SetWater<false>{air, moist});
    }
    const double ds = grid_.spacing()[2];
    water->thickness.fill([&](Index3 cell) { return static_cast<T>(ds * levels.stretch(cell)); });
  }
  start.reduce(Value{}, in(mass_), sum, into(base_mass));
  StepClock clock;
  Engine(start).run(1, clock);
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
