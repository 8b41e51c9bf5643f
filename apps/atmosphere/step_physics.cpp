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
    const Smagorinsky<D, T> viscosity{
        per_h(), static_cast<T>(model_.gravity), static_cast<T>(model_.diffusivity),
        static_cast<T>(model_.kappa()), static_cast<T>(0.4 / model_.dt)};
    step.apply(viscosity, in(u_), in(v_), in(w_), in(theta_), in(stretch_), in(e.square_length),
               out(e.nu), out(e.kappa));
  }
  if (is_first_stage && model_.surface.mixes) {
    const BoundaryLayer<T> mixing{static_cast<T>(grid_.spacing()[2]), static_cast<T>(1 / model_.dt),
                                  static_cast<T>(model_.diffusivity)};
    step.columns(Axis::z, mixing, site, in(skin->drag), in(base_pressure_), in(stretch_), out(e.nu),
                 out(e.kappa), scratch<T, 1>);
  }
  const auto levels = static_cast<std::int32_t>(grid_.cells()[2]);
  const auto spread = [&](const auto& functor, const Field<T>& rate) {
    step.apply(functor, site, in(u_), in(v_), in(w_), in(base_u_), in(base_v_), in(mass_),
               in(stretch_), in(e.nu), inout(rate));
  };
  spread(SpreadMomentum<Axis::x, D, T>{per_h(), levels, base_share()}, rate_.x);
  spread(SpreadMomentum<Axis::y, D, T>{per_h(), levels, base_share()}, rate_.y);
  spread(SpreadMomentum<Axis::z, D, T>{per_h(), levels, base_share()}, rate_.z);
  step.apply(SpreadHeat<D, T>{per_h(), base_share()}, in(theta_), in(mass_), in(base_heat_),
             in(stretch_), in(e.kappa), inout(rate_.heat));
}

/// add.template operator()<axis, is_upper>() of all sides along x and, in space, y.
template <int D, class T>
template <class F>
void AtmosphereStep<D, T>::for_sides(const F& add) const {
  add.template operator()<Axis::x, false>();
  add.template operator()<Axis::x, true>();
  if constexpr (D == 3) {
    add.template operator()<Axis::y, false>();
    add.template operator()<Axis::y, true>();
  }
}

template <int D, class T>
void AtmosphereStep<D, T>::add_sides(Program& step, const State<T>& state) const {
  for_sides([&]<Axis A, bool IsUpper>() { add_side<A, IsUpper>(step, state); });
}

template <int D, class T>
Box AtmosphereStep<D, T>::side_face(Axis axis, bool is_upper) const {
  const int a = index_of(axis);
  Box face = grid_.state()->domain(axis == Axis::x ? Location::face_x : Location::face_y);
  (is_upper ? face.lower : face.upper)[a] = is_upper ? face.upper[a] - 1 : 1;
  return face;
}

/// The cells less than model.sides.depth away from a side.
template <int D, class T>
Box AtmosphereStep<D, T>::side_strip(Axis axis, bool is_upper) const {
  const int a = index_of(axis);
  Box strip = grid_.state()->domain(Location::cell);
  const double rows = std::ceil(model_.sides.depth / grid_.spacing()[static_cast<std::size_t>(a)]);
  const Index cells = std::min(static_cast<Index>(rows), strip.upper[a]);
  if (is_upper) {
    strip.lower[a] = strip.upper[a] - cells;
  } else {
    strip.upper[a] = cells;
  }
  return strip;
}

template <int D, class T>
template <Axis A, bool IsUpper>
auto AtmosphereStep<D, T>::nearness() const {
  const auto a = static_cast<std::size_t>(index_of(A));
  return Nearness<A, IsUpper, T>{static_cast<T>(model_.sides.rate),
                                 static_cast<T>(grid_.spacing()[a] / model_.sides.depth),
                                 static_cast<std::int32_t>(grid_.cells()[a])};
}

template <int D, class T>
template <Axis A, bool IsUpper>
void AtmosphereStep<D, T>::add_side(Program& step, const State<T>& state) const {
  const auto a = static_cast<std::size_t>(index_of(A));
  const SideKind kind = model_.sides.kind[a][IsUpper ? 1 : 0];
  if (kind == SideKind::periodic) return;
  if (kind == SideKind::larger) {
    const auto &here = outer_->now, &there = outer_->next;
    const RelaxToLarger<A, IsUpper, T> relax{nearness<A, IsUpper>(),
                                             static_cast<T>(model_.gamma())};
    step.apply(relax, site, in(state.density), in(state.heat), in(state.x), in(state.y),
               in(state.z), in(mass_), in(base_heat_), in(base_pressure_), in(stretch_),
               in(here.theta), in(here.pressure), in(here.u), in(here.v), in(there.theta),
               in(there.pressure), in(there.u), in(there.v), param(outer_->share),
               inout(rate_.density), inout(rate_.heat), inout(rate_.x), inout(rate_.y),
               inout(rate_.z))
        .over(side_strip(A, IsUpper));
  } else if (kind != SideKind::wall && model_.sides.depth > 0) {
    step.apply(Relax<A, IsUpper, T>{nearness<A, IsUpper>()}, site, in(state.density),
               in(state.heat), in(state.x), in(state.y), in(state.z), in(mass_), in(stretch_),
               in(base_u_), in(base_v_), inout(rate_.density), inout(rate_.heat), inout(rate_.x),
               inout(rate_.y), inout(rate_.z))
        .over(side_strip(A, IsUpper));
  }
  const auto& [u, base, rate] =
      A == Axis::x ? std::tie(u_, base_u_, rate_.x) : std::tie(v_, base_v_, rate_.y);
  if (kind == SideKind::open) {
    const Radiate<A, IsUpper, T> radiate{per_h()[a], static_cast<T>(model_.sides.wave_speed)};
    step.apply(radiate, in(u), in(base), in(mass_), in(state.density), out(rate))
        .over(side_face(A, IsUpper));
  } else if (kind == SideKind::larger) {
    const auto& [momentum, here, there] = A == Axis::x
                                              ? std::tie(state.x, outer_->now.u, outer_->next.u)
                                              : std::tie(state.y, outer_->now.v, outer_->next.v);
    step.apply(BringIn<A, IsUpper, T>{static_cast<T>(1 / model_.dt)}, in(momentum), in(mass_),
               in(state.density), in(here), in(there), param(outer_->share), out(rate))
        .over(side_face(A, IsUpper));
  } else {
    step.apply(Hold{}, out(rate)).over(side_face(A, IsUpper));
  }
}

template <int D, class T>
template <Axis A, bool IsUpper>
void AtmosphereStep<D, T>::add_water_side(Program& step) const {
  const SideKind kind = model_.sides.kind[static_cast<std::size_t>(index_of(A))][IsUpper ? 1 : 0];
  if (kind == SideKind::periodic || kind == SideKind::wall || model_.sides.depth == 0) return;
  const auto all = water->now.all(), base = water->base_shares();
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (kind == SideKind::larger && n < 3) {
      const RelaxWaterToLarger<A, IsUpper, T> relax{nearness<A, IsUpper>(),
                                                    static_cast<T>(model_.dt)};
      step.apply(relax, site, in(mass_), in(now.density), in(outer_->now.water[n]),
                 in(outer_->next.water[n]), param(outer_->share), inout(all[n]))
          .over(side_strip(A, IsUpper));
      continue;
    }
    step.apply(RelaxWater<A, IsUpper, T>{nearness<A, IsUpper>(), static_cast<T>(model_.dt)}, site,
               in(mass_), in(now.density), in(base[n]), inout(all[n]))
        .over(side_strip(A, IsUpper));
  }
}

template <int D, class T>
void AtmosphereStep<D, T>::add_water_sides(Program& step) const {
  for_sides([&]<Axis A, bool IsUpper>() { add_water_side<A, IsUpper>(step); });
}

/// Has the records before and after each step in place, which files give the host.
template <int D, class T>
void AtmosphereStep<D, T>::add_larger(Program& step) const {
  const Outer<T>& o = *outer_;
  step.follow(o.time, [](double time) { return time; });
  step.follow(o.share, [model = o.model](double time) { return model->share(time); });
  const auto &a = o.now, &b = o.next;
  step.call([o, has_water = water.has_value()] { o.show(has_water); }, std::tie(),
            std::tie(a.theta, a.pressure, a.u, a.v, a.water[0], a.water[1], a.water[2], b.theta,
                     b.pressure, b.u, b.v, b.water[0], b.water[1], b.water[2]));
}

template <int D, class T>
Box AtmosphereStep<D, T>::ground_cells() const {
  Box ground = grid_.state()->domain(Location::cell);
  ground.upper[2] = 1;
  return ground;
}

template <int D, class T>
void AtmosphereStep<D, T>::add_surface(Program& step) const {
  const Surface& surface = model_.surface;
  const auto air = model_.moist_air<T>();
  const T dt = static_cast<T>(model_.dt), ds = static_cast<T>(grid_.spacing()[2]);
  const Box ground = ground_cells();
  const Skin<T>& s = *skin;
  const auto exchange = [&]<class Law>(const Law& law) {
    const Exchange<Law, T> dry{law, air, ds};
    const auto apply = [&](const auto& functor, const auto&... fields) {
      step.apply(functor, in(now.x), in(now.y), in(mass_), in(base_heat_), in(stretch_), fields...)
          .over(ground);
    };
    if (!water) {
      apply(dry, in(now.density), in(s.temperature), in(s.roughness), in(s.wetness),
            inout(now.heat), inout(s.drag));
      return;
    }
    const Water<T>& q = water->now;
    q.with_ice([&](const auto&... ice) {
      apply(ExchangeVapor<Law, T>{dry}, inout(now.density), in(s.temperature), in(s.roughness),
            in(s.wetness), in(q.cloud), in(q.rain), inout(now.heat), inout(q.vapor), inout(s.drag),
            inout(s.evaporated), ice...);
    });
  };
  if (surface.kind == Surface::Kind::fluxes) {
    exchange(GivenFluxes<T>{static_cast<T>(surface.heat_flux), static_cast<T>(surface.vapor_flux),
                            static_cast<T>(surface.friction_velocity * surface.friction_velocity),
                            dt});
  } else {
    exchange(BulkFormulas<T>{air, dt, static_cast<T>(model_.gravity)});
  }
  step.apply(Brake<Axis::x>{}, in(s.drag), inout(now.x)).over(ground);
  step.apply(Brake<Axis::y>{}, in(s.drag), inout(now.y)).over(ground);
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

/// The same to water, by the mixing ratios that rain leaves.
template <int D, class T>
void AtmosphereStep<D, T>::add_water_forcing(Program& step) const {
  const Around<T>& a = *around_;
  const Moisture<T>& w = *water;
  const T dt = static_cast<T>(model_.dt), per_ds = per_h()[2];
  const auto now_all = w.now.all(), ratio = w.ratio.all();
  const auto air = model_.moist_air<T>();
  const ForceWater<T> force{dt, per_ds};
  step.apply(ForceVapor<T>{force, air.vapor_gas_constant / air.gas_constant}, in(ratio[0]),
             in(theta_), in(w.theta), in(w.dry_density), in(stretch_), in(a.w), in(a.moistening),
             inout(now.density), inout(now.heat), inout(now_all[0]));
  for (std::size_t n = 1; n < now_all.size(); ++n) {
    step.apply(force, in(ratio[n]), in(theta_), in(w.dry_density), in(stretch_), in(a.w),
               inout(now.density), inout(now.heat), inout(now_all[n]));
  }
}

template class AtmosphereStep<2, float>;
template class AtmosphereStep<2, double>;
template class AtmosphereStep<3, float>;
template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
