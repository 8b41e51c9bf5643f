#pragma once
// One time step, and what is kept of it.

#include <array>
#include <optional>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/stencil/absorbing_layer.hpp"
#include "seismic/attenuation.hpp"
#include "seismic/model.hpp"

namespace goban::seismic {

/// Fields and programs of elastic waves in three dimensions, or of P and SV waves in the plane of x
/// and z (Dimensions = 2). T: float or double.
template <int Dimensions, class T>
class WaveStep {
 public:
  static constexpr int shears = Dimensions == 3 ? 3 : 1;

  /// Declares the fields; fills the rock, and the plane wave if there is one. `fastest`: the
  /// largest vp, m/s, without relaxation.
  WaveStep(Grid& grid, const Model& model, double fastest, double dt);

  /// The program of one step of dt.
  Program program() const;
  /// The program that sums the energy; the grid must be periodic.
  Program balance() const;

  std::vector<Field<T>> velocity;  ///< "velocity_x" ..., m/s, on faces
  Field<T, Dimensions> normal;  ///< "normal_stress": xx, yy, zz, or xx, zz; Pa, half a step later
  std::vector<Field<T>> shear;  ///< "shear_xy", "shear_xz", "shear_yz", or "shear_xz"; Pa
  Field<T> density;             ///< kg/m3
  Field<T> lambda;              ///< Pa
  Field<T> compliance;          ///< "shear_compliance": 1 / mu, 1/Pa
  std::vector<Field<T>> displacement;  ///< "displacement_x" ..., m, where velocities are; or none
  std::optional<Field<T>> peak;        ///< "peak_velocity": in the cells at the surface, m/s
  Parameter<double> motion, strain;    ///< energies over the volume of a cell, J/m3

 private:
  /// Memory variables of one axis, by axis, that of the layer first.
  struct Memory {
    std::vector<Field<T>> velocity, stress;
  };

  /// What attenuation needs: losses of cells, three memory variables of every stress.
  struct Losses {
    Mechanisms mechanisms;
    Field<T> bulk, shear;
    Field<T, Mechanisms::count * Dimensions> normal;
    std::vector<Field<T, Mechanisms::count>> shears;
  };

  void fill_rock();
  void fill_wave(const PlaneWave& wave);
  void fill_start();
  void add_memory(Axis axis);

  // In losses.cpp.
  void add_losses(const Band& band);
  void relax(Program& step) const;
  void add_lossy_strain(Program& balance) const;
  std::array<double, 6> unrelaxed_moment(const Source& source) const;

  // Defined for each order in a source of its own.
  template <int Order>
  void add_velocity_sweeps(Program& step) const;
  template <int Order>
  void add_stress_sweeps(Program& step) const;
  template <int Order>
  void add_balance(Program& balance) const;

  template <class Place, int Order>
  void accelerate(Program& step, const Place& place, std::optional<Box> region) const;
  template <class Place, int Order>
  void deform(Program& step, const Place& place, std::optional<Box> region) const;
  template <Axis A, int Order>
  void match_velocity(Program& step, Side side) const;
  template <Axis A, int Order>
  void match_stress(Program& step, Side side) const;
  template <Axis A>
  void damp(Program& step, Side side) const;
  void add_sources(Program& step, bool forces) const;
  void add_amplitudes(Program& step) const;

  /// s_AB, A before B.
  const Field<T>& shear_of(Axis a, Axis b) const {
    return shear[Dimensions == 3 ? static_cast<std::size_t>(index_of(a) + index_of(b) - 1) : 0];
  }
  /// All cells of planes first <= k < last along an axis, with the faces at the far ends.
  Box slab(Axis axis, Index first, Index last) const;
  Box layer_box(Axis axis, Side side) const;
  PmlLayer<T> layer(Axis axis, Side side) const;

  Grid grid_;
  Model model_;
  double dt_;
  double vp_;  ///< m/s, the largest
  std::array<std::optional<Memory>, 3> memory_;
  std::optional<Losses> losses_;
  Parameter<double> steps_done_;
  std::vector<Parameter<double>> amplitudes_;
};

}  // namespace goban::seismic
