#pragma once
// What a case of incompressible flow is made of: numbers with units.

#include <optional>
#include <string>
#include <vector>

#include "goban/cases/flow_planes.hpp"
#include "goban/cases/poisson_keys.hpp"
#include "goban/cases/profile.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/cases/solids.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/solver/time_scheme.hpp"

namespace goban::flow {

/// What one side of the grid does; all but `periodic` lie on the faces of the outermost cells.
enum class Edge {
  periodic,
  wall,     ///< at rest: nothing moves at the face
  slip,     ///< nothing moves across it, nothing is held along it
  moving,   ///< a wall with the model's `wall_velocity` along itself
  inflow,   ///< gives a velocity
  outflow,  ///< lets out what arrives, at a speed that is even in the mean
  pressure  ///< holds a pressure; fluid goes through it straight across
};

/// Something the fluid carries: ds/dt + div(u s) = diffusivity Lap s + sources. The fluid is
/// lighter by expansion (s - reference), relative to its density.
struct Scalar {
  std::string name = "temperature";
  double diffusivity = 1;     ///< m2/s
  double expansion = 0;       ///< 1/K
  double reference = 0;       ///< K
  BoundarySet boundary = {};  ///< K
};

/// A term of what a field holds when the run begins; terms add up.
struct Term {
  std::string field;  ///< "velocity_x", ... or a scalar
  Profile profile = {};
  bool is_inflow = false;  ///< it is the profile of the inflow, instead of `profile`
};

/// What a scalar is given, `value` [K/s] times a shape; sources add up.
struct Source {
  std::size_t scalar = 0;
  Profile shape;  ///< shape of amplitude 1
  TimeValue value;
};

struct Model {
  int dimensions = 3;               ///< 2: in the plane of x and y
  double viscosity = 1;             ///< m2/s
  double density = 1;               ///< kg/m3
  double smagorinsky = 0;           ///< Smagorinsky's constant of the subgrid viscosity; 0: none
  double friction_velocity = 0;     ///< m/s, damps it near walls; 0: nothing does
  double turbulent_prandtl = 0.85;  ///< subgrid viscosity over subgrid diffusivity
  TimeValue3 acceleration;          ///< m/s2, of the body force
  Real3 gravity{};                  ///< m/s2, what scalars make lighter or heavier
  Sides<Edge> edges{};
  TimeValue3 wall_velocity;    ///< m/s, of Edge::moving
  TimeValue3 inflow_velocity;  ///< m/s, of Edge::inflow; the largest of a parabolic profile
  /// m/s, of an inflow of its own, across the side and into the grid.
  Sides<std::optional<TimeValue>> inflow_speed{};
  bool parabolic_inflow = false;
  Sides<TimeValue> side_pressure{};  ///< Pa, of Edge::pressure
  std::vector<Scalar> scalars;
  std::vector<Source> sources;
  std::vector<FlowPlane> planes;  ///< planes whose flow is shown
  Solids solids;
  std::vector<Term> initial;

  TimeScheme scheme = TimeScheme::ab2;
  std::optional<Axis> implicit_axis;  ///< diffusion along it is taken at both ends of a stage
  std::optional<double> dt;           ///< s; chosen in every step if it is not given
  double courant = 0.4;               ///< dt sum |u| / h at most, where dt is chosen
  double stability = 0.9;             ///< dt over the largest for diffusion at most, likewise
  double speed = 0;                   ///< m/s; the Courant number counts at least this
  /// Tolerance: most that a cell gains or loses in a stage, as a part of it.
  PoissonMethod pressure;

  bool has(Edge edge) const;
  /// The diffusivity that stages take as it is at their beginning, per axis.
  Real3 explicit_part(double diffusivity) const;
  /// Cells are not all alike: there are solids, or sides through which a velocity is given.
  bool has_types() const { return !solids.empty() || has(Edge::inflow) || has(Edge::outflow); }
  bool has(Edge edge, std::size_t axis) const;
  /// What a side that is Edge::inflow gives, m/s.
  TimeValue3 inflow(std::size_t axis, std::size_t side) const;
  TimeValue3 any_inflow() const;  ///< velocity of the first such side, m/s; 0 without any
  /// Whether sides that are Edge::inflow do not all give the same velocity.
  bool has_several_inflows() const;
  /// The share of its velocity that Edge::inflow gives at this place, 1 on the axis of a parabolic
  /// profile.
  double inflow_profile(Position position, const GridState& grid) const;
  /// The profile of an inflow is a parabola along this axis.
  bool is_parabolic(std::size_t axis) const;
  /// Largest time step of the scheme for diffusion alone, s: 1 / (4 nu sum 1/h^2) for AB2, 2.51
  /// times as much for RK3; diffusion along the implicit axis counts for nothing, but that of
  /// eddies does. `subgrid`: the largest subgrid viscosity [m2/s], which counts twice, as its
  /// stress has both gradients of velocity.
  double largest_diffusive_step(Real3 spacing, double subgrid = 0) const;
  /// dt <= min(courant / rate, stability largest_diffusive_step), `rate` [1/s] being the largest
  /// sum |u| / h.
  double time_step(double rate, Real3 spacing, double subgrid = 0) const;
  /// l = smagorinsky (cell volume)^(1/3) of the subgrid viscosity l^2 |S|, m, in the plane the root
  /// of a cell's area; times 1 - exp(-y u / (25 viscosity)) with the friction velocity u, y from
  /// the nearest wall (van Driest, J. Aeronaut. Sci. 23 (1956) 1007).
  double mixing_length(Position position, const GridState& grid) const;
  /// The rate |u| / h of `speed` along the finest axis, 1/s.
  double least_rate(Real3 spacing) const;

  /// The boundary conditions of the velocity along an axis, which lies on its faces.
  BoundarySet velocity_boundary(Axis axis) const;
  BoundarySet type_boundary() const;
  /// The boundary conditions of the subgrid viscosity, which is 0 at walls.
  BoundarySet subgrid_boundary() const;
  /// The conditions of what a step adds to the pressure: 0 at sides that hold one, else mirrors.
  BoundarySet pressure_boundary() const;
  /// The conditions of fields that are only shown: nothing changes across sides.
  BoundarySet mirrors() const;
};

}  // namespace goban::flow
