#pragma once
// One time step of the atmosphere, and what is shown of it.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "atmosphere/kessler.hpp"
#include "atmosphere/larger.hpp"
#include "atmosphere/model.hpp"
#include "atmosphere/start_air.hpp"
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

/// Vapour, cloud and rain; cloud ice, snow and graupel where there are any.
template <class T>
struct Water {
  Water(Grid& grid, const std::string& prefix, const std::string& suffix, bool has_ice);
  std::vector<Field<T>> all() const {
    std::vector<Field<T>> fields{vapor, cloud, rain};
    fields.insert(fields.end(), ice.begin(), ice.end());
    return fields;
  }
  /// use(in(ice), in(snow), in(graupel)), or use().
  template <class F>
  void with_ice(const F& use) const {
    if (ice.empty()) {
      use();
    } else {
      use(in(ice[0]), in(ice[1]), in(ice[2]));
    }
  }

  Field<T> vapor, cloud, rain;
  std::vector<Field<T>> ice;  ///< none, or cloud ice, snow and graupel
};

/// What moist air has beside the fields of dry air.
template <class T>
struct Moisture {
  Moisture(Grid& grid, const Model& model);
  /// Mixing ratios of the base state, which has no ice, in the order of Water::all().
  std::vector<Field<T>> base_shares() const {
    std::vector<Field<T>> shares = base.all();
    shares.resize(now.all().size(), base.rain);
    return shares;
  }

  Water<T> now;                        ///< G rho q, kg/m3
  Water<T> ratio;                      ///< shown: mixing ratios, kg/kg; within a step also q
  Field<T> liquid_path, cloud_cover;   ///< kg/m2, and 1 or 0, of columns, in all their cells
  Field<T> equivalent_theta;           ///< K
  Field<T> relative_humidity;          ///< 1, over water
  Field<T> rain_rate;                  ///< kg/(m2 s), in the lowest level
  Field<T> fallen_rain;                ///< kg/m2, in the lowest level, with all ice
  std::optional<Field<T>> fallen_ice;  ///< kg/m2, what of it was ice
  Parameter<double> water{"water"};    ///< sum over cells of G rho q, kg/m3
  Parameter<double> fallen{"fallen"};  ///< sum of fallen_rain
  Parameter<double> all_liquid{"all_liquid"}, all_cover{"all_cover"};  ///< sums over columns
  Parameter<double> cloud_base{"cloud_base"}, cloud_top{"cloud_top"};  ///< m; none: lid and 0
  Parameter<double> largest_cloud{"largest_cloud"};                    ///< kg/kg
  Parameter<double> largest_rain{"largest_rain"};                      ///< kg/kg
  Parameter<double> largest_equivalent{"largest_theta_e"};             ///< K
  Parameter<double> smallest_equivalent{"smallest_theta_e"};           ///< K

  Water<T> base;  ///< share of all there is, kg/kg, of the base state
  Water<T> star;
  Field<T> flux_x, flux_y, flux_z;  ///< F of a stage
  Field<T> share;                   ///< share of what would leave a cell that may leave it
  /// Rate of change by the last warm rain, of G rho theta_m, kg K/(m3 s).
  Field<T> heating;
  Field<T> dry_density, exner, thickness, theta;
  Parameter<double> dt;
};

/// What eddies spread with, in cells, m2/s, and the square of their size, m2.
template <class T>
struct Eddies {
  explicit Eddies(Grid& grid);

  Field<T> nu, kappa, square_length;
};

/// What the surface is like, in the lowest level.
template <class T>
struct Skin {
  Skin(Grid& grid, const Surface& model);

  Field<T> temperature;  ///< K
  Field<T> roughness;    ///< m; 0: sea
  Field<T> wetness;      ///< 1: as much vapour leaves as does the sea
  Field<T> drag;         ///< share that it takes of momentum in a step
  Field<T> evaporated;   ///< kg/m2, so far
};

/// What happens in the air around, in cells; wind on faces.
template <class T>
struct Around {
  Around(Grid& grid, const Model& model, const Levels& levels);

  Field<T> w, heating, moistening;  ///< m/s; rates of theta_m and vapour, K/s, 1/s
  Field<T> u, v;                    ///< geostrophic, m/s
};

/// What is shown of the air as a whole, in cells.
template <class T>
struct ShownAir {
  explicit ShownAir(Grid& grid);

  Field<T> theta;        ///< potential temperature, K
  Field<T> temperature;  ///< K
  Field<T> pressure;     ///< Pa
  Field<T> density;      ///< kg/m3
};

/// What a larger model says beside the sides: before this time and after, in cells.
template <class T>
struct Outer {
  struct Record {
    Record(Grid& grid, const std::string& prefix);
    void fill(const LargerModel& from, const std::function<bool(Index3)>& is_near) const;

    Field<T> theta, pressure;       ///< deviations from the base state, K, Pa
    Field<T> u, v;                  ///< m/s
    std::array<Field<T>, 3> water;  ///< vapour, cloud and rain: share of all there is
  };
  Outer(Grid& grid, const Model& model, const Levels& levels);
  /// Reads what `time` asks for, if it is not there.
  void show(bool has_water) const;

  Record now, next;
  Parameter<T> share{"larger_share"};     ///< of the way between them
  Parameter<double> time{"larger_time"};  ///< s
  std::shared_ptr<LargerModel> model;
  std::function<bool(Index3)> is_near;                ///< whether a cell is near such a side
  std::shared_ptr<std::optional<std::size_t>> shown;  ///< which record `now` is
};

/// What is shown of storms, in cells; of columns the same number in all their cells.
template <class T>
struct ShownStorms {
  explicit ShownStorms(Grid& grid);

  Field<T> reflectivity, composite;  ///< dBZ
  Field<T> cape, cin;                ///< J/kg
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
  /// Makes what is shown of storms, from what observation() makes.
  Program storm_observation() const;

  State<T> now;
  std::optional<Moisture<T>> water;      ///< none in dry air
  std::optional<ShownStorms<T>> storms;  ///< none in dry air, or where none is shown
  Field<T, 3> velocity;                  ///< m/s, in cells
  Field<T> theta_deviation;              ///< K, from the base state; theta of moist air
  Field<T> pressure_deviation;           ///< Pa, from the base state
  ShownAir<T> air;
  Field<T> height;                                                     ///< m, of cells
  Parameter<double> largest_w{"largest_w"}, smallest_w{"smallest_w"};  ///< m/s
  Parameter<double> largest_wind{"largest_wind"};                      ///< of the lowest level, m/s
  Parameter<double> lowest_pressure{"lowest_pressure"};                ///< at the ground, Pa
  Parameter<double> largest_theta{"largest_theta"}, smallest_theta{"smallest_theta"};  ///< K
  Parameter<double> added_mass{"added_mass"};  ///< sum over cells of G rho', kg/m3
  Parameter<double> base_mass{"base_mass"};    ///< sum over cells of G rho of the base state
  std::optional<Skin<T>> skin;                 ///< none that exchanges nothing
  Parameter<double> evaporated{"evaporated"};  ///< sum of that of the skin

 private:
  void fill_levels(const Levels& levels);
  void fill_state(const Levels& levels);
  void add_wind(Program& start, const StartAir& air);
  void add_start_water(Program& start, const StartAir& air);
  void add_diagnosis(Program& step, const State<T>& state) const;
  void add_rates(Program& step, const State<T>& state, bool is_first_stage) const;
  void add_eddies(Program& step, bool is_first_stage) const;
  void add_sides(Program& step, const State<T>& state) const;
  void add_larger(Program& step) const;
  template <Axis A, bool IsUpper>
  void add_side(Program& step, const State<T>& state) const;
  template <Axis A, bool IsUpper>
  void add_water_side(Program& step) const;
  template <class F>
  void for_sides(const F& add) const;
  Box side_face(Axis axis, bool is_upper) const;
  Box side_strip(Axis axis, bool is_upper) const;
  template <Axis A, bool IsUpper>
  auto nearness() const;
  void add_surface(Program& step) const;
  void add_forcing(Program& step, const State<T>& state) const;
  void add_water_forcing(Program& step) const;
  /// How much of the base state eddies leave as it is.
  T base_share() const { return model_.spreads_all ? T(0) : T(1); }
  Box ground_cells() const;
  Program short_step(double dtau, const Field<T>& state_w) const;
  void add_short_steps(Program& step, int number, double dtau, const Field<T>& state_w) const;
  void add_water(Program& step, const State<T>& state, const Water<T>& from, int short_steps,
                 double dt, bool is_last) const;
  void add_water_sides(Program& step) const;
  void add_rain(Program& step) const;
  void add_ice_ratios(Program& program) const;
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
  Field<T> base_u_, base_v_;  ///< m/s, on faces
  Field<T> sponge_;           ///< 1/s, below cells
  Field<T> theta_, p_, stiffness_, u_, v_, w_, O_;
  Field<T> p_star_;
  std::optional<Eddies<T>> eddies_;  ///< none where nothing is spread
  std::optional<Outer<T>> outer_;    ///< none without a larger model
  std::optional<Around<T>> around_;  ///< none where nothing happens around
};

}  // namespace goban::atmosphere
