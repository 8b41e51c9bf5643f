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

template <class T>
void Outer<T>::Record::fill(const LargerModel& from,
                            const std::function<bool(Index3)>& is_near) const {
  using Value = LargerModel::Value;
  const auto scale = [&](Value value, Index3 cell) {
    return value == Value::u || value == Value::v ? from.scale(cell) : 1;
  };
  std::vector fields{theta, pressure, u, v, water[0], water[1], water[2]};
  if (w) fields.push_back(*w);
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const auto value = static_cast<Value>(n);
    Field<T>(fields[n]).fill([&, value](Index3 cell) {
      if (!is_near(cell)) return T(0);
      double all = 1;
      for (const Value one : {Value::vapor, Value::cloud, Value::rain}) {
        if (value >= Value::vapor && value <= Value::rain) all += from.at(one, cell);
      }
      return T(from.at(value, cell) * scale(value, cell) / all);
    });
  }
}

template <class T>
Outer<T>::Outer(Grid& grid, const Model& model, const Levels& levels)
    : now{grid, "larger_"},
      next{grid, "larger_next_"},
      model(std::make_shared<LargerModel>(model.sides.larger, levels, *grid.state(),
                                          model.sides.larger_time)),
      begins(model.sides.begins_as_larger),
      shown(std::make_shared<std::optional<std::size_t>>()) {
  share.set(T(this->model->share(0)));
  if (begins) now.w.emplace(grid, "larger_w"), next.w.emplace(grid, "larger_next_w");
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
  const auto is_wanted = begins && !*shown ? [](Index3) { return true; } : is_near;
  model->read(wanted, has_water);
  now.fill(*model, is_wanted);
  model->read(wanted + 1, has_water);
  next.fill(*model, is_wanted);
  *shown = wanted;
}

template <int D, class T>
AtmosphereStep<D, T>::AtmosphereStep(Grid& grid, const Model& model) : grid_(grid), model_(model) {
  const Levels levels(model, *grid.state());
  fill_levels(levels);
  if (!model.map.is_plane()) fill_map(levels);
  if (model.humidity.has_water()) fill_water(levels);
  if (water && model.shows_storms) storms = ShownStorms<T>{grid};
  if (model.has_eddies()) fill_eddies(levels);
  if (model.surface.kind != Surface::Kind::none) fill_skin(levels);
  fill_around(levels);
  const bool is_led = model.sides.have(SideKind::larger);
  if (is_led || model.sides.begins_as_larger) outer_.emplace(grid, model, levels);
  fill_state(levels);
  if (!is_led) outer_.reset();
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_levels(const Levels& levels) {
  height.fill([&](Index3 cell) { return T(levels.center(cell)); });
  stretch_.fill([&](Index3 cell) { return T(levels.stretch(cell)); });
  const auto fill_axis = [&](int axis, Field<T>& slope, Field<T>& per_stretch) {
    slope.fill([&](Index3 cell) { return T(levels.slope(axis, cell)); });
    per_stretch.fill([&](Index3 cell) {
      Index3 before = cell;
      --before[static_cast<std::size_t>(axis)];
      return T(2 / (levels.stretch(cell) + levels.stretch(before)));
    });
  };
  fill_axis(0, slope_x_, per_stretch_x_);
  fill_axis(1, slope_y_, per_stretch_y_);
  const double depth = model_.sponge_depth, lid = levels.lid(), rate = model_.sponge_rate;
  sponge_.fill([&](Index3 cell) {
    const double below = lid - levels.face(cell);
    if (below >= depth) return T(0);
    const double share = std::sin(std::numbers::pi / 2 * (1 - below / depth));
    return T(rate * share * share);
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_map(const Levels& levels) {
  map = MapFields<T>{grid_};
  volume_ = Field<T>(grid_, "volume");
  const auto area = [&](Index3 cell) {
    const double scale = levels.place(cell).scale;
    return 1 / (scale * scale);
  };
  map->area.fill([&](Index3 cell) { return T(area(cell)); });
  volume_.fill([&](Index3 cell) { return T(area(cell) * levels.stretch(cell)); });
  map->coriolis.fill([&](Index3 cell) { return T(levels.coriolis(cell)); });
  map->growth_x.fill([&](Index3 cell) { return T(levels.growth(0, cell)); });
  map->growth_y.fill([&](Index3 cell) { return T(levels.growth(1, cell)); });
  map->latitude.fill([&](Index3 cell) { return T(levels.place(cell).latitude); });
  map->longitude.fill([&](Index3 cell) { return T(levels.place(cell).longitude); });
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_eddies(const Levels& levels) {
  const Real3 h = grid_.spacing();
  const double flat = D == 3 ? h[0] * h[1] * h[2] : h[0] * h[2], power = D == 3 ? 2.0 / 3 : 1;
  const double c = model_.smagorinsky;
  eddies_ = Eddies<T>{grid_};
  eddies_->nu.fill(model_.diffusivity);
  eddies_->kappa.fill(model_.kappa());
  eddies_->square_length.fill([&](Index3 cell) {
    const double scale = levels.place(cell).scale;
    const double volume = flat * levels.stretch(cell) / (scale * scale);
    return T(c * c * std::pow(volume, power));
  });
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_skin(const Levels& levels) {
  const Surface& model = model_.surface;
  const auto fill = [&](Field<T>& field, const Surface::Map& map, double uniform,
                        double per_height = 0) {
    field.fill([&, columns = grid_.cells()[0]](Index3 cell) {
      const auto column = static_cast<std::size_t>(cell[0] + columns * cell[1]);
      return (map ? (*map)[column] : uniform) - per_height * levels.ground(cell[0], cell[1]);
    });
  };
  const bool is_sea = model.kind == Surface::Kind::sea;
  skin = Skin<T>{grid_};
  fill(skin->temperature, model.temperatures, model.temperature, model.lapse_rate);
  fill(skin->roughness, model.roughnesses, is_sea ? 0 : model.roughness);
  fill(skin->wetness, model.wetnesses, is_sea ? 1 : model.wetness);
  skin->drag.fill(0);
  skin->evaporated.fill(0);
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_around(const Levels& levels) {
  const LargeScale* all = model_.large_scale.get();
  const Sounding air_at(model_, levels.lid());
  const auto ratio = [&, moist = model_.moist_air<double>()](double z) {
    return moist.theta_ratio(air_at.vapor(z), air_at.cloud(z));
  };
  const auto fill = [&](Field<T>& field, const auto& value) {
    field.fill([&](Index3 cell) { return T(value(levels.center(cell))); });
  };
  const auto fill_wind = [&](Field<T>& field, const auto& value) {
    field.fill(
        [&](Index3 cell) { return T(levels.place(cell).scale * value(levels.center(cell))); });
  };
  if (model_.cooling_time > 0) {
    const bool is_given = all && !all->equilibrium.empty();
    fill(equilibrium_.emplace(grid_, "theta_equilibrium"), [&](double z) {
      return is_given ? all->at(all->equilibrium, z) : air_at.theta(z) / ratio(z);
    });
  }
  if (!all) return;
  const auto of = [&](const std::vector<double>& values) {
    return [&](double z) { return all->at(values, z); };
  };
  around_ = Around<T>{grid_};
  fill(around_->w, of(all->w));
  fill(around_->heating, [&](double z) { return all->at(all->heating, z) * ratio(z); });
  fill(around_->moistening, of(all->moistening));
  fill_wind(around_->u, of(all->u));
  fill_wind(around_->v, of(all->v));
}

template <int D, class T>
void AtmosphereStep<D, T>::fill_water(const Levels& levels) {
  water = Moisture<T>{grid_, model_.humidity.has_ice(), Parameter<double>("rain_dt", model_.dt)};
  water->rain_rate.fill(0);
  water->fallen_rain.fill(0);
  water->heating.fill(0);
  for (Field<T>& field : water->now.ice) field.fill(0);
  if (water->has_ice) water->fallen_ice.emplace(grid_, "fallen_ice").fill(0);
  const Sounding air_at(model_, levels.lid());
  const auto fill_share = [&](Field<T>& field, double (Sounding::*ratio)(double) const) {
    field.fill([&](Index3 cell) {
      const double z = levels.center(cell);
      return T((air_at.*ratio)(z) / (1 + air_at.vapor(z) + air_at.cloud(z)));
    });
  };
  fill_share(water->base.vapor, &Sounding::vapor);
  fill_share(water->base.cloud, &Sounding::cloud);
  water->base.rain.fill(0);
  const double ds = grid_.spacing()[2];
  water->thickness.fill([&](Index3 cell) { return T(ds * levels.stretch(cell)); });
}

/// The air at first is what the larger model says.
template <int D, class T>
void AtmosphereStep<D, T>::add_larger_start(Program& start, StartAir& air) {
  const Outer<T>& o = *outer_;
  o.show(water.has_value());
  const auto set = [&](const auto& begin, const auto&... state) {
    add(start, begin, std::tuple{out(state)...},
        std::tuple{in(mass_), in(now.density), in(base_heat_), in(base_pressure_)}, o.of_goal());
  };
  const TowardLarger<T> goal{T(model_.gamma())};
  set(BeginAs<0, TowardLarger<T>>{goal}, star_.density, star_.heat);
  start.swap(now.density, star_.density);
  start.swap(now.heat, star_.heat);
  set(BeginAs<2, TowardLarger<T>>{goal}, now.x, now.y);
  const auto set_between = [&](const auto& value, const auto& before, const auto& after,
                               const auto&... mass) {
    start.apply(Between{}, out(value), param(o.share), in(before), in(after), in(mass)...);
  };
  set_between(air.w.emplace(grid_, "start_w"), *o.now.w, *o.next.w);
  for (std::size_t n = 0; water && n < 3; ++n) {
    set_between(water->now.species(n), o.now.water[n], o.next.water[n], mass_, now.density);
  }
}

template <int D, class T>
void AtmosphereStep<D, T>::add_wind(Program& start, StartAir& air) {
  start.apply(OntoFaces<Axis::x>{}, in(air.base_u), out(base_u_));
  start.apply(OntoFaces<Axis::y>{}, in(air.base_v), out(base_v_));
  start.apply(OntoFaces<Axis::x>{}, in(air.u), in(mass_), in(now.density), out(now.x));
  start.apply(OntoFaces<Axis::y>{}, in(air.v), in(mass_), in(now.density), out(now.y));
  if (outer_ && outer_->begins) add_larger_start(start, air);
  for (const bool is_upper : {false, true}) {
    for (const Axis axis : {Axis::x, Axis::y}) {
      if (side(axis, is_upper) != SideKind::wall) continue;
      start.apply(Clear{}, inout(axis == Axis::x ? now.x : now.y)).over(side_face(axis, is_upper));
    }
  }
  add(start, AtGround<D>{}, std::tuple{site, in(now.x), in(now.y)}, slopes(),
      std::tuple{out(now.z)});
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
                in(q[2]), in(volume_), out(water->now.vapor), out(water->now.cloud),
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
  const T noise_top = T(noise.height);
  if (noise.theta > 0) {
    start.apply(AddNoise<T>{noise.theta, noise_top, 0}, site, in(height), inout(air.warmer));
  }
  if (air.water && noise.vapor > 0) {
    start.apply(AddNoise<T>{noise.vapor, noise_top, 1}, site, in(height), inout((*air.water)[0]));
  }
  start.apply(SetBase{state}, in(air.base_theta), in(air.base_p), in(volume_), out(mass_),
              out(base_heat_), out(base_pressure_));
  start.apply(SetDeviations{state}, in(air.base_theta), in(air.base_p), in(air.theta), in(air.p),
              in(air.warmer), in(air.hotter), in(volume_), out(now.density), out(now.heat));
  if (water) add_start_water(start, air);
  add_wind(start, air);
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
