#pragma once
// One time step of an incompressible flow, and what is made of it.

#include <optional>
#include <string>
#include <vector>

#include "flow/model.hpp"
#include "flow/stage_times.hpp"
#include "goban/program/program.hpp"
#include "goban/solver/projection.hpp"

namespace goban::flow {

/// Fields and programs in D dimensions. T: float or double; the pressure is always double.
template <int D, class T>
class FlowStep {
 public:
  /// Declares the fields, fills them and takes the divergence off the velocity. Errors: of
  /// PoissonSolver; (ExitCode::usage) what flows in cannot flow out, of the whole or of a region
  /// that solids cut off.
  FlowStep(Grid& grid, const Model& model);

  /// The program of one step of dt.
  Program program() const;
  /// Makes velocity, vorticity, pressure.
  Program observation() const;
  /// Sums up.
  Program balance() const;
  /// `courant_rate` and `largest_subgrid` alone.
  Program rate() const;

  /// Returns what solves for the pressure by Fourier transforms; empty if nothing does.
  std::string transforms() const { return projection_.transforms(); }

  Parameter<double> dt{"dt"};  ///< s

 private:
  StageTimes times_{dt};

 public:
  std::vector<Field<T>> faces;              ///< "velocity_x" ..., m/s
  std::vector<Field<T>> scalars;            ///< K
  std::optional<Field<std::uint8_t>> type;  ///< types of cells, see staggered::cell
  std::optional<Field<T>> subgrid;          ///< "subgrid_viscosity", m2/s
  Field<T, 3> velocity, vorticity;          ///< m/s, 1/s; in cells
  Field<double> pressure;                   ///< Pa

  Parameter<double> dt_limit{"dt_limit"};                          ///< s, the longest dt may be
  Parameter<double> courant_rate{"courant_rate"};                  ///< 1/s, largest sum |u| / h
  Parameter<double> largest_subgrid{"largest_subgrid_viscosity"};  ///< m2/s
  Parameter<double> divergence{"largest_divergence"};              ///< 1/s
  Parameter<double> kinetic_energy{"kinetic_energy"};  ///< sum over cells of u^2 / 2, m2/s2
  Parameter<double> shear{"shear"};                    ///< sum over cells of (grad u)^2, 1/s2
  Parameter<double> to_eddies{"to_eddies"};            ///< sum over cells of nu |S|^2, m2/s3
  std::vector<Parameter<double>> push;                 ///< push on solids, sum over cells, m/s2
  /// Sums over cells of the velocity along each axis, m/s.
  std::vector<Parameter<double>> velocity_sums;
  /// Sums over the faces of planes of the velocity through them, m/s.
  std::vector<Parameter<double>> flow_rates;
  /// For each scalar, axis and side, the sum of its differences across the face, ghost less cell.
  std::vector<std::array<std::array<Parameter<double>, 2>, 3>> across;

 private:
  /// A side that is Edge::inflow.
  struct Inflow {
    std::size_t axis;
    Side side;
    TimeValue speed;   ///< m/s, along the axis
    Parameter<T> now;  ///< at the end of a stage
    double area = 0;   ///< m2, of faces at fluid, times the profile; negative at a high side
    std::array<bool, 3> is_parabolic{};  ///< along these axes
  };
  /// A side that is Edge::pressure.
  struct HeldPressure {
    std::size_t axis;
    Side side;
    Parameter<T> now;   ///< m2/s2, over the density, in the middle of a stage
    Parameter<T> push;  ///< m/s, along the axis, in a stage
  };
  struct ScalarSource {
    std::size_t scalar;
    Field<T> shape;    ///< 0 in solids
    Parameter<T> now;  ///< K/s
  };

  void fill(const Model& model);
  void begin();
  void declare_sides();
  void add_eddies(Program& step) const;
  void add_rate(Program& step) const;
  void add_time_step(Program& step) const;
  Parameter<double> add_decay(Program& step) const;
  void add_stage(Program& step, const std::optional<StageWeights>& weights, double begin) const;
  void add_lightness(Program& step) const;
  template <class Visit>
  void with_buoyancy(const Visit& visit) const;
  void add_motion(Program& step) const;
  void add_transport(Program& step) const;
  void add_implicit_diffusion(Program& step) const;
  template <Axis N>
  void add_implicit_transport(Program& step, std::size_t scalar) const;
  void add_inflows(Program& step) const;
  void add_pressures(Program& step) const;
  void add_sides(Program& step, bool is_first) const;
  void add_projection(Program& step) const;
  const GridState& state() const { return *grid_.state(); }
  Box cells() const { return grid_.state()->domain(Location::cell); }
  Box faces_of(std::size_t axis, Side side) const;
  void measure_sides();
  void check_sides() const;
  double inflow_at(double time) const;
  template <class Visit>
  void each_side(Edge edge, const Visit& visit) const;
  template <class Each, class Visit>
  void with_faces(const std::vector<Each>& of_axes, const Visit& visit) const;
  template <class Visit>
  void with_type(const Visit& visit) const;
  template <class Visit>
  void with_eddies(const Visit& visit) const;
  template <class Visit>
  void with_implicit_axis(const Visit& visit) const;
  std::array<T, 3> explicit_part(double diffusivity) const;
  template <class Real>
  std::array<Real, 3> per_h() const;

  Grid grid_;
  Model model_;
  std::vector<Field<T>> rates_, next_;
  std::vector<Field<T>> scalar_rates_, next_scalars_;
  std::optional<Field<T>> squared_mixing_length_;  ///< m2; 0 in solids
  std::vector<std::size_t> buoyant_;               ///< scalars that make the fluid lighter
  std::optional<Field<T>> lightness_;              ///< lightness by several of them, relative
  Projection<D, T> projection_;
  std::vector<Parameter<T>> acceleration_;  ///< m/s2
  std::vector<Inflow> inflows_;
  std::vector<HeldPressure> pressures_;
  std::vector<ScalarSource> sources_;
  double outflow_area_ = 0;  ///< m2

  /// Numbers of the stage that is computed.
  Parameter<T> now_{"now"}, before_{"before"}, short_length_{"length_of_sides"};
  Parameter<double> inflow_{"inflow"}, outflow_{"outflow"};  ///< m3/s
  Parameter<T> outflow_speed_{"outflow_speed"};              ///< m/s
  Parameter<T> missing_{"missing_outflow"};
};

}  // namespace goban::flow
