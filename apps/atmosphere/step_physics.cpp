// What a step does beside the dynamics of dry air: eddies, sides, ground and sea.

#include <cmath>

#include "atmosphere/boundary_layer.hpp"
#include "atmosphere/forcing.hpp"
#include "atmosphere/sides.hpp"
#include "atmosphere/step.hpp"
#include "atmosphere/surface.hpp"
#include "atmosphere/turbulence.hpp"
#include "goban/goban.hpp"

namespace goban::atmosphere {

template <int D, class T>
void AtmosphereStep<D, T>::add_eddies(Program& step, bool is_first_stage) const {
  const Eddies<T>& e = *eddies_;
  if (is_first_stage && model_.smagorinsky > 0) {
    const Smagorinsky<D, T> viscosity{per_h(), T(model_.gravity), T(model_.diffusivity),
                                      T(model_.kappa()), T(0.4 / model_.dt)};
    with_area([&](const auto&... area) {
      step.apply(viscosity, in(u_), in(v_), in(w_), in(theta_), in(stretch_), in(e.square_length),
                 out(e.nu), out(e.kappa), area...);
    });
  }
  if (is_first_stage && model_.surface.mixes) {
    const BoundaryLayer<T> mixing{T(grid_.spacing()[2]), T(1 / model_.dt), T(model_.diffusivity)};
    step.columns(Axis::z, mixing, site, in(skin->drag), in(base_pressure_), in(stretch_), out(e.nu),
                 out(e.kappa), scratch<T, 1>);
  }
  const auto spread = [&](const auto& functor, const Field<T>& rate) {
    with_area([&](const auto&... area) {
      step.apply(functor, site, in(u_), in(v_), in(w_), in(base_u_), in(base_v_), in(mass_),
                 in(stretch_), in(e.nu), inout(rate), area...);
    });
  };
  spread(SpreadMomentum<Axis::x, D, T>{per_h(), levels(), base_share()}, rate_.x);
  spread(SpreadMomentum<Axis::y, D, T>{per_h(), levels(), base_share()}, rate_.y);
  spread(SpreadMomentum<Axis::z, D, T>{per_h(), levels(), base_share()}, rate_.z);
  with_area([&](const auto&... area) {
    step.apply(SpreadHeat<D, T>{per_h(), base_share()}, in(theta_), in(mass_), in(base_heat_),
               in(stretch_), in(e.kappa), inout(rate_.heat), area...);
  });
}

/// Sides along x and, in space, y: of a state, or of water at the end of a step.
template <int D, class T>
void AtmosphereStep<D, T>::add_sides(Program& step, const State<T>& state, bool is_of_water) const {
  const auto add = [&]<Axis A, bool IsUpper>() {
    is_of_water ? add_water_side<A, IsUpper>(step) : add_side<A, IsUpper>(step, state);
  };
  add.template operator()<Axis::x, false>();
  add.template operator()<Axis::x, true>();
  if constexpr (D == 3) {
    add.template operator()<Axis::y, false>();
    add.template operator()<Axis::y, true>();
  }
}

/// The cells less than model.sides.depth away from a side.
template <int D, class T>
Box AtmosphereStep<D, T>::side_strip(Axis axis, bool is_upper) const {
  const int a = index_of(axis);
  Box strip = grid_.state()->domain(Location::cell);
  const double rows = std::ceil(model_.sides.depth / grid_.spacing()[static_cast<std::size_t>(a)]);
  const Index cells = std::min(static_cast<Index>(rows), strip.upper[a]);
  (is_upper ? strip.lower : strip.upper)[a] = is_upper ? strip.upper[a] - cells : cells;
  return strip;
}

template <int D, class T>
template <Axis A, bool IsUpper>
auto AtmosphereStep<D, T>::nearness() const {
  const auto a = static_cast<std::size_t>(index_of(A));
  return Nearness<A, IsUpper, T>{T(model_.sides.rate), T(grid_.spacing()[a] / model_.sides.depth),
                                 static_cast<std::int32_t>(grid_.cells()[a])};
}

template <int D, class T>
template <Axis A, bool IsUpper>
void AtmosphereStep<D, T>::add_side(Program& step, const State<T>& state) const {
  const SideKind kind = side(A, IsUpper);
  if (kind == SideKind::periodic) return;
  const auto relax = [&](const auto& goal, const auto&... of_goal) {
    add(step,
        Relax<decltype(nearness<A, IsUpper>()), std::decay_t<decltype(goal)>>{
            nearness<A, IsUpper>(), goal},
        std::tuple{site}, state.read(), rate_.change(), std::tuple{in(stretch_), in(mass_)},
        of_goal...)
        .over(side_strip(A, IsUpper));
  };
  const auto choose = [](const auto& x, const auto& y) -> const auto& {
    return A == Axis::x ? x : y;
  };
  const Field<T>& rate = choose(rate_.x, rate_.y);
  const Box face = side_face(A, IsUpper);
  if (kind == SideKind::larger) {
    const auto &a = outer_->now, &b = outer_->next;
    relax(TowardLarger<T>{T(model_.gamma())}, std::tuple{in(base_heat_), in(base_pressure_)},
          outer_->of_goal());
    step.apply(BringIn<A, IsUpper, T>{T(1 / model_.dt)}, in(choose(state.x, state.y)), in(mass_),
               in(state.density), in(choose(a.u, a.v)), in(choose(b.u, b.v)), param(outer_->share),
               out(rate))
        .over(face);
    return;
  }
  if (kind != SideKind::wall && model_.sides.depth > 0) {
    relax(TowardBase{}, std::tuple{in(base_u_), in(base_v_)});
  }
  if (kind == SideKind::open) {
    const Radiate<A, IsUpper, T> radiate{per_h()[index_of(A)], T(model_.sides.wave_speed)};
    step.apply(radiate, in(choose(u_, v_)), in(choose(base_u_, base_v_)), in(mass_),
               in(state.density), out(rate))
        .over(face);
  } else {
    step.apply(Clear{}, out(rate)).over(face);
  }
}

template <int D, class T>
template <Axis A, bool IsUpper>
void AtmosphereStep<D, T>::add_water_side(Program& step) const {
  const SideKind kind = side(A, IsUpper);
  if (kind == SideKind::periodic || kind == SideKind::wall || model_.sides.depth == 0) return;
  const auto all = water->now.all(), base = water->base_shares();
  const RelaxWater<Nearness<A, IsUpper, T>, T> relax{nearness<A, IsUpper>(), T(model_.dt)};
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto toward = [&](const auto&... q) {
      step.apply(relax, site, in(mass_), in(now.density), inout(all[n]), q...)
          .over(side_strip(A, IsUpper));
    };
    if (kind == SideKind::larger && n < 3) {
      toward(param(outer_->share), in(outer_->now.water[n]), in(outer_->next.water[n]));
    } else {
      toward(in(base[n]));
    }
  }
}

/// Has the records before and after each step in place, which files give the host.
template <int D, class T>
void AtmosphereStep<D, T>::add_larger(Program& step) const {
  const Outer<T>& o = *outer_;
  step.follow(o.time, [](double time) { return time; });
  step.follow(o.share, [model = o.model](double time) { return model->share(time); });
  const auto all = [](const auto& r) {
    return std::tie(r.theta, r.pressure, r.u, r.v, r.water[0], r.water[1], r.water[2]);
  };
  step.call([o, has_water = water.has_value()] { o.show(has_water); }, std::tie(),
            std::tuple_cat(all(o.now), all(o.next)));
}

template <int D, class T>
void AtmosphereStep<D, T>::add_surface(Program& step) const {
  const Surface& surface = model_.surface;
  const auto air = model_.moist_air<T>();
  const T dt = T(model_.dt), ds = T(grid_.spacing()[2]);
  const Box ground = ground_cells();
  const Skin<T>& s = *skin;
  const auto exchange = [&]<class Law>(const Law& law) {
    const auto apply = [&](const auto& density, const auto&... others) {
      with_area([&](const auto&... area) {
        step.apply(Exchange<Law, T, (sizeof...(area) > 0)>{law, air, ds}, in(now.x), in(now.y),
                   in(mass_), in(base_heat_), in(stretch_), density, in(s.temperature),
                   in(s.roughness), in(s.wetness), inout(now.heat), others..., area...)
            .over(ground);
      });
    };
    if (!water) return apply(in(now.density), inout(s.drag));
    const Water<T>& q = water->now;
    q.with_species([&]<std::size_t... n>(std::index_sequence<0, n...>) {
      apply(inout(now.density), inout(q.vapor), inout(s.drag), inout(s.evaporated),
            in(q.species(n))...);
    });
  };
  if (surface.kind == Surface::Kind::fluxes) {
    exchange(GivenFluxes<T>{T(surface.heat_flux), T(surface.vapor_flux),
                            T(surface.friction_velocity * surface.friction_velocity), dt});
  } else {
    exchange(BulkFormulas<T>{air, dt, T(model_.gravity)});
  }
  step.apply(Brake<Axis::x>{}, in(s.drag), inout(now.x)).over(ground);
  step.apply(Brake<Axis::y>{}, in(s.drag), inout(now.y)).over(ground);
  if (model_.terrain.shape != Terrain::Shape::none) {
    // In short steps W of the ground follows what pushes U and V alone.
    add(step, AtGround<D>{}, std::tuple{site, in(now.x), in(now.y)}, slopes(),
        std::tuple{out(now.z)})
        .over(ground);
  }
}

/// What happens in the air around, to wind and heat.
template <int D, class T>
void AtmosphereStep<D, T>::add_forcing(Program& step, const State<T>& state) const {
  const Around<T>& a = *around_;
  const T per_ds = per_h()[2];
  step.apply(ForceWind<Axis::x, T>{per_ds}, in(u_), in(mass_), in(state.density), in(stretch_),
             in(a.w), inout(rate_.x));
  step.apply(ForceWind<Axis::y, T>{per_ds}, in(v_), in(mass_), in(state.density), in(stretch_),
             in(a.w), inout(rate_.y));
  step.apply(ForceHeat<T>{per_ds}, in(theta_), in(mass_), in(state.density), in(stretch_), in(a.w),
             in(a.heating), inout(rate_.heat));
}

template <int D, class T>
void AtmosphereStep<D, T>::add_cooling(Program& step, const State<T>& state,
                                       bool is_first_stage) const {
  const auto air = model_.moist_air<T>();
  const CoolDown<T> cool{T(1 / model_.cooling_time), air.vapor_gas_constant / air.gas_constant};
  const auto apply = [&](const auto&... water) {
    step.apply(cool, in(state.density), in(state.heat), in(mass_), in(base_heat_),
               in(*equilibrium_), inout(rate_.heat), water...);
  };
  if (!water) return apply();
  const Water<T>& q = is_first_stage ? water->now : water->star;
  q.with_species([&](auto species) { std::apply(apply, q.read(species)); });
}

/// What happens around to water, by the mixing ratios that rain leaves.
template <int D, class T>
void AtmosphereStep<D, T>::add_water_forcing(Program& step) const {
  const Around<T>& a = *around_;
  const Moisture<T>& w = *water;
  const T dt = T(model_.dt), per_ds = per_h()[2];
  const auto now_all = w.now.all(), ratio = w.ratio.all();
  const auto air = model_.moist_air<T>();
  const ForceWater<T> force{dt, per_ds};
  with_area([&](const auto&... area) {
    step.apply(ForceVapor<T>{force, air.vapor_gas_constant / air.gas_constant}, in(ratio[0]),
               in(theta_), in(w.theta), in(w.dry_density), in(stretch_), in(a.w), in(a.moistening),
               inout(now.density), inout(now.heat), inout(now_all[0]), area...);
    for (std::size_t n = 1; n < now_all.size(); ++n) {
      step.apply(force, in(ratio[n]), in(theta_), in(w.dry_density), in(stretch_), in(a.w),
                 inout(now.density), inout(now.heat), inout(now_all[n]), area...);
    }
  });
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
