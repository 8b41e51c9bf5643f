#pragma once
// What a flow of blood is made of.

#include <optional>
#include <string>
#include <vector>

#include "goban/cases/rheology.hpp"
#include "goban/geometry/opening.hpp"
#include "goban/grid/box.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban::blood {

/// Where fluid comes and goes.
struct FlowOpening : Opening {
  enum class Kind {
    velocity,   ///< `value` m/s into the vessel, the largest of a parabolic profile
    flow,       ///< `value` m3/s into the vessel
    pressure,   ///< `value` Pa
    windkessel  ///< C dP/dt = Q - P / distal, p = P + proximal Q; Q flows out of the vessel
  };
  Kind kind = Kind::pressure;
  bool is_parabolic = true;
  TimeValue value;
  double proximal = 0;            ///< Pa s/m3
  double distal = 0;              ///< Pa s/m3
  double compliance = 0;          ///< m3/Pa
  double start = 0;               ///< Pa, P at the beginning
  double sponge = 0;              ///< m before it in which the fluid is more viscous; 0: nowhere
  double sponge_viscosity = 200;  ///< at the opening, over that of the fluid

  bool gives_velocity() const { return kind == Kind::velocity || kind == Kind::flow; }
};

/// Red cells, of the size that those of the MUPHY article have.
struct RedCells {
  struct Placed {
    Real3 position{};     ///< m
    Real3 axis{0, 0, 1};  ///< along which it is thin
  };
  double hematocrit = 0;                     ///< 0: none, or those that are placed
  double diameter = 8e-6, thickness = 4e-6;  ///< m
  double density = 1100;                     ///< kg/m3
  Index seed = 1;
  std::vector<Placed> placed;
  double repulsion = 0;   ///< J
  double wall_force = 0;  ///< N

  bool are_there() const { return hematocrit > 0 || !placed.empty(); }
};

/// A box of a vessel whose hematocrit and flow are in the series.
struct FlowRegion {
  std::string name;
  Real3 lower{}, upper{};  ///< m
  Box cells = {};
};

/// What collisions do to populations beside the equilibrium.
enum class Relaxation {
  two_rates,   ///< sums and differences of opposite ones have a rate each
  regularized  ///< their stress alone is kept
};

struct Model {
  double tau = 1;           ///< nu = (tau - 1/2) / 3, at fast shear where it varies
  double magic = 3.0 / 16;  ///< (1/even - 1/2) (1/odd - 1/2)
  Relaxation relaxation = Relaxation::two_rates;
  Rheology rheology;
  double temperature = 0;         ///< kT [J] of thermal fluctuations; 0: none
  TimeValue3 force{};             ///< N/m3
  double reference_pressure = 0;  ///< Pa, of density 1
  double start_pressure = 0;      ///< Pa
  std::vector<FlowOpening> openings;
  std::optional<Axis> periodic;  ///< axis along which the vessel comes again
  RedCells cells;
  std::vector<FlowRegion> regions;

  double length_unit = 1;      ///< m per cell
  double time_unit = 1;        ///< s per step
  double density_unit = 1060;  ///< kg/m3

  double viscosity() const { return (tau - 0.5) / 3; }  ///< lattice units
  double speed_unit() const { return length_unit / time_unit; }
  double pressure_unit() const { return density_unit * speed_unit() * speed_unit(); }
  double viscosity_unit() const { return length_unit * speed_unit(); }
  double flow_unit() const { return speed_unit() * length_unit * length_unit; }
  /// Density less 1 at a pressure [Pa].
  double excess_at(double pressure) const {
    return 3 * (pressure - reference_pressure) / pressure_unit();
  }
  /// The rheology in lattice units.
  Rheology scaled_rheology() const { return rheology.scaled(length_unit, time_unit); }
  /// 3 kT in lattice units.
  double scaled_energy() const;
};

/// Two elements before a capillary bed, in lattice units, advanced exactly while Q stays.
struct Windkessel {
  double proximal, decay, gain;  ///< P' = decay P + gain Q

  Windkessel(const FlowOpening& opening, const Model& model);
};

}  // namespace goban::blood
