#pragma once
// What a case of dendritic growth is made of: plain numbers with units, fields in files.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/field/record.hpp"
#include "goban/grid/grid.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban::dendrite {

enum class Formulation {
  alloy,   ///< order parameter 0 ... 1 and solute of a dilute binary alloy, temperature given
  thermal  ///< order parameter -1 ... 1 and heat of a pure melt, dimensionless temperature
};

/// The axis along which melts are colder at the low end, frames move and tips are followed: z; in
/// flat grids (one cell along z) y.
constexpr Axis growth_axis(int dimensions) { return dimensions == 2 ? Axis::y : Axis::z; }
inline int dimensions_of(Index3 cells) { return cells[2] == 1 ? 2 : 3; }

/// A solid body when the run starts.
struct Nucleus {
  enum class Shape {
    sphere,  ///< within `radius` of `center`; in flat grids a disc
    layer    ///< up to `height` along the growth axis
  };
  Shape shape = Shape::sphere;
  Real3 center{};     ///< m
  double radius = 0;  ///< m
  double height = 0;  ///< m

  /// The distance from the surface, negative inside; m.
  double distance(Position position, Index3 cells) const;
};

/// A dilute binary alloy with a linear phase diagram and an interface of finite width
/// (Kim, Kim, Suzuki, Phys. Rev. E 60 (1999) 7186; Tiaden et al., Physica D 115 (1998) 73).
struct Alloy {
  double melting_point = 933.5;        ///< K, of the pure metal
  double liquidus_slope = 6.5;         ///< |m|, K per percent by weight
  double partition = 0.13;             ///< k = c_S / c_L
  double composition = 0;              ///< c_0, percent by weight
  double liquid_diffusivity = 5.5e-9;  ///< D_L, m2/s
  double solid_diffusivity = 1e-12;    ///< D_S, m2/s
  double interface_energy = 0.196;     ///< gamma, J/m2
  double entropy = 1e6;                ///< entropy of fusion, J/(m3 K)
  double kinetic_coefficient = 0.5;    ///< mu, m/(s K)
  double anisotropy = 0.03;            ///< epsilon of the interface energy
  double width = 1;                    ///< delta, m: phi from 0.1 to 0.9
  // The temperature T = T_liquidus(c_0) - undercooling + gradient s - cooling_rate t, s the
  // distance along the growth axis.
  TimeValue undercooling;   ///< K
  double gradient = 0;      ///< G, K/m
  double cooling_rate = 0;  ///< R, K/s
  double noise = 0;         ///< amplitude of fluctuations of the undercooling, K

  double gradient_coefficient() const;  ///< a_0 = sqrt(3 delta gamma / b), (J/m)^(1/2)
  double barrier() const;               ///< W = 6 gamma b / delta, J/m3
  double mobility() const;              ///< M = b mu / (3 delta dS), m3/(J s)
  double liquidus() const { return melting_point - liquidus_slope * composition; }  ///< K
  bool is_uniform_in_space_and_time() const {
    return gradient == 0 && cooling_rate == 0 && !undercooling.varies();
  }
};

/// b = 2 atanh(1 - 2 lambda) with lambda = 0.1: phi = (1 - tanh(b x / delta)) / 2.
double width_factor();

/// The symmetric thermal model (Karma, Rappel, Phys. Rev. E 57 (1998) 4323; PFHub benchmark 3).
struct Thermal {
  double width = 1;            ///< W_0, m
  double relaxation_time = 1;  ///< tau_0, s
  double diffusivity = 10;     ///< D, m2/s
  double undercooling = 0.3;   ///< Delta: the dimensionless temperature U is -Delta far away
  double anisotropy = 0.05;    ///< epsilon
  double coupling = 0;         ///< lambda
  double noise = 0;            ///< amplitude of fluctuations of U

  /// The coupling for which the interface has no kinetics of its own, D tau_0 / (a_2 W_0^2).
  static double coupling_without_kinetics(double diffusivity, double relaxation_time, double width);
  double capillary_length() const;  ///< d_0 = a_1 W_0 / lambda, m
};

struct Model {
  Formulation formulation = Formulation::alloy;
  Alloy alloy;
  Thermal thermal;
  std::vector<Nucleus> nuclei;
  std::shared_ptr<ImageSource> start_phase;  ///< instead of nuclei, if there is one
  std::shared_ptr<ImageSource> start_other;  ///< c_L - c_0 or U, instead of start()
  BoundarySet boundary = mirror;             ///< periodic or mirror (nothing flows)

  /// Order parameter in the solid, in the melt, and where the interface is.
  double solid() const { return 1; }
  double melt() const { return formulation == Formulation::alloy ? 0 : -1; }
  double level() const { return (solid() + melt()) / 2; }
  double anisotropy() const {
    return formulation == Formulation::alloy ? alloy.anisotropy : thermal.anisotropy;
  }
  double noise() const { return formulation == Formulation::alloy ? alloy.noise : thermal.noise; }

  /// Order parameter when the run starts.
  double phase_at(Position position, Index3 cells) const;
  /// The same along a row, without a look at all nuclei in every cell.
  void phases(const CellRow& row, Index3 cells, double* values) const;
  /// c_L - c_0 or U when the run starts: the same everywhere.
  double start() const { return formulation == Formulation::alloy ? 0 : -thermal.undercooling; }
  /// Largest step for which forward Euler is stable, s.
  double largest_stable_step(Index3 cells, double spacing) const;

 private:
  double steepness() const;
  double phase_of(double distance) const;
};

/// As many nuclei of this radius at the low end of the growth axis, at places a seed chooses.
std::vector<Nucleus> scattered(Index count, double radius, std::uint64_t seed, Index3 cells,
                               Real3 origin, double spacing);

}  // namespace goban::dendrite
