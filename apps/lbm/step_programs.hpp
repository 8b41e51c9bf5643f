#pragma once
// What FlowStep does; the sources step_*.cpp share it among them, one lattice and precision each.

#include <algorithm>
#include <cmath>

#include "goban/goban.hpp"
#include "lbm/stencils.hpp"
#include "lbm/step.hpp"

namespace goban::lbm {

template <class Lattice, class T, class Layout>
FlowStep<Lattice, T, Layout>::FlowStep(Grid& grid, const Model& model)
    : f(grid, "populations"),
      type(grid, "type"),
      density(grid, "density"),
      pressure(grid, "pressure"),
      velocity(grid, "velocity"),
      vorticity(grid, "vorticity"),
      mass("excess_mass"),
      kinetic_energy("kinetic_energy"),
      force{Parameter<double>("force_x"), Parameter<double>("force_y"),
            Parameter<double>("force_z")},
      next_(f, "next"),
      model_(model) {
  require(!is_in_place<T> || model.is_all_fluid(), "walls are refused in place",
          "what bounces is read twice", "store the populations without InPlace");
  type.boundary(model.type_boundary());
  density.boundary(model.moment_boundary());
  pressure.boundary(model.moment_boundary());
  velocity.boundary(model.moment_boundary());
  vorticity.boundary(model.moment_boundary());
  f.set({0, 0, 0}, {});  // takes the memory: what does not fit is refused before anything is made
  const GridState& state = *grid.state();
  Box seen;
  std::vector<std::uint8_t> types;  // of its cells
  const auto type_of = [&](Index3 cell) {
    const Index3 i = cell - seen.lower;
    return types[static_cast<std::size_t>(i[0] + seen.extent(0) * (i[1] + seen.extent(1) * i[2]))];
  };
  std::vector<ImageWindow> solids;
  for (const auto& solid : model.solids) solids.emplace_back(solid);
  const auto is_in_solid = [&](Index3 cell) {
    return std::any_of(solids.begin(), solids.end(),
                       [&](const ImageWindow& solid) { return solid.at(cell) != 0; });
  };
  const auto show = [&](const Box& box) {
    for (ImageWindow& solid : solids) solid.show(box);
  };
  type.fill([&](Index3 cell) { return model.type_of(cell, state, is_in_solid(cell)); },
            solids.empty() ? BoxFunction() : show);
  std::array<ImageWindow, 4> start{
      ImageWindow(model.start_velocities[0]), ImageWindow(model.start_velocities[1]),
      ImageWindow(model.start_velocities[2]), ImageWindow(model.start_density)};
  const auto populations = [&](const CellRow& row, double* const* values) {
    for (Index i = 0; i < row.count; ++i) {
      const Index3 cell = row.index(i);
      const std::uint8_t kind = type_of(cell);
      Real3 u = model.velocity_at(cell, kind, state.cells);
      for (std::size_t a = 0; a < 3 && kind == cell::fluid; ++a) {
        if (start[a]) u[a] = start[a].at(cell) / model.speed_unit();
      }
      Moments<double> m{0, 1, {u[0], u[1], u[2]}, 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])};
      if (kind == cell::fluid) {
        m.excess = start[3] ? start[3].at(cell) / model.density_unit - 1
                            : model.excess_at(cell, state.cells);
      }
      m.rho = 1 + m.excess;
      unroll<Lattice::size>([&](auto q) {
        values[q][i] = 0;
        if (kind == cell::fluid) {
          values[q][i] = equilibrium<Lattice, q>(m);
        } else if constexpr (q > 0) {
          values[q][i] = 6 * Lattice::weight(q) * along<Lattice, q>(m.u);
        }
      });
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

template <class Lattice, class T, class Layout>
BodyForce<ArithmeticOf<T>> FlowStep<Lattice, T, Layout>::body_force() const {
  BodyForce<Real> driven;
  for (std::size_t a = 0; a < 3; ++a) driven.density[a] = static_cast<Real>(model_.force[a]);
  return driven;
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::program() const {
  Program step("lbm");
  with_collision([&]<class Collision>(const Collision& collision) {
    if (model_.is_all_fluid() && !model_.is_driven()) {
      step.apply(StreamCollide<Lattice, Collision>{collision, {}}, in(f), out(next_));
    } else if constexpr (is_in_place<T>) {
      step.apply(StreamCollide<Lattice, Collision, BodyForce<Real>>{collision, body_force()}, in(f),
                 out(next_));
    } else {
      step.apply(StreamBounceCollide<Lattice, Collision, Real>{collision, body_force()}, in(f),
                 in(type), out(next_));
    }
  });
  step.swap(f, next_);
  return step;
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::observation() const {
  Curl<Real> curl;
  curl.scale.fill(static_cast<Real>(0.5 / model_.length_unit));
  Program program("observation");
  const double speed = model_.speed_unit();
  program.apply(Observe<Lattice, Real>{body_force(), static_cast<Real>(speed),
                                       static_cast<Real>(model_.density_unit * speed * speed / 3)},
                in(f), in(type), out(density), out(pressure), out(velocity));
  program.apply(curl, in(velocity), out(vorticity));
  return program;
}

template <class Lattice, class T, class Layout>
Program FlowStep<Lattice, T, Layout>::balance() const {
  Program program("balance");
  program.reduce(ExcessMass<Lattice>{}, in(f), in(type), goban::sum, into(mass));
  program.reduce(KineticEnergy<Lattice, Real>{body_force()}, in(f), in(type), goban::sum,
                 into(kinetic_energy));
  if constexpr (!is_in_place<T>) {
    if (!model_.has_obstacles()) return program;
    with_collision([&]<class Collision>(const Collision& collision) {
      PushObstacle<Lattice, Collision, Real> push{{collision, body_force()}};
      for (std::size_t a = 0; a < Lattice::dimensions; ++a) {
        push.direction = {};
        push.direction[a] = 1;
        program.reduce(push, in(f), in(type), goban::sum, into(force[a]));
      }
    });
  }
  return program;
}

}  // namespace goban::lbm
