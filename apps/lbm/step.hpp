#pragma once
// One time step, and what is to be seen of it.

#include <array>

#include "goban/program/program.hpp"
#include "lbm/collisions.hpp"
#include "lbm/model.hpp"

namespace goban::lbm {

/// Fields and programs of a flow on Lattice (D2Q9 or D3Q19): two sets of populations, f -> next,
/// swapped. T: float, double or half (stored, computed in float); InPlace<T> keeps one set, where
/// all is fluid.
template <class Lattice, class T, class Layout>
class FlowStep {
 public:
  using Real = ArithmeticOf<T>;

  /// Declares the fields and sets the populations to the equilibrium of the start. Error
  /// (ExitCode::usage): walls in place.
  FlowStep(Grid& grid, const Model& model);

  Program program() const;
  /// Computes density, pressure, velocity and vorticity from the populations.
  Program observation() const;
  /// Computes viscosity, stress and the shear of walls from the populations.
  Program shear() const;
  /// Sums excess mass, kinetic energy, velocities, flows through planes and, if there are
  /// obstacles, the force on them.
  Program balance() const;

  Field<T, Lattice::size, Layout> f;         ///< "populations", less their values at rest
  Field<std::uint8_t, 1, Layout> type;       ///< "type", of lbm::cell
  Field<Real, 1, Layout> density;            ///< 1 at rest
  Field<Real, 1, Layout> pressure;           ///< Pa, less that at rest
  Field<Real, 3, Layout> velocity;           ///< m/s
  Field<Real, 3, Layout> vorticity;          ///< 1/s
  Field<Real, 1, Layout> viscosity;          ///< m2/s, apparent
  Field<Real, 6, Layout> stress;             ///< Pa, viscous: xx, yy, zz, xy, xz, yz
  Field<Real, 3, Layout> wall_shear_stress;  ///< Pa, in cells beside walls
  Parameter<double> mass, kinetic_energy;    ///< lattice units; mass less that at rest
  std::array<Parameter<double>, 3> force;    ///< on obstacles, lattice units; mean of two steps
  std::array<Parameter<double>, 3> velocity_sum;  ///< sums over all cells, lattice units
  std::vector<Parameter<double>> flow_rates;      ///< through the model's planes, lattice units

 private:
  /// Calls use(collision) with that of the model.
  template <class Use>
  void with_collision(Use use) const;
  void follow_drive(Program& step) const;
  void add_open_sides(Program& step) const;

  Field<T, Lattice::size, Layout> next_;
  std::array<Parameter<Real>, 3> force_now_;                ///< on the fluid, of this step
  std::array<Parameter<Real>, 3> inflow_next_, wall_next_;  ///< velocities, of the next step
  /// Excess density at sides that hold a pressure.
  std::array<std::array<Parameter<Real>, 2>, 3> excess_next_;
  Model model_;
};

}  // namespace goban::lbm
