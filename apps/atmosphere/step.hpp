#pragma once
// One time step of the dry atmosphere, and what is shown of it.

#include <array>

#include "atmosphere/model.hpp"
#include "goban/program/program.hpp"

namespace goban::atmosphere {

template <class Real>
struct Rates;

/// What the equations are of, times G: the deviation of density and of density times potential
/// temperature from the base state, and momenta; of W the faces below cells, that of the lid is 0.
template <class T>
struct State {
  State(Grid& grid, const std::string& prefix);

  Field<T> density, heat;  ///< kg/m3, kg K/m3; in cells
  Field<T> x, y, z;        ///< kg/(m2 s); on faces along x and y, below cells
};

/// Fields and programs in D dimensions, in the plane along x and z with one cell along y, along
/// which nothing changes. T: float or double.
template <int D, class T>
class AtmosphereStep {
 public:
  /// Declares the fields and fills them.
  AtmosphereStep(Grid& grid, const Model& model);

  /// One step of the model's dt.
  Program program() const;
  /// Makes velocity, theta, pressure and the numbers below.
  Program observation() const;

  State<T> now;
  Field<T, 3> velocity;      ///< m/s, in cells
  Field<T> theta_deviation;  ///< K, from the base state
  Field<T> pressure;         ///< Pa, deviation from the base state
  Parameter<double> largest_w{"largest_w"}, smallest_w{"smallest_w"};                  ///< m/s
  Parameter<double> largest_theta{"largest_theta"}, smallest_theta{"smallest_theta"};  ///< K
  Parameter<double> added_mass{"added_mass"};  ///< sum over cells of G rho', kg/m3
  Parameter<double> base_mass{"base_mass"};    ///< sum over cells of G rho of the base state

 private:
  void fill_levels(const Levels& levels);
  void fill_state(const Levels& levels);
  void add_diagnosis(Program& step, const State<T>& state) const;
  void add_rates(Program& step, const State<T>& state) const;
  template <bool Diffuses>
  void add_rates_of(Program& step, const State<T>& state) const;
  Program short_step(double dtau, const Field<T>& state_w) const;
  std::array<T, 3> per_h() const;
  Rates<T> numbers() const;

  Grid grid_;
  Model model_;
  State<T> star_, deviation_, rate_;
  Field<T> next_w_;                         ///< of deviation_.z
  Field<T> stretch_, slope_x_, slope_y_;    ///< see Levels; slopes on lower faces
  Field<T> per_stretch_x_, per_stretch_y_;  ///< 1/G, on faces
  Field<T> mass_, base_heat_, base_pressure_;
  Field<T> sponge_;  ///< 1/s, below cells
  Field<T> theta_, p_, stiffness_, u_, v_, w_, O_;
  Field<T> p_star_;
};

}  // namespace goban::atmosphere
