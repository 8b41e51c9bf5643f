#pragma once
// What a case of heat conduction is made of: numbers with units.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "goban/cases/profile.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban::heat {

enum class Problem {
  transient,  ///< c du/dt = div(k grad u) + q
  steady,     ///< 0 = div(k grad u) + q
  effective   ///< conductivity tensor of a periodic medium
};

/// What conjugate gradients are preconditioned by, for steady states.
enum class Solver { diagonal, multigrid };

struct Material {
  double conductivity;   ///< W/(m K)
  double heat_capacity;  ///< J/(m3 K)
};

/// Conductivity and heat capacity as functions of the cell: bodies in a matrix, which an image may
/// show.
struct Medium {
  double conductivity = 1;   ///< W/(m K), of the matrix
  double heat_capacity = 1;  ///< J/(m3 K), of the matrix
  /// Amplitudes are conductivities; the last one counts.
  std::vector<Profile> inclusions = {};
  /// The same bodies with their heat capacities; empty: they have that of the matrix.
  std::vector<Profile> capacities = {};
  /// W/(m K) cell by cell, instead of `conductivity`.
  std::shared_ptr<ImageSource> image = nullptr;
  /// J/(m3 K) cell by cell, instead of `heat_capacity`, and what it shows; null: not of the image.
  std::shared_ptr<ImageSource> capacity_image = nullptr;
  std::vector<Material> phases = {};

  bool is_uniform() const { return inclusions.empty() && !image; }
  bool has_one_capacity() const { return capacities.empty() && !capacity_image; }
  double diffusivity() const { return conductivity / heat_capacity; }  ///< m2/s, if uniform
};

struct Model {
  Problem problem = Problem::transient;
  Medium medium;
  std::vector<Profile> initial;  ///< K
  std::vector<Profile> sources;  ///< W/m3
  struct VaryingSource {
    Profile shape;    ///< shape of amplitude 1
    TimeValue power;  ///< W/m3
  };
  std::vector<VaryingSource> varying_sources;
  /// Conditions of the temperature, or of the fluid where there is convection.
  BoundarySet boundary;
  /// Heat transfer coefficients of sides that a fluid cools or warms, W/(m2 K); 0: none.
  std::array<std::array<double, 2>, 3> convection{};
  int order = 2;            ///< order of the Laplacian: 2, 4, 6, 8
  double tolerance = 1e-5;  ///< steady: residual over that of the initial state
  Solver solver = Solver::diagonal;

  bool has_convection() const;
  /// Heat flows by conductances of faces; otherwise by differences of any order.
  bool has_conductances() const { return !medium.is_uniform() || has_convection(); }
};

/// Largest time step for which no mode of forward Euler grows: 2 / (alpha S sum of 1/h^2), with
/// S = 4, 16/3, 272/45, 2048/315 for orders 2, 4, 6, 8. The sum is over the axes along which heat
/// flows: not those of one cell without a temperature at their ends. `diffusivity`: of a medium
/// that varies that of largest_diffusivity().
double largest_stable_step(double diffusivity, int order, Index3 cells, Real3 spacing,
                           const BoundarySet& boundary);

/// Factor by which one step of forward Euler multiplies sin(2 pi waves (x - origin) / length):
/// g = 1 + alpha dt sum of (c_0 + 2 sum c_j cos(j k h)) / h^2.
double growth_of_mode(double diffusivity, double dt, int order, Index3 waves, Index3 cells,
                      Real3 spacing);

}  // namespace goban::heat
