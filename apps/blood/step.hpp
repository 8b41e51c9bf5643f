#pragma once
// One time step of a vessel, and what is to be seen of it.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "blood/model.hpp"
#include "goban/geometry/vessel.hpp"
#include "goban/particle/bodies.hpp"
#include "goban/program/program.hpp"
#include "lbm/lattice.hpp"

namespace goban::blood {

/// Fields and programs of a flow on D3Q19: two sets of populations, f -> next, swapped. T: float or
/// double.
template <class T>
class VesselStep {
 public:
  using Lattice = lbm::D3Q19;

  /// Declares the fields and sets the fluid at rest. The grid's active cells are those of the
  /// vessel, or it has all cells of its box.
  VesselStep(Grid& grid, const Model& model, std::shared_ptr<const Vessel> vessel);

  Program program() const;
  /// Pressure, velocity, apparent viscosity, stress and the shear of the wall.
  Program observation() const;
  /// Mass, what flows through openings and along a periodic axis.
  Program balance() const;

  Field<T, Lattice::size> f;          ///< "populations", less their values at rest
  Field<std::uint8_t> opening;        ///< "opening": its number from 1 where a link meets one
  Field<T, Lattice::size - 1> links;  ///< what they end at, see arrivals.hpp
  Field<T, 3> to_wall;                ///< cells
  Field<T> pressure;                  ///< Pa, less that at rest
  Field<T, 3> velocity;               ///< m/s
  Field<T> viscosity;                 ///< m2/s
  Field<T, 6> stress;                 ///< Pa
  Field<T, 3> wall_shear_stress;      ///< Pa

  /// Red cells, where there are any.
  struct Suspended {
    Bodies bodies;
    Field<T, 3> velocity;  ///< that they see, lattice units
    Field<T, 3> force;     ///< that they exert on nodes, lattice units
  };
  std::optional<Suspended> cells;
  /// Sums of the velocity along the vessel's periodic axis, lattice units: of all cells, then of
  /// those of regions.
  std::vector<Parameter<double>> transports;

  /// The flow through an opening, lattice units unless noted.
  struct Flow {
    Parameter<double> out;     ///< volume that leaves in a step
    Parameter<double> excess;  ///< sum of density less 1 of its cells
    Index cells = 0;
    double depth = 0;                ///< m, mean distance of these from its disc
    Parameter<T> value;              ///< speed, or density less 1, of the step
    Parameter<double> held, stored;  ///< p and P of a Windkessel
    double unit_flow = 0;            ///< that a speed of 1 brings
  };
  std::vector<Flow> flows;
  /// On the fluid, along an axis, lattice units.
  double force(std::size_t axis) const { return static_cast<double>(force_[axis].value()); }
  Parameter<double> mass;  ///< sum of density less 1

 private:
  /// Calls use(collision) with that of the model, or with the one of two rates that it may be made
  /// of.
  template <class Use>
  void with_collision(Use use) const;
  template <class Use>
  void with_rates(Use use) const;
  /// Calls use(collision) with that of the cells of an opening and of the sponge before it.
  template <class Collision, class Use>
  void with_sponge(std::size_t opening, const Collision& collision, Use use) const;
  /// Calls use(entry) with what the opening does.
  template <class Use>
  void with_entry(std::size_t opening, Use use) const;
  void follow_openings(Program& step) const;
  void sum_flow(Program& program, std::size_t opening) const;
  void sum_transports(Program& program) const;
  /// Keeps a sweep off cells that are no fluid.
  void over_fluid(StageHandle sweep) const;

  Field<T, Lattice::size> next_;
  std::optional<Field<std::uint8_t>> mask_;  ///< 1 in fluid; none on grids of active cells
  std::array<Parameter<T>, 3> force_;
  Model model_;
  std::vector<Box> boxes_;    ///< hull of the cells of each opening
  std::vector<Box> sponges_;  ///< the same with those of the sponge before it
  std::vector<Box> regions_;  ///< cells that each of `transports` sums over
};

}  // namespace goban::blood
