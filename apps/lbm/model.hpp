#pragma once
// What a flow is made of, in lattice units: a cell, a step, the density at rest.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "goban/cases/flow_planes.hpp"
#include "goban/cases/rheology.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/cases/solids.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban::lbm {

/// What one side of the grid does.
enum class Edge {
  periodic,
  wall,      ///< at rest, at the face of the outermost cells
  moving,    ///< a wall with the model's `wall_velocity`; fills the outermost layer of cells
  inflow,    ///< gives `inflow_velocity`; fills the outermost layer of cells
  outflow,   ///< lets out what arrives, density near 1; fills the outermost layer of cells
  pressure,  ///< holds a pressure, in or out; fills the outermost layer of cells
};

struct Model {
  enum class Lattice { d2q9, d3q19 };
  enum class Collision { bgk, trt, smagorinsky };
  enum class Start {
    uniform,       ///< start_velocity everywhere
    inflow,        ///< the profile of the inflow everywhere
    taylor_green,  ///< decaying vortices, the first component of start_velocity their speed
  };

  Lattice lattice = Lattice::d3q19;
  Collision collision = Collision::trt;
  double tau = 1;            ///< nu = (tau - 1/2) / 3
  double magic = 3.0 / 16;   ///< magic parameter of Collision::trt
  double smagorinsky = 0.1;  ///< C of Collision::smagorinsky
  Real3 force{};             ///< density of the body force
  Sides<Edge> edges{};
  Real3 wall_velocity{};    ///< velocity of walls at Edge::moving
  Real3 inflow_velocity{};  ///< velocity at Edge::inflow; the largest of a parabolic profile
  bool parabolic_inflow = false;
  Sides<TimeValue> excess{};  ///< density less 1 at Edge::pressure, by the time in s
  /// What the three numbers above become with time [s]; they are those of t = 0.
  struct Drive {
    TimeValue3 force, wall_velocity, inflow_velocity;
  };
  std::optional<Drive> drive;
  Start start = Start::uniform;
  Real3 start_velocity{};
  std::array<std::shared_ptr<ImageSource>, 3>
      start_velocities;                        ///< m/s, instead, where there is one
  std::shared_ptr<ImageSource> start_density;  ///< kg/m3, likewise
  Solids solids;
  std::vector<FlowPlane> planes;

  double length_unit = 1;   ///< m per cell
  double time_unit = 1;     ///< s per step
  double density_unit = 1;  ///< kg/m3

  Rheology rheology;  ///< m2/s and s; another than newton's goes with Collision::trt

  double viscosity() const { return (tau - 0.5) / 3; }
  Rheology scaled_rheology() const { return rheology.scaled(length_unit, time_unit); }
  double speed_unit() const { return length_unit / time_unit; }  ///< m/s
  bool is_driven() const { return drive || force != Real3{}; }
  bool has_obstacles() const { return !solids.empty(); }
  /// Nothing but fluid.
  bool is_all_fluid() const;

  /// The types (lbm::cell) of the cells of a box, x fastest. Error (ExitCode::files): an image.
  std::vector<std::uint8_t> types(const GridState& grid, const Box& box) const;
  /// The type of one cell, where images and surfaces are looked at by others.
  std::uint8_t type_of(Index3 cell, const GridState& grid, bool is_in_solid) const;
  /// What a cell of this type has when the run starts: its velocity, and its density less 1.
  Real3 velocity_at(Index3 cell, std::uint8_t type, Index3 extents) const;
  double excess_at(Index3 cell, Index3 extents) const;
  /// The share of its velocity that Edge::inflow gives at this cell, 1 on the axis of a channel.
  double inflow_profile(Index3 cell, Index3 extents) const;

  /// What to try when the flow has blown up, at `lattice_speed` cells a step.
  std::string advice_on_divergence(double lattice_speed) const;

  BoundarySet population_boundary() const {
    return conditions_at(edges, [](auto, Edge) { return constant(0); });
  }
  BoundarySet type_boundary() const;
  /// The boundary conditions of what is shown: no gradient at walls.
  BoundarySet moment_boundary() const {
    return conditions_at(edges, [](auto, Edge) { return mirror; });
  }
};

/// Rate of the differences of opposite populations in TRT, from that of their sums.
double odd_rate(double even, double magic);

}  // namespace goban::lbm
