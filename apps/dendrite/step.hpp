#pragma once
// One time step, and what is to be seen of it.

#include <optional>

#include "dendrite/model.hpp"
#include "goban/program/program.hpp"

namespace goban::dendrite {

/// Fields and programs of dendritic growth, in space or, where the grid has one cell along z, in
/// the plane. T: float or double.
template <class T>
class GrowthStep {
 public:
  /// Declares the fields and sets them to what the model starts with.
  GrowthStep(Grid& grid, const Model& model, double dt);

  /// The program of one step of dt.
  Program program() const;
  /// Everything one cell towards the low end of the growth axis, where a layer is lost; melt as it
  /// was when the run started comes in at the high end. `shifted` counts.
  Program move() const;
  /// Computes the concentration from its parts; alloys alone.
  Program observation() const;
  /// Computes the numbers below.
  Program balance() const;
  /// Computes `tip` alone.
  Program location() const;

  Field<T> phase;                         ///< "phase": order parameter
  Field<T> other;                         ///< "liquid_excess" c_L - c_0, or "temperature" U
  std::optional<Field<T>> concentration;  ///< percent by weight; alloys alone
  Parameter<double> shifted{"shifted"};   ///< cells by which the frame has moved
  Parameter<double> tip{"tip_in_frame"};  ///< highest point of the solid in the grid, m
  Parameter<double> solid{"solid"};       ///< sum over cells of their solid part
  Parameter<double> energy{"energy"};     ///< sum of the densities of (interface) energy, J/m3
  Parameter<double> content{"content"};   ///< sum of c, or of U - phi / 2

 private:
  template <int Dims>
  Program program_of() const;
  template <int Dims>
  void sum_energy(Program& program) const;
  template <int Dims>
  void locate(Program& program) const;
  bool is_flat() const;

  Field<T> next_phase_, next_other_;
  Parameter<double> undercooling_;  ///< undercooling of alloys, K
  Model model_;
  double spacing_, lowest_, dt_;
};

}  // namespace goban::dendrite
