#pragma once
// Bodies suspended in a fluid, as programs use them.
//
//   Bodies cells(grid, {.shapes = {red_cell}, .repulsion = {.strength = 1e-3}});
//   cells.place(packed(grid, red_cell, {.hematocrit = 0.2}));
//   step.apply(StreamCollide{}, in(f), in(force), out(next), out(velocity));
//   cells.couple(step, velocity, force);
//   step.swap(f, next);
//   simulation.add(cells.output(every(100)));

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "goban/io/picture/canvas.hpp"
#include "goban/particle/population.hpp"
#include "goban/particle/recirculation.hpp"
#include "goban/program/program.hpp"
#include "goban/simulation/output/column.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// Lattice units (body.hpp). Calls are collective: every rank makes them. Copies are the same
/// bodies.
class Bodies {
 public:
  /// Errors (usage): a shape or a repulsion that is none; a grid that is not the finest of its
  /// family.
  explicit Bodies(const Grid& grid, BodyOptions options = {});

  /// Their numbers are their places in the list. Errors (usage): one beyond the grid, one larger
  /// than the part of a rank, two that overlap.
  Bodies& place(const std::vector<Body>& bodies);
  /// Many of them, of which every rank keeps its own.
  Bodies& place(Index count, const std::function<Body(Index id)>& body);

  /// From here on in every step bodies see this velocity of the fluid, move, and the second field
  /// becomes the force that they exert on nodes, for the next sweep of the fluid: those of cells.
  /// Checkpoints of a simulation of this program hold the bodies.
  /// `solid`: no fluid where it is not 0; left out: it is everywhere.
  template <class T, class Layout>
  void couple(Program& step, const Field<T, 3, Layout>& velocity,
              const Field<T, 3, Layout>& force) const {
    count_steps(step);
    step.call(coupling({velocity.record(), force.record(), nullptr}), std::tie(velocity),
              std::tie(force));
  }
  template <class T, class Layout>
  void couple(Program& step, const Field<T, 3, Layout>& velocity, const Field<T, 3, Layout>& force,
              const Field<std::uint8_t, 1, Layout>& solid) const {
    count_steps(step);
    step.call(coupling({velocity.record(), force.record(), solid.record()}),
              std::tie(velocity, solid), std::tie(force));
  }

  /// From here on bodies that come to an opening of the vessel enter again where fluid does. Every
  /// few steps, by steps_between_looks(), they are looked for. Call it before couple().
  Bodies& recirculate(std::vector<BodyOpening> openings);

  Index count() const;
  /// All, on every rank.
  std::vector<Body> all() const;
  /// The part of a region, in cells of the grid, whose cells have their middle in a body; of the
  /// active ones in a grid of these.
  double hematocrit(const Box& region) const;
  /// The same of the whole grid.
  double hematocrit() const;
  /// Sum of volume times velocity of those with their position in a region: over its length the
  /// rate at which their volume flows along an axis.
  Real3 transport(const Box& region) const;
  /// Sum of mass times velocity; the fluid has the rest.
  Real3 momentum() const;
  /// The part of a step's time that bodies take, the largest of all ranks; 0: not known yet. On a
  /// GPU that has all nodes of its rank it is of the time of its queue, where forces between bodies
  /// count as far as the sweep of the fluid is done before them; elsewhere of the host's.
  double share() const;
  /// What one unit of the integers is in which forces and torques are summed.
  const FixedUnits& units() const;

  /// Writes <case>_bodies.0000100.vtp: points with "id", "shape", "velocity", "rotation" and
  /// "axes", tensors whose columns are the semi-axes, for tensor glyphs.
  std::unique_ptr<SimulationOutput> output(When when) const;
  /// Where a plane across an axis cuts them: closed lines, in the grid's unit of length.
  /// Collective; rank 0 gets them.
  std::vector<Polyline> outlines(Axis axis, double position) const;
  /// For series: momentum along x, y, z, and the largest speed.
  std::vector<Column> columns() const;
  Column hematocrit_in(const Box& region) const;

  /// What couple() calls in every step, for fields of any type. Errors (usage): values that do not
  /// lie at the cells of the grid.
  std::function<void()> coupling(CoupledFields fields) const;

 private:
  void count_steps(Program& step) const;

  std::shared_ptr<FluidNodes> nodes_;
  std::shared_ptr<Population> population_;
  std::vector<BodyOpening> openings_;
  Parameter<double> steps_{"steps of bodies"};
};

}  // namespace goban
