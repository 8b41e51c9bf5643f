#pragma once
// One time step of the atmosphere, and what is shown of it.

#include <array>
#include <optional>

#include "atmosphere/kessler.hpp"
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

/// Vapour, cloud and rain.
template <class T>
struct Water {
  Water(Grid& grid, const std::string& prefix, const std::string& suffix);
  std::array<Field<T>, 3> all() const { return {vapor, cloud, rain}; }

  Field<T> vapor, cloud, rain;
};

/// What moist air has beside the fields of dry air.
template <class T>
struct Moisture {
  Moisture(Grid& grid, const Model& model);

  Water<T> now;                        ///< G rho q, kg/m3
  Water<T> ratio;                      ///< shown: mixing ratios, kg/kg; within a step also q
  Field<T> equivalent_theta;           ///< K
  Field<T> rain_rate;                  ///< kg/(m2 s), in the lowest level
  Field<T> fallen_rain;                ///< kg/m2, in the lowest level
  Parameter<double> water{"water"};    ///< sum over cells of G rho q, kg/m3
  Parameter<double> fallen{"fallen"};  ///< sum of fallen_rain
  Parameter<double> largest_cloud{"largest_cloud"};           ///< kg/kg
  Parameter<double> largest_rain{"largest_rain"};             ///< kg/kg
  Parameter<double> largest_equivalent{"largest_theta_e"};    ///< K
  Parameter<double> smallest_equivalent{"smallest_theta_e"};  ///< K

  Water<T> star;
  Field<T> flux_x, flux_y, flux_z;  ///< F of a stage
  Field<T> share;                   ///< share of what would leave a cell that may leave it
  /// Rate of change by the last warm rain, of G rho theta_m, kg K/(m3 s).
  Field<T> heating;
  Field<T> dry_density, exner, thickness, theta;
  Parameter<double> dt;
};

/// Fields and programs in D dimensions, in the plane along x and z with one cell along y, along
/// which nothing changes. T: float or double.
template <int D, class T>
class AtmosphereStep {
 public:
  /// Declares the fields and fills them.
  AtmosphereStep(Grid& grid, const Model& model);

  /// The program of one step of the model's dt.
  Program program() const;
  /// Makes velocity, theta, pressure and the numbers below.
  Program observation() const;

  State<T> now;
  std::optional<Moisture<T>> water;  ///< none in dry air
  Field<T, 3> velocity;              ///< m/s, in cells
  Field<T> theta_deviation;          ///< K, from the base state; theta of moist air
  Field<T> pressure;                 ///< Pa, deviation from the base state
  Field<T> height;                   ///< m, of cells
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
  void add_short_steps(Program& step, int number, double dtau, const Field<T>& state_w) const;
  void add_water(Program& step, const State<T>& state, const Water<T>& from, int short_steps,
                 double dt, bool is_last) const;
  void add_rain(Program& step) const;
  void add_shown_water(Program& observe) const;
  std::array<T, 3> per_h() const;
  Rates<T> numbers() const;

  Grid grid_;
  Model model_;
  State<T> star_, deviation_, rate_;
  Field<T> next_w_;                         ///< next values of deviation_.z
  Field<T> stretch_, slope_x_, slope_y_;    ///< see Levels; slopes on lower faces
  Field<T> per_stretch_x_, per_stretch_y_;  ///< 1/G, on faces
  Field<T> mass_, base_heat_, base_pressure_;
  Field<T> sponge_;  ///< 1/s, below cells
  Field<T> theta_, p_, stiffness_, u_, v_, w_, O_;
  Field<T> p_star_;
};

}  // namespace goban::atmosphere
