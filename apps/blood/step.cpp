#include "blood/step.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "blood/openings.hpp"
#include "blood/red_cells.hpp"
#include "blood/stencils.hpp"
#include "goban/goban.hpp"

namespace goban::blood {
namespace {

template <class T>
std::array<Parameter<T>, 3> force_of(const Model& model) {
  const double unit = model.density_unit * model.speed_unit() / model.time_unit;
  const auto at_start = [&](std::size_t a) { return static_cast<T>(model.force[a].at(0) / unit); };
  return {Parameter<T>("force_x", at_start(0)), Parameter<T>("force_y", at_start(1)),
          Parameter<T>("force_z", at_start(2))};
}

template <class Real>
Disc<Real> disc_of(const Opening& opening, double spacing) {
  Disc<Real> disc;
  for (std::size_t a = 0; a < 3; ++a) {
    disc.center[a] = static_cast<Real>(opening.center[a]);
    disc.normal[a] = static_cast<Real>(opening.normal[a]);
  }
  disc.radius = static_cast<Real>(opening.radius);
  disc.spacing = static_cast<Real>(spacing);
  return disc;
}

/// Cells that the sponge before an opening may have; empty: there is none.
Box sponge_box(const Model& model, const FlowOpening& here, const GridState& grid) {
  if (here.sponge == 0) return {};
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    const double n = here.normal[a], across = std::sqrt(std::max(0.0, 1 - n * n));
    const double reach = Sponge<double, double>::reach * here.radius * across + model.length_unit;
    const double ends[2] = {here.center[a], here.center[a] - n * here.sponge};
    const auto cell = [&](double x) {
      const double at = std::floor((x - grid.origin[a]) / model.length_unit);
      return static_cast<Index>(std::clamp(at, 0.0, static_cast<double>(grid.box_cells()[a])));
    };
    box.lower[a] = cell(std::min(ends[0], ends[1]) - reach);
    box.upper[a] = cell(std::max(ends[0], ends[1]) + reach + model.length_unit);
  }
  return box;
}

/// The rim cells of a vessel, found by cell.
class RimTable {
 public:
  explicit RimTable(std::shared_ptr<const Vessel> vessel) : vessel_(std::move(vessel)) {
    for (std::size_t n = 0; n < vessel_->rim.size(); ++n) {
      by_rank_.emplace(vessel_->fluid.find(vessel_->rim[n].cell), n);
    }
  }
  const RimCell* at(Index3 cell) const {
    const auto found = by_rank_.find(vessel_->fluid.find(cell));
    return found == by_rank_.end() ? nullptr : &vessel_->rim[found->second];
  }

 private:
  std::shared_ptr<const Vessel> vessel_;
  std::unordered_map<Index, std::size_t> by_rank_;
};

}  // namespace

template <class T>
VesselStep<T>::VesselStep(Grid& grid, const Model& model, std::shared_ptr<const Vessel> vessel)
    : f(grid, "populations"),
      opening(grid, "opening"),
      links(grid, "links"),
      to_wall(grid, "to_wall"),
      pressure(grid, "pressure"),
      velocity(grid, "velocity"),
      viscosity(grid, "viscosity"),
      stress(grid, "viscous_stress"),
      wall_shear_stress(grid, "wall_shear_stress"),
      mass("excess_mass"),
      next_(f, "next"),
      force_(force_of<T>(model)),
      model_(model) {
  const RimTable rim(vessel);
  if (!grid.active()) {
    mask_.emplace(grid, "fluid");
    mask_->fill([&](Index3 cell) { return vessel->fluid.contains(cell) ? 1 : 0; });
  }
  opening.fill([&](Index3 cell) {
    const RimCell* const found = rim.at(cell);
    return found ? found->opening + 1 : 0;
  });
  links.fill([&](Index3 cell, int q) -> T {
    const RimCell* const found = rim.at(cell);
    return found ? static_cast<T>(link_number(found->parts[static_cast<std::size_t>(q)])) : 0;
  });
  to_wall.fill([&](Index3 cell, int a) -> T {
    const RimCell* const found = rim.at(cell);
    return found ? static_cast<T>(found->to_wall[static_cast<std::size_t>(a)]) : 0;
  });
  const double excess = model.excess_at(model.start_pressure);
  f.fill([&](Index3 cell, int q) -> T {
    return vessel->fluid.contains(cell) ? static_cast<T>(Lattice::weight(q) * excess) : 0;
  });
  const Index3 all = grid.cells();
  boxes_.assign(model.openings.size(), Box{all, {0, 0, 0}});
  for (std::size_t n = 0; n < model.openings.size(); ++n) {
    const FlowOpening& here = model.openings[n];
    const std::string& name = here.name;
    Flow flow{Parameter<double>("flow_" + name),
              Parameter<double>("excess_" + name),
              0,
              0,
              Parameter<T>("value_" + name),
              Parameter<double>("held_" + name, here.start / model.pressure_unit()),
              Parameter<double>("stored_" + name, here.start / model.pressure_unit()),
              0};
    for (const RimCell& cell : vessel->rim) {
      if (cell.opening != static_cast<int>(n)) continue;
      ++flow.cells;
      for (std::size_t a = 0; a < 3; ++a) {
        flow.depth +=
            (here.center[a] - grid.state()->coordinate(static_cast<int>(a), 0, Location::cell) -
             static_cast<double>(cell.cell[a]) * model.length_unit) *
            here.normal[a];
      }
      for (std::size_t a = 0; a < 3; ++a) {
        boxes_[n].lower[a] = std::min(boxes_[n].lower[a], cell.cell[a]);
        boxes_[n].upper[a] = std::max(boxes_[n].upper[a], cell.cell[a] + 1);
      }
      for (int q = 1; q < Lattice::size; ++q) {
        const double part = cell.parts[static_cast<std::size_t>(q - 1)];
        if (part >= 0) continue;
        const lbm::Velocity c = Lattice::velocity(q);
        double square = 0, across = 0, along = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          const double center =
              grid.origin()[a] + (static_cast<double>(cell.cell[a]) + 0.5) * model.length_unit;
          const double p = (center - here.center[a]) / model.length_unit - part * c[a];
          square += p * p;
          across += p * here.normal[a];
          along += c[a] * here.normal[a];
        }
        const double radius = here.radius / model.length_unit;
        const double profile =
            here.gives_velocity() && here.is_parabolic
                ? std::max(0.0, 1 - (square - across * across) / (radius * radius))
                : 1;
        flow.unit_flow += 6 * Lattice::weight(q) * along * profile;
      }
    }
    sponges_.push_back(hull(boxes_[n], sponge_box(model, here, *grid.state())));
    flow.depth /= static_cast<double>(std::max(flow.cells, Index{1}));
    flows.push_back(std::move(flow));
  }
  if (model.periodic) {
    regions_.push_back({{0, 0, 0}, all});
    for (const FlowRegion& region : model.regions) regions_.push_back(region.cells);
  }
  for (std::size_t n = 0; n < regions_.size(); ++n) {
    transports.emplace_back("transport_" + std::to_string(n));
  }
  if (!model.cells.are_there()) return;
  cells.emplace(Suspended{
      Bodies(grid, options_of(model.cells, model)), {grid, "node_velocity"}, {grid, "cell_force"}});
  std::vector<BodyOpening> openings = openings_of(model, grid);
  for (std::size_t n = 0; n < openings.size(); ++n) {
    openings[n].inflow = [out = flows[n].out] { return -out.value(); };
  }
  cells->bodies.place(place(model.cells, model, grid)).recirculate(std::move(openings));
}

template <class T>
template <class Use>
void VesselStep<T>::with_collision(Use use) const {
  with_rates([&]<class Rates>(const Rates& rates) {
    if (model_.relaxation == Relaxation::two_rates) return use(rates);
    use(lbm::Regularized<Rates, T>{rates});
  });
}

template <class T>
template <class Use>
void VesselStep<T>::with_rates(Use use) const {
  const auto magic = static_cast<T>(model_.magic);
  const Rheology rheology = model_.scaled_rheology();
  const auto real = [](double x) { return static_cast<T>(x); };
  switch (rheology.kind) {
    case Rheology::Kind::newton: {
      const double even = 1 / model_.tau;
      return use(lbm::Trt<T>{real(even), real(1 / (model_.magic / (1 / even - 0.5) + 0.5))});
    }
    case Rheology::Kind::carreau_yasuda:
      return use(lbm::Rheological<lbm::CarreauYasuda<T>, T>{
          {real(rheology.zero), real(rheology.infinite), real(rheology.time), real(rheology.power),
           real(rheology.exponent)},
          magic});
    case Rheology::Kind::casson:
      return use(lbm::Rheological<lbm::Casson<T>, T>{
          {real(rheology.viscosity), real(rheology.yield), real(rheology.largest)}, magic});
  }
}

/// Collisions of the cells of an opening and of the sponge before it.
template <class T>
template <class Collision, class Use>
void VesselStep<T>::with_sponge(std::size_t n, const Collision& collision, Use use) const {
  const FlowOpening& here = model_.openings[n];
  if (here.sponge == 0) return use(collision);
  use(Sponge<Collision, T>{collision, disc_of<T>(here, model_.length_unit),
                           static_cast<T>(here.sponge), static_cast<T>(here.sponge_viscosity)});
}

template <class T>
template <class Use>
void VesselStep<T>::with_entry(std::size_t n, Use use) const {
  const FlowOpening& here = model_.openings[n];
  const Disc<T> disc = disc_of<T>(here, model_.length_unit);
  if (here.gives_velocity()) {
    use(GiveVelocity<Lattice, T>{disc, here.is_parabolic});
  } else {
    use(HoldPressure<Lattice, T>{disc});
  }
}

/// Sets what openings give or hold in this step.
template <class T>
void VesselStep<T>::follow_openings(Program& step) const {
  for (std::size_t n = 0; n < flows.size(); ++n) {
    const FlowOpening& here = model_.openings[n];
    const Flow& flow = flows[n];
    const double dt = model_.time_unit;
    if (cells || here.kind == FlowOpening::Kind::windkessel) sum_flow(step, n);
    if (here.kind == FlowOpening::Kind::pressure) {
      step.follow(flow.value, [model = model_, value = here.value, dt](double time) {
        return model.excess_at(value.at(time + dt));
      });
      continue;
    }
    if (here.gives_velocity()) {
      const double unit = here.kind == FlowOpening::Kind::velocity
                              ? model_.speed_unit()
                              : model_.flow_unit() * flow.unit_flow;
      step.follow(flow.value, [value = here.value, unit, dt](double time) {
        return value.at(time + dt) / unit;
      });
      continue;
    }
    // p = P + proximal Q with p + Z Q, what leaves the vessel as a wave, as it was before the step:
    // Z = c_s / area of the opening, whose cells count for its area.
    const Windkessel bed(here, model_);
    const double area = flow.unit_flow, impedance = std::sqrt(1.0 / 3) / area;
    const double proximal = bed.proximal, decay = bed.decay, gain = bed.gain;
    const double reference = model_.reference_pressure / model_.pressure_unit();
    step.compute(
        [=](double out, double& stored, double& held, T& value) {
          stored = decay * stored + gain * out;
          const double wave = held + impedance * out;
          held = (impedance * stored + proximal * wave) / (impedance + proximal);
          value = static_cast<T>(3 * (held - reference));
        },
        in(flow.out), inout(flow.stored), inout(flow.held), goban::out(flow.value));
  }
}

template <class T>
void VesselStep<T>::sum_flow(Program& program, std::size_t n) const {
  with_entry(n, [&]<class Entry>(const Entry& entry) {
    program
        .reduce(FlowOut<Lattice, Entry>{entry, static_cast<std::uint8_t>(n + 1)}, in(f), in(links),
                in(opening), site, param(flows[n].value), goban::sum, into(flows[n].out))
        .over(boxes_[n]);
  });
}

template <class T>
Program VesselStep<T>::program() const {
  Program step("blood");
  const double force = model_.density_unit * model_.speed_unit() / model_.time_unit;
  if (varies(model_.force)) {
    const double dt = model_.time_unit;  // a step collides at its end
    for (std::size_t a = 0; a < 3; ++a) {
      step.follow(force_[a], [value = model_.force[a].times(1 / force), dt](double time) {
        return value.at(time + dt);
      });
    }
  }
  follow_openings(step);
  if (model_.temperature > 0) {
    with_rates([&]<class Rates>(const Rates& rates) {
      over_fluid(step.apply(
          StreamWallFluctuate<Lattice, Rates, T>{rates, {static_cast<T>(model_.scaled_energy())}},
          in(f), in(links), out(next_), param(force_[0]), param(force_[1]), param(force_[2]),
          site));
    });
  }
  with_collision([&]<class Collision>(const Collision& collision) {
    if (cells) {
      step.apply(StreamWallCollide<Lattice, Collision>{collision}, in(f), in(links),
                 in(cells->force), out(next_), out(cells->velocity), param(force_[0]),
                 param(force_[1]), param(force_[2]));
      cells->bodies.couple(step, cells->velocity, cells->force);
    } else if (model_.temperature == 0) {
      over_fluid(step.apply(StreamWallCollide<Lattice, Collision>{collision}, in(f), in(links),
                            out(next_), param(force_[0]), param(force_[1]), param(force_[2])));
    }
    for (std::size_t n = 0; n < flows.size(); ++n) {
      with_sponge(n, collision, [&]<class Sponged>(const Sponged& sponged) {
        with_entry(n, [&]<class Entry>(const Entry& entry) {
          over_fluid(
              step.apply(StepAtOpening<Lattice, Sponged, Entry>{sponged, entry,
                                                                static_cast<std::uint8_t>(n + 1)},
                         in(f), in(links), in(opening), inout(next_), site, param(flows[n].value),
                         param(force_[0]), param(force_[1]), param(force_[2]))
                  .over(sponges_[n]));
        });
      });
    }
  });
  step.swap(f, next_);
  return step;
}

template <class T>
Program VesselStep<T>::observation() const {
  Program program("observation");
  with_collision([&]<class Collision>(const Collision& collision) {
    const Observe<Lattice, Collision, T> observe{collision, static_cast<T>(model_.speed_unit()),
                                                 static_cast<T>(model_.pressure_unit()),
                                                 static_cast<T>(model_.viscosity_unit())};
    if (cells) {
      program.apply(observe, in(f), in(links), in(cells->force), in(cells->velocity), out(pressure),
                    out(velocity), out(viscosity), out(stress), param(force_[0]), param(force_[1]),
                    param(force_[2]));
    } else {
      over_fluid(program.apply(observe, in(f), in(links), out(pressure), out(velocity),
                               out(viscosity), out(stress), param(force_[0]), param(force_[1]),
                               param(force_[2])));
    }
  });
  over_fluid(program.apply(ShearWall<Lattice>{}, in(stress), in(links), in(to_wall),
                           out(wall_shear_stress)));
  return program;
}

template <class T>
void VesselStep<T>::over_fluid(StageHandle sweep) const {
  if (mask_) sweep.where(*mask_);
}

template <class T>
void VesselStep<T>::sum_transports(Program& program) const {
  for (std::size_t n = 0; n < transports.size(); ++n) {
    const VelocityAlong<Lattice> along{index_of(*model_.periodic)};
    if (cells) {
      program.reduce(along, in(cells->velocity), goban::sum, into(transports[n])).over(regions_[n]);
    } else {
      program
          .reduce(along, in(f), param(force_[0]), param(force_[1]), param(force_[2]), goban::sum,
                  into(transports[n]))
          .over(regions_[n]);
    }
  }
}

template <class T>
Program VesselStep<T>::balance() const {
  Program program("balance");
  program.reduce(ExcessMass<Lattice>{}, in(f), goban::sum, into(mass));
  sum_transports(program);
  for (std::size_t n = 0; n < flows.size(); ++n) {
    sum_flow(program, n);
    program
        .reduce(ExcessAtOpening<Lattice>{static_cast<std::uint8_t>(n + 1)}, in(f), in(opening),
                goban::sum, into(flows[n].excess))
        .over(boxes_[n]);
  }
  return program;
}

template class VesselStep<float>;
template class VesselStep<double>;

}  // namespace goban::blood
