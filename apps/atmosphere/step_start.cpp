// How a case begins: levels, the base state, air in balance, bubbles, the wind.

#include <cmath>
#include <numbers>

#include "atmosphere/balance.hpp"
#include "atmosphere/measures.hpp"
#include "atmosphere/sides.hpp"
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
Water<T>::Water(Grid& grid, const std::string& prefix, const std::string& suffix, bool has_ice)
    : vapor(detail::field_at<T>(grid, prefix + "vapor" + suffix, Location::cell)),
      cloud(detail::field_at<T>(grid, prefix + "cloud" + suffix, Location::cell)),
      rain(detail::field_at<T>(grid, prefix + "rain" + suffix, Location::cell)) {
  if (!has_ice) return;
  for (const char* name : {"ice", "snow", "graupel"}) {
    ice.push_back(detail::field_at<T>(grid, prefix + name + suffix, Location::cell));
  }
}

template <class T>
Moisture<T>::Moisture(Grid& grid, const Model& model)
    : now(grid, "", "_density", model.humidity.has_ice()),
      ratio(grid, "", "", model.humidity.has_ice()),
      liquid_path(grid, "liquid_water_path"),
      cloud_cover(grid, "cloud_cover"),
      equivalent_theta(grid, "equivalent_theta"),
      relative_humidity(grid, "relative_humidity"),
      rain_rate(grid, "rain_rate"),
      fallen_rain(grid, "fallen_rain"),
      base(grid, "base_", "", false),
      star(grid, "star_", "_density", model.humidity.has_ice()),
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
  for (Field<T>& field : now.ice) field.fill(0);
  if (model.humidity.has_ice()) fallen_ice.emplace(grid, "fallen_ice").fill(0);
}

template <class T>
Eddies<T>::Eddies(Grid& grid)
    : nu(detail::field_at<T>(grid, "nu", Location::cell)),
      kappa(detail::field_at<T>(grid, "kappa", Location::cell)),
      square_length(detail::field_at<T>(grid, "square_length", Location::cell)) {}

template <class T>
Skin<T>::Skin(Grid& grid, const Surface& model)
    : temperature(grid, "surface_temperature"),
      roughness(grid, "roughness"),
      wetness(grid, "wetness"),
      drag(detail::field_at<T>(grid, "drag", Location::cell)),
      evaporated(grid, "evaporated") {
  const Index columns = grid.cells()[0];
  const auto fill = [&](const Field<T>& field, const Surface::Map& map, double uniform) {
    Field<T>(field).fill([&](Index3 cell) {
      if (!map) return uniform;
      return (*map)[static_cast<std::size_t>(cell[0] + columns * cell[1])];
    });
  };
  const bool is_sea = model.kind == Surface::Kind::sea;
  fill(temperature, model.temperatures, model.temperature);
  fill(roughness, model.roughnesses, is_sea ? 0 : model.roughness);
  fill(wetness, model.wetnesses, is_sea ? 1 : model.wetness);
  drag.fill(0);
  evaporated.fill(0);
}

template <class T>
Around<T>::Around(Grid& grid, const Model& model, const Levels& levels)
    : w(grid, "subsidence"),
      heating(grid, "forced_heating"),
      moistening(grid, "forced_moistening"),
      u(detail::field_at<T>(grid, "geostrophic_u", Location::face_x)),
      v(detail::field_at<T>(grid, "geostrophic_v", Location::face_y)) {
  const LargeScale& all = *model.large_scale;
  const Sounding air(model, levels.lid());
  const auto moist = model.moist_air<double>();
  const auto fill = [&](Field<T>& field, const auto& value) {
    field.fill([&](Index3 cell) { return static_cast<T>(value(levels.center(cell))); });
  };
  fill(w, [&](double z) { return all.at(all.w, z); });
  fill(heating, [&](double z) {
    return all.at(all.heating, z) * moist.theta_ratio(air.vapor(z), air.cloud(z));
  });
  fill(moistening, [&](double z) { return all.at(all.moistening, z); });
  fill(u, [&](double z) { return all.at(all.u, z); });
  fill(v, [&](double z) { return all.at(all.v, z); });
}

template <class T>
ShownAir<T>::ShownAir(Grid& grid)
    : theta(grid, "potential_temperature"),
      temperature(grid, "temperature"),
      pressure(grid, "pressure"),
      density(grid, "density") {}

template <class T>
Outer<T>::Record::Record(Grid& grid, const std::string& prefix)
    : theta(grid, prefix + "theta"),
      pressure(grid, prefix + "pressure"),
      u(grid, prefix + "u"),
      v(grid, prefix + "v"),
      water{Field<T>(grid, prefix + "vapor"), Field<T>(grid, prefix + "cloud"),
            Field<T>(grid, prefix + "rain")} {}

template <class T>
void Outer<T>::Record::fill(const LargerModel& from,
                            const std::function<bool(Index3)>& is_near) const {
  using Value = LargerModel::Value;
  const auto put = [&](Field<T> field, const auto& value) {
    field.fill([&](Index3 cell) { return static_cast<T>(is_near(cell) ? value(cell) : 0.0); });
  };
  const auto of = [&](Value value) {
    return [&from, value](Index3 cell) { return from.at(value, cell); };
  };
  put(theta, of(Value::theta));
  put(pressure, of(Value::pressure));
  put(u, of(Value::u));
  put(v, of(Value::v));
  constexpr std::array species{Value::vapor, Value::cloud, Value::rain};
  for (std::size_t n = 0; n < species.size(); ++n) {
    put(water[n], [&](Index3 cell) {
      double all = 1;
      for (const Value one : species) all += from.at(one, cell);
      return from.at(species[n], cell) / all;
    });
  }
}

template <class T>
Outer<T>::Outer(Grid& grid, const Model& model, const Levels& levels)
    : now(grid, "larger_"),
      next(grid, "larger_next_"),
      model(std::make_shared<LargerModel>(model.sides.larger, levels, *grid.state())),
      shown(std::make_shared<std::optional<std::size_t>>()) {
  is_near = [sides = model.sides, cells = grid.cells(), spacing = grid.spacing()](Index3 cell) {
    for (std::size_t a = 0; a < 2; ++a) {
      const auto rows = static_cast<Index>(std::ceil(sides.depth / spacing[a])) + 1;
      if (sides.kind[a][0] == SideKind::larger && cell[a] < rows) return true;
      if (sides.kind[a][1] == SideKind::larger && cell[a] >= cells[a] - rows) return true;
    }
    return false;
  };
}

template <class T>
void Outer<T>::show(bool has_water) const {
  const std::size_t wanted = model->before(time.value());
  if (*shown == wanted) return;
  model->read(wanted, has_water);
  now.fill(*model, is_near);
  model->read(wanted + 1, has_water);
  next.fill(*model, is_near);
  *shown = wanted;
}

template <class T>
ShownStorms<T>::ShownStorms(Grid& grid)
    : reflectivity(grid, "reflectivity"),
      composite(grid, "composite_reflectivity"),
      cape(grid, "cape"),
      cin(grid, "cin") {}

template <int D, class T>
AtmosphereStep<D, T>::AtmosphereStep(Grid& grid, const Model& model)
    : now(grid, ""),
      velocity(grid, "velocity"),
      theta_deviation(grid, "theta_deviation"),
      pressure_deviation(grid, "pressure_deviation"),
      air(grid),
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
      base_u_(detail::field_at<T>(grid, "base_u", Location::face_x)),
      base_v_(detail::field_at<T>(grid, "base_v", Location::face_y)),
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
  if (water && model.shows_storms) storms.emplace(grid);
  if (model.has_eddies()) eddies_.emplace(grid);
  if (model.surface.kind != Surface::Kind::none) skin.emplace(grid, model.surface);
  const Levels levels(model, *grid.state());
  if (model.large_scale) around_.emplace(grid, model, levels);
  if (model.sides.have(SideKind::larger)) outer_.emplace(grid, model, levels);
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
  if (eddies_) {
    const Real3 h = grid_.spacing();
    const double flat = D == 3 ? h[0] * h[1] * h[2] : h[0] * h[2], power = D == 3 ? 2.0 / 3 : 1;
    const double c = model_.smagorinsky;
    eddies_->nu.fill(model_.diffusivity);
    eddies_->kappa.fill(model_.kappa());
    eddies_->square_length.fill([&](Index3 cell) {
      return static_cast<T>(c * c * std::pow(flat * levels.stretch(cell), power));
    });
  }
  const double depth = model_.sponge_depth, lid = levels.lid(), rate = model_.sponge_rate;
  sponge_.fill([&](Index3 cell) {
    const double below = lid - levels.face(cell);
    if (below >= depth) return T(0);
    const double share = std::sin(std::numbers::pi / 2 * (1 - below / depth));
    return static_cast<T>(rate * share * share);
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::add_wind(Program& start, const StartAir& air) {
  start.apply(OntoFaces<Axis::x>{}, in(air.base_u), out(base_u_));
  start.apply(OntoFaces<Axis::y>{}, in(air.base_v), out(base_v_));
  start.apply(SetWind<Axis::x>{}, in(air.u), in(mass_), in(now.density), out(now.x));
  start.apply(SetWind<Axis::y>{}, in(air.v), in(mass_), in(now.density), out(now.y));
  for (const bool is_upper : {false, true}) {
    const auto is_wall = [&](std::size_t axis) {
      return model_.sides.kind[axis][is_upper ? 1 : 0] == SideKind::wall;
    };
    if (is_wall(0)) start.apply(Hold{}, inout(now.x)).over(side_face(Axis::x, is_upper));
    if (is_wall(1)) start.apply(Hold{}, inout(now.y)).over(side_face(Axis::y, is_upper));
  }
  start.apply(AtGround<D>{}, site, in(now.x), in(now.y), in(slope_x_), in(slope_y_),
              in(per_stretch_x_), in(per_stretch_y_), out(now.z));
  if (air.w) {
    start.apply(SetRise{}, site, in(*air.w), in(mass_), in(now.density), in(stretch_),
                inout(now.z));
  }
}

template <int D, class T>
void AtmosphereStep<D, T>::add_start_water(Program& start, const StartAir& air) {
  const auto& q = *air.water;
  const auto add = [&](const auto& set) {
    start.apply(set, in(air.theta), in(air.p), in(air.warmer), in(air.hotter), in(q[0]), in(q[1]),
                in(q[2]), in(stretch_), out(water->now.vapor), out(water->now.cloud),
                out(water->now.rain));
  };
  const StateEquation state{model_.gas_constant, model_.gamma()};
  const auto moist = model_.moist_air<double>();
  if (model_.humidity.kind == Humidity::Kind::saturated) {
    add(SetWater<true>{state, moist});
  } else {
    add(SetWater<false>{state, moist});
  }
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_state(const Levels& levels) {
  StartAir air = start_air(grid_, model_, levels);
  const StateEquation state{model_.gas_constant, model_.gamma()};
  const Balance balance{state, model_.gravity};
  Program start("start");
  if (air.water && model_.start.theta) {  // of the air, not theta_m
    const auto& q = *air.water;
    const Field<double> dry(air.theta, "start_dry_theta");
    start.swap(air.theta, dry);
    start.apply(MoistTheta<double>{model_.moist_air<double>()}, in(dry), in(q[0]), in(q[1]),
                in(q[2]), out(air.theta));
  }
  start.columns(Axis::z, balance, site, in(air.base_theta), in(air.rise), in(air.base_lowest),
                out(air.base_p), scratch<double, 2>);
  if (!model_.start.pressure) {
    start.columns(Axis::z, balance, site, in(air.theta), in(air.rise), in(air.lowest), out(air.p),
                  scratch<double, 2>);
  }
  const Noise& noise = model_.noise;
  const T noise_top = static_cast<T>(noise.height);
  if (noise.theta > 0) {
    start.apply(AddNoise<T>{noise.theta, noise_top, 0}, site, in(height), inout(air.warmer));
  }
  if (air.water && noise.vapor > 0) {
    start.apply(AddNoise<T>{noise.vapor, noise_top, 1}, site, in(height), inout((*air.water)[0]));
  }
  start.apply(SetBase{state}, in(air.base_theta), in(air.base_p), in(stretch_), out(mass_),
              out(base_heat_), out(base_pressure_));
  start.apply(SetDeviations{state}, in(air.base_theta), in(air.base_p), in(air.theta), in(air.p),
              in(air.warmer), in(air.hotter), in(stretch_), out(now.density), out(now.heat));
  add_wind(start, air);
  if (water) {
    add_start_water(start, air);
    const Sounding air_at(model_, levels.lid());
    const auto share = [&](const auto& ratio) {
      return [&, ratio](Index3 cell) {
        const double z = levels.center(cell);
        return static_cast<T>(ratio(z) / (1 + air_at.vapor(z) + air_at.cloud(z)));
      };
    };
    water->base.vapor.fill(share([&](double z) { return air_at.vapor(z); }));
    water->base.cloud.fill(share([&](double z) { return air_at.cloud(z); }));
    water->base.rain.fill(0);
    const double ds = grid_.spacing()[2];
    water->thickness.fill([&](Index3 cell) { return static_cast<T>(ds * levels.stretch(cell)); });
  }
  start.reduce(Value{}, in(mass_), sum, into(base_mass));
  StepClock clock;
  Engine(start).run(1, clock);
}

template struct Outer<float>;
template struct Outer<double>;
template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
