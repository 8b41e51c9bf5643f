#include <algorithm>
#include <cmath>

#include "goban/goban.hpp"
#include "goban/grid/box_ends.hpp"
#include "goban/stencil/curl.hpp"
#include "lbm/outflow.hpp"
#include "lbm/stencils.hpp"
#include "lbm/step.hpp"

namespace goban::lbm {
namespace detail {

template <class T>
std::array<Parameter<T>, 3> vector_parameter(const std::string& name, const Real3& value = {}) {
  return {Parameter<T>(name + "_x", static_cast<T>(value[0])),
          Parameter<T>(name + "_y", static_cast<T>(value[1])),
          Parameter<T>(name + "_z", static_cast<T>(value[2]))};
}

template <class T>
std::array<Parameter<T>, 2> excess_of_sides(const std::string& axis,
                                            const std::array<TimeValue, 2>& excess) {
  return {Parameter<T>("excess_" + axis + "_low", static_cast<T>(excess[0].at(0))),
          Parameter<T>("excess_" + axis + "_high", static_cast<T>(excess[1].at(0)))};
}

}  // namespace detail

template <class Lattice, class T, class Layout>
FlowStep<Lattice, T, Layout>::FlowStep(Grid& grid, const Model& model)
    : f(grid, "populations"),
      type(grid, "type"),
      density(grid, "density"),
      pressure(grid, "pressure"),
      velocity(grid, "velocity"),
      vorticity(grid, "vorticity"),
      viscosity(grid, "viscosity"),
      stress(grid, "viscous_stress"),
      wall_shear_stress(grid, "wall_shear_stress"),
      mass("excess_mass"),
      kinetic_energy("kinetic_energy"),
      force(detail::vector_parameter<double>("force")),
      velocity_sum(detail::vector_parameter<double>("velocity_sum")),
      next_(f, "next"),
      force_now_(detail::vector_parameter<Real>("driving_force", model.force)),
      inflow_next_(detail::vector_parameter<Real>("inflow_velocity", model.inflow_velocity)),
      wall_next_(detail::vector_parameter<Real>("wall_velocity", model.wall_velocity)),
      excess_next_{detail::excess_of_sides<Real>("x", model.excess[0]),
                   detail::excess_of_sides<Real>("y", model.excess[1]),
                   detail::excess_of_sides<Real>("z", model.excess[2])},
      model_(model) {
  require(!is_in_place<T> || model.is_all_fluid(), "walls are refused in place",
          "what bounces is read twice", "store the populations without InPlace");
  for (const FlowPlane& plane : model.planes) flow_rates.emplace_back("flow_rate_" + plane.name);
  type.boundary(model.type_boundary());
  density.boundary(model.moment_boundary());
  pressure.boundary(model.moment_boundary());
  velocity.boundary(model.moment_boundary());
  vorticity.boundary(model.moment_boundary());
  viscosity.boundary(model.moment_boundary());
  stress.boundary(model.moment_boundary());
  wall_shear_stress.boundary(model.moment_boundary());
  f.set({0, 0, 0}, {});  // takes the memory: what does not fit is refused before anything is made
  const GridState& state = *grid.state();
  Box seen;
  std::vector<std::uint8_t> types;  // of its cells
  const auto type_of = [&](Index3 cell) {
    const Index3 i = cell - seen.lower;
    return types[static_cast<std::size_t>(i[0] + seen.extent(0) * (i[1] + seen.extent(1) * i[2]))];
  };
  SolidCells solid(model.solids);
  type.fill(
      [&](Index3 cell) {
        const Position center = state.position(cell, Location::cell);
        return model.type_of(cell, state, solid.covers(cell, center));
      },
      solid.prepare());
  std::array<ImageWindow, 4> start{
      ImageWindow(model.start_velocities[0]), ImageWindow(model.start_velocities[1]),
      ImageWindow(model.start_velocities[2]), ImageWindow(model.start_density)};
  const auto populations = [&](const CellRow& row, double* const* values) {
    for (Index i = 0; i < row.count; ++i) {
      const Index3 cell = row.index(i);
      const std::uint8_t kind = type_of(cell);
      const bool is_fluid = kind == cell::fluid || kind == cell::outflow;
      Real3 u = model.velocity_at(cell, kind, state.cells);
      for (std::size_t a = 0; a < 3 && is_fluid; ++a) {
        if (start[a]) u[a] = start[a].at(cell) / model.speed_unit();
      }
      Moments<double> m{0, 1, {u[0], u[1], u[2]}, 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])};
      if (is_fluid) {
        m.excess = start[3] ? start[3].at(cell) / model.density_unit - 1
                            : model.excess_at(cell, state.cells);
      }
      m.rho = 1 + m.excess;
      for (int q = 0; q < Lattice::size; ++q) {
        values[q][i] = 0;
        if (is_fluid) {
          values[q][i] = equilibrium<Lattice>(m, q);
        } else if (q > 0) {
          values[q][i] = 6 * Lattice::weight(q) * along<Lattice>(m.u, q);
        } else if (model.drive && kind == cell::inflow) {
          values[q][i] = model.inflow_profile(cell, state.cells);
        }
      }
    }
  };
  f.fill(populations, [&](const Box& box) {
    types = type.copy_out_own(box);
    seen = box;
    for (ImageWindow& field : start) {
      if (field) field.show(box);
    }
  });
}

template <class Lattice, class T, class Layout>
template <class Use>
void FlowStep<Lattice, T, Layout>::with_collision(Use use) const {
  const double omega = 1 / model_.tau;
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Rheology rheology = model_.scaled_rheology();
  switch (rheology.kind) {
    case Rheology::Kind::newton: break;
    case Rheology::Kind::carreau_yasuda:
      return use(Rheological<CarreauYasuda<Real>, Real>{
          {real(rheology.zero), real(rheology.infinite), real(rheology.time), real(rheology.power),
           real(rheology.exponent)},
          real(model_.magic)});
    case Rheology::Kind::casson:
      return use(Rheological<Casson<Real>, Real>{
          {real(rheology.viscosity), real(rheology.yield), real(rheology.largest)},
          real(model_.magic)});
  }
  switch (model_.collision) {
    case Model::Collision::bgk: use(Bgk<Real>{static_cast<Real>(omega)}); break;
    case Model::Collision::trt:
      use(Trt<Real>{static_cast<Real>(omega), static_cast<Real>(odd_rate(omega, model_.magic))});
      break;
    case Model::Collision::smagorinsky:
      use(Smagorinsky<Real>{
          static_cast<Real>(model_.tau),
          static_cast<Real>(18 * std::sqrt(2.0) * model_.smagorinsky * model_.smagorinsky)});
      break;
  }
}

/// Sets what this step needs of a drive that varies. What bounces meets its wall in the middle of
/// the next step.
template <class Lattice, class T, class Layout>
void FlowStep<Lattice, T, Layout>::follow_drive(Program& step) const {
  if (!model_.drive) return;
  const double dt = model_.time_unit;
  const auto ahead = [dt](const TimeValue& value) {
    return [value, dt](double time) { return value.at(time + 1.5 * dt); };
  };
  for (std::size_t a = 0; a < 3; ++a) {
    step.follow(force_now_[a], model_.drive->force[a]);
    step.follow(inflow_next_[a], ahead(model_.drive->inflow_velocity[a]));
    step.follow(wall_next_[a], ahead(model_.drive->wall_velocity[a]));
  }
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::program() const {
  Program step("lbm");
  follow_drive(step);
  const Parameter<Real>&fx = force_now_[0], &fy = force_now_[1], &fz = force_now_[2];
  with_collision([&]<class Collision>(const Collision& collision) {
    const StreamCollide<Lattice, Collision> all_fluid{collision};
    if (model_.is_all_fluid() && !model_.is_driven()) {
      step.apply(all_fluid, in(f), out(next_));
    } else if constexpr (is_in_place<T>) {
      step.apply(all_fluid, in(f), out(next_), param(fx), param(fy), param(fz));
    } else if (model_.drive) {
      step.apply(StreamBounceCollideNow<Lattice, Collision>{collision}, in(f), in(type), out(next_),
                 param(fx), param(fy), param(fz), param(inflow_next_[0]), param(inflow_next_[1]),
                 param(inflow_next_[2]), param(wall_next_[0]), param(wall_next_[1]),
                 param(wall_next_[2]));
    } else {
      BodyForce<Real> driven{{fx.value(), fy.value(), fz.value()}};
      step.apply(StreamBounceCollide<Lattice, Collision, Real>{collision, driven}, in(f), in(type),
                 out(next_));
    }
  });
  if constexpr (!is_in_place<T>) add_open_sides(step);
  step.swap(f, next_);
  return step;
}

template <class Lattice, class T, class Layout>
void FlowStep<Lattice, T, Layout>::add_open_sides(Program& step) const {
  const Index3 cells = f.grid()->cells;
  const Parameter<Real>&fx = force_now_[0], &fy = force_now_[1], &fz = force_now_[2];
  for (int a = 0; a < Lattice::dimensions; ++a) {
    for (const Side side : both_sides) {
      const Edge edge = model_.edges[a][index_of(side)];
      if (edge != Edge::outflow && edge != Edge::pressure) continue;
      const TimeValue& excess = model_.excess[a][index_of(side)];
      const Parameter<Real>& next = excess_next_[a][index_of(side)];
      if (excess.varies()) {
        const double dt = model_.time_unit;
        step.follow(next, [excess, dt](double time) { return excess.at(time + dt); });
      }
      const LetOut<Lattice, Real> let_out{all_axes[a], side == Side::high, edge == Edge::pressure,
                                          static_cast<Real>(model_.viscosity())};
      step.apply(let_out, in(f), in(type), out(next_), param(next), param(fx), param(fy), param(fz))
          .over(end_of({{0, 0, 0}, cells}, a, side));
    }
  }
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::observation() const {
  Curl<Real> curl;
  curl.scale.fill(static_cast<Real>(0.5 / model_.length_unit));
  Program program("observation");
  const double speed = model_.speed_unit();
  const Parameter<Real>&fx = force_now_[0], &fy = force_now_[1], &fz = force_now_[2];
  program.apply(Observe<Lattice, Real>{static_cast<Real>(speed),
                                       static_cast<Real>(model_.density_unit * speed * speed / 3)},
                in(f), in(type), out(density), out(pressure), out(velocity), param(fx), param(fy),
                param(fz));
  program.apply(curl, in(velocity), out(vorticity));
  return program;
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::shear() const {
  Program program("shear");
  const double speed = model_.speed_unit();
  const Parameter<Real>&fx = force_now_[0], &fy = force_now_[1], &fz = force_now_[2];
  with_collision([&]<class Collision>(const Collision& collision) {
    program.apply(
        ObserveStress<Lattice, Collision, Real>{
            collision, static_cast<Real>(model_.density_unit * speed * speed),
            static_cast<Real>(model_.length_unit * speed)},
        in(f), in(type), out(viscosity), out(stress), param(fx), param(fy), param(fz));
  });
  program.apply(ShearWall<Lattice>{}, in(stress), in(type), out(wall_shear_stress));
  return program;
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::balance() const {
  Program program("balance");
  const Parameter<Real>&fx = force_now_[0], &fy = force_now_[1], &fz = force_now_[2];
  const auto sum_of = [&](const auto& functor, const Parameter<double>& sum) {
    return program.reduce(functor, in(f), in(type), param(fx), param(fy), param(fz), goban::sum,
                          into(sum));
  };
  const auto along = [](std::size_t axis) {
    std::array<Real, 3> direction{};
    direction[axis] = 1;
    return direction;
  };
  program.reduce(ExcessMass<Lattice>{}, in(f), in(type), goban::sum, into(mass));
  sum_of(KineticEnergy<Lattice>{}, kinetic_energy);
  for (std::size_t a = 0; a < Lattice::dimensions; ++a) {
    sum_of(VelocityAlong<Lattice, Real>{along(a)}, velocity_sum[a]);
  }
  for (std::size_t n = 0; n < model_.planes.size(); ++n) {
    const FlowPlane& plane = model_.planes[n];
    const auto axis = static_cast<std::size_t>(index_of(plane.axis));
    Box cut{{0, 0, 0}, f.grid()->cells};
    cut.lower[axis] = plane.index;
    cut.upper[axis] = plane.index + 1;
    sum_of(VelocityAlong<Lattice, Real>{along(axis)}, flow_rates[n]).over(cut);
  }
  if constexpr (!is_in_place<T>) {
    if (!model_.has_obstacles()) return program;
    with_collision([&]<class Collision>(const Collision& collision) {
      for (std::size_t a = 0; a < Lattice::dimensions; ++a) {
        sum_of(PushObstacle<Lattice, Collision, Real>{collision, along(a)}, force[a]);
      }
    });
  }
  return program;
}

template class FlowStep<D2Q9, float, ijk>;
template class FlowStep<D2Q9, float, kij>;
template class FlowStep<D2Q9, double, ijk>;
template class FlowStep<D2Q9, double, kij>;
template class FlowStep<D2Q9, half, ijk>;
template class FlowStep<D3Q19, float, ijk>;
template class FlowStep<D3Q19, float, kij>;
template class FlowStep<D3Q19, double, ijk>;
template class FlowStep<D3Q19, double, kij>;
template class FlowStep<D3Q19, half, ijk>;
template class FlowStep<D3Q19, InPlace<float>, ijk>;
template class FlowStep<D3Q19, InPlace<double>, ijk>;
template class FlowStep<D3Q19, InPlace<half>, ijk>;

}  // namespace goban::lbm
