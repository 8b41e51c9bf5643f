#pragma once
// One time step of the atmosphere, and what is shown of it.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "atmosphere/kessler.hpp"
#include "atmosphere/larger.hpp"
#include "atmosphere/model.hpp"
#include "atmosphere/start_air.hpp"
#include "goban/program/program.hpp"

namespace goban::atmosphere {

/// Options of a field on faces along A = x, y, and of one that is 0 beyond ground and lid.
inline FieldOptions on_faces(Axis a) {
  return {.location = a == Axis::x ? Location::face_x : Location::face_y};
}
template <class T>
Field<T> ending(Grid& grid, const std::string& name, Location location = Location::cell) {
  BoundarySet sides = grid.state()->boundary;
  for (const Side side : both_sides) sides.at(Axis::z, side) = constant(0);
  return Field<T>(grid, name, {.location = location, .boundary = &sides});
}

/// What the equations are of, times G: the deviation of density and of density times potential
/// temperature from the base state, and momenta; of W the faces below cells, that of the lid is 0.
template <class T>
struct State {
  Grid grid;
  std::string prefix;
  Field<T> density{grid, prefix + "density_deviation"};        ///< kg/m3
  Field<T> heat{grid, prefix + "heat_deviation"};              ///< kg K/m3
  Field<T> x{grid, prefix + "momentum_x", on_faces(Axis::x)};  ///< kg/(m2 s)
  Field<T> y{grid, prefix + "momentum_y", on_faces(Axis::y)};  ///< kg/(m2 s)
  Field<T> z = ending<T>(grid, prefix + "momentum_z");         ///< kg/(m2 s), below cells

  /// All five as arguments of a stage, to be read, set or both; see add().
  auto read() const { return std::tuple{in(density), in(heat), in(x), in(y), in(z)}; }
  auto set() const { return std::tuple{out(density), out(heat), out(x), out(y), out(z)}; }
  auto change() const {
    return std::tuple{inout(density), inout(heat), inout(x), inout(y), inout(z)};
  }
};

/// A stage of the functor whose arguments are those of all these tuples, one after the other.
template <class F, class... Groups>
auto add(Program& step, const F& functor, const Groups&... groups) {
  return std::apply([&](const auto&... all) { return step.apply(functor, all...); },
                    std::tuple_cat(groups...));
}

/// Vapour, cloud and rain; cloud ice, snow and graupel where there are any.
template <class T>
struct Water {
  Grid grid;
  std::string prefix, suffix;
  bool has_ice = false;
  Field<T> vapor{grid, prefix + "vapor" + suffix}, cloud{grid, prefix + "cloud" + suffix},
      rain{grid, prefix + "rain" + suffix};
  std::vector<Field<T>> ice = ice_fields();  ///< none, or cloud ice, snow and graupel

  std::vector<Field<T>> ice_fields() {
    std::vector<Field<T>> fields;
    for (const char* name : {"ice", "snow", "graupel"}) {
      if (has_ice) fields.emplace_back(grid, prefix + name + suffix);
    }
    return fields;
  }
  std::vector<Field<T>> all() const {
    std::vector<Field<T>> fields{vapor, cloud, rain};
    fields.insert(fields.end(), ice.begin(), ice.end());
    return fields;
  }
  const Field<T>& species(std::size_t n) const {
    return n == 0 ? vapor : n == 1 ? cloud : n == 2 ? rain : ice[n - 3];
  }
  /// use(a sequence of the numbers of its species).
  template <class F>
  void with_species(const F& use) const {
    if (has_ice) {
      use(std::make_index_sequence<6>{});
    } else {
      use(std::make_index_sequence<3>{});
    }
  }
  /// Species of these numbers as arguments of a stage, to be read, set or both; see add().
  template <std::size_t... n>
  auto read(std::index_sequence<n...>) const {
    return std::tuple{in(species(n))...};
  }
  template <std::size_t... n>
  auto set(std::index_sequence<n...>) const {
    return std::tuple{out(species(n))...};
  }
  template <std::size_t... n>
  auto change(std::index_sequence<n...>) const {
    return std::tuple{inout(species(n))...};
  }
};

/// What moist air has beside the fields of dry air.
template <class T>
struct Moisture {
  Grid grid;
  bool has_ice;
  Parameter<double> dt;

  Water<T> now{grid, "", "_density", has_ice};            ///< G rho q, kg/m3
  Water<T> ratio{grid, "", "", has_ice};                  ///< shown: mixing ratios, kg/kg; also q
  Field<T> liquid_path{grid, "liquid_water_path"};        ///< kg/m2, of columns, in all their cells
  Field<T> cloud_cover{grid, "cloud_cover"};              ///< 1 or 0, likewise
  Field<T> equivalent_theta{grid, "equivalent_theta"};    ///< K
  Field<T> relative_humidity{grid, "relative_humidity"};  ///< 1, over water
  Field<T> rain_rate{grid, "rain_rate"};                  ///< kg/(m2 s), in the lowest level
  Field<T> fallen_rain{grid, "fallen_rain"};  ///< kg/m2, in the lowest level, with all ice
  std::optional<Field<T>> fallen_ice = {};    ///< kg/m2, what of it was ice
  Parameter<double> water{"water"};           ///< sum over cells of G rho q, kg/m3
  Parameter<double> fallen{"fallen"};         ///< sum of fallen_rain
  Parameter<double> all_liquid{"all_liquid"}, all_cover{"all_cover"};  ///< sums over columns
  Parameter<double> cloud_base{"cloud_base"}, cloud_top{"cloud_top"};  ///< m; none: lid and 0
  Parameter<double> largest_cloud{"largest_cloud"};                    ///< kg/kg
  Parameter<double> largest_rain{"largest_rain"};                      ///< kg/kg
  Parameter<double> largest_equivalent{"largest_theta_e"};             ///< K
  Parameter<double> smallest_equivalent{"smallest_theta_e"};           ///< K

  Water<T> base{grid, "base_", ""};  ///< share of all there is, kg/kg, of the base state; no ice
  Water<T> star{grid, "star_", "_density", has_ice};
  Field<T> flux_x{grid, "flux_x", on_faces(Axis::x)}, flux_y{grid, "flux_y", on_faces(Axis::y)},
      flux_z = ending<T>(grid, "flux_z");  ///< F of a stage
  Field<T> share{grid, "share"};           ///< share of what would leave a cell that may leave it
  /// Rate of change by the last warm rain, of G rho theta_m, kg K/(m3 s).
  Field<T> heating{grid, "heating"};
  Field<T> dry_density{grid, "dry_density"}, exner{grid, "exner"}, thickness{grid, "thickness"},
      theta{grid, "dry_theta"};

  /// Mixing ratios of the base state in the order of Water::all().
  std::vector<Field<T>> base_shares() const {
    std::vector<Field<T>> shares = base.all();
    shares.resize(now.all().size(), base.rain);
    return shares;
  }
};

/// What eddies spread with, in cells, m2/s, and the square of their size, m2.
template <class T>
struct Eddies {
  Grid grid;
  Field<T> nu{grid, "nu"}, kappa{grid, "kappa"}, square_length{grid, "square_length"};
};

/// What the surface is like, in the lowest level.
template <class T>
struct Skin {
  Grid grid;
  Field<T> temperature{grid, "surface_temperature"};  ///< K
  Field<T> roughness{grid, "roughness"};              ///< m; 0: sea
  Field<T> wetness{grid, "wetness"};                  ///< 1: as much vapour leaves as does the sea
  Field<T> drag{grid, "drag"};                        ///< share that it takes of momentum in a step
  Field<T> evaporated{grid, "evaporated"};            ///< kg/m2, so far
};

/// What happens in the air around, in cells; wind on faces.
template <class T>
struct Around {
  Grid grid;
  Field<T> w{grid, "subsidence"};                  ///< m/s
  Field<T> heating{grid, "forced_heating"};        ///< rate of theta_m, K/s
  Field<T> moistening{grid, "forced_moistening"};  ///< rate of vapour, 1/s
  Field<T> u{grid, "geostrophic_u", on_faces(Axis::x)}, v{grid, "geostrophic_v", on_faces(Axis::y)};
};

/// What a map says of each cell.
template <class T>
struct MapFields {
  Grid grid;
  Field<T> area{grid, "map_area"};      ///< area on the earth over that on the map, 1/m^2
  Field<T> coriolis{grid, "coriolis"};  ///< f, 1/s
  Field<T> growth_x{grid, "map_growth_x"}, growth_y{grid, "map_growth_y"};  ///< d(log m), 1/m
  Field<T> latitude{grid, "latitude"}, longitude{grid, "longitude"};        ///< degrees
};

/// What is shown of the air as a whole, in cells.
template <class T>
struct ShownAir {
  Grid grid;
  Field<T> theta{grid, "potential_temperature"};  ///< K
  Field<T> temperature{grid, "temperature"};      ///< K
  Field<T> pressure{grid, "pressure"};            ///< Pa
  Field<T> density{grid, "density"};              ///< kg/m3
};

/// What a larger model says beside the sides: before this time and after, in cells.
template <class T>
struct Outer {
  struct Record {
    Grid grid;
    std::string prefix;
    /// In the order of LargerModel::Value: deviations from the base state, K, Pa; wind, m/s;
    /// vapour, cloud and rain: share of all there is.
    Field<T> theta{grid, prefix + "theta"}, pressure{grid, prefix + "pressure"},
        u{grid, prefix + "u"}, v{grid, prefix + "v"};
    std::array<Field<T>, 3> water{Field<T>(grid, prefix + "vapor"),
                                  Field<T>(grid, prefix + "cloud"),
                                  Field<T>(grid, prefix + "rain")};
    std::optional<Field<T>> w = {};  ///< m/s, where the run begins with it

    void fill(const LargerModel& from, const std::function<bool(Index3)>& is_near) const;
  };
  Outer(Grid& grid, const Model& model, const Levels& levels);
  /// Reads what `time` asks for, if it is not there.
  void show(bool has_water) const;

  Record now, next;
  Parameter<T> share{"larger_share"};     ///< share of the way between them
  Parameter<double> time{"larger_time"};  ///< s
  std::shared_ptr<LargerModel> model;
  std::function<bool(Index3)> is_near;                ///< whether a cell is near such a side
  bool begins;                                        ///< all cells are filled at first
  std::shared_ptr<std::optional<std::size_t>> shown;  ///< which record `now` is

  /// What TowardLarger reads beside the base state's mass and the density.
  auto of_goal() const {
    const Record &a = now, &b = next;
    return std::tuple{param(share), in(a.theta),    in(a.pressure), in(a.u), in(a.v),
                      in(b.theta),  in(b.pressure), in(b.u),        in(b.v)};
  }
};

/// What is shown of storms, in cells; of columns the same number in all their cells.
template <class T>
struct ShownStorms {
  Grid grid;
  Field<T> reflectivity{grid, "reflectivity"}, composite{grid, "composite_reflectivity"};  ///< dBZ
  Field<T> cape{grid, "cape"}, cin{grid, "cin"};                                           ///< J/kg
};

/// Fields and programs in D dimensions, in the plane along x and z with one cell along y, along
/// which nothing changes. T: float or double.
template <int D, class T>
class AtmosphereStep {
  Grid grid_;
  Model model_;

 public:
  /// Declares the fields and fills them.
  AtmosphereStep(Grid& grid, const Model& model);

  /// The program of one step of the model's dt.
  Program program() const;
  /// Makes velocity, theta, pressure and the numbers below.
  Program observation() const;
  /// Makes what is shown of storms, from what observation() makes.
  Program storm_observation() const;

  State<T> now{grid_, ""};
  std::optional<Moisture<T>> water;                          ///< none in dry air
  std::optional<ShownStorms<T>> storms;                      ///< none where none is shown
  Field<T, 3> velocity{grid_, "velocity"};                   ///< m/s, in cells
  Field<T> theta_deviation{grid_, "theta_deviation"};        ///< K; theta of moist air
  Field<T> pressure_deviation{grid_, "pressure_deviation"};  ///< Pa
  ShownAir<T> air{grid_};
  std::optional<MapFields<T>> map;                                     ///< none on a plane
  Field<T> height{grid_, "height"};                                    ///< m, of cells
  Parameter<double> largest_w{"largest_w"}, smallest_w{"smallest_w"};  ///< m/s
  Parameter<double> largest_wind{"largest_wind"};        ///< largest wind of the lowest level, m/s
  Parameter<double> lowest_pressure{"lowest_pressure"};  ///< at the ground, reduced to z = 0, Pa
  Parameter<double> largest_theta{"largest_theta"}, smallest_theta{"smallest_theta"};  ///< K
  Parameter<double> added_mass{"added_mass"};  ///< sum over cells of G rho', kg/m3
  Parameter<double> base_mass{"base_mass"};    ///< sum over cells of G rho of the base state
  std::optional<Skin<T>> skin;                 ///< none that exchanges nothing
  Parameter<double> evaporated{"evaporated"};  ///< sum of that of the skin

 private:
  void fill_levels(const Levels& levels);
  void fill_map(const Levels& levels);
  /// Calls use with the map's area as an argument of a stage or, on a plane, without.
  template <class F>
  void with_area(const F& use) const {
    map ? use(in(map->area)) : use();
  }
  void fill_eddies(const Levels& levels);
  void fill_skin(const Levels& levels);
  void fill_around(const Levels& levels);
  void fill_water(const Levels& levels);
  void fill_state(const Levels& levels);
  void add_wind(Program& start, StartAir& air);
  void add_larger_start(Program& start, StartAir& air);
  void add_start_water(Program& start, const StartAir& air);
  void add_diagnosis(Program& step, const State<T>& state) const;
  void add_rates(Program& step, const State<T>& state, bool is_first_stage) const;
  void add_eddies(Program& step, bool is_first_stage) const;
  void add_larger(Program& step) const;
  template <Axis A, bool IsUpper>
  void add_side(Program& step, const State<T>& state) const;
  template <Axis A, bool IsUpper>
  void add_water_side(Program& step) const;
  SideKind side(Axis axis, bool is_upper) const {
    return model_.sides.kind[static_cast<std::size_t>(index_of(axis))][is_upper ? 1 : 0];
  }
  Box side_face(Axis axis, bool is_upper) const {
    const int a = index_of(axis);
    Box face = grid_.state()->domain(on_faces(axis).location);
    (is_upper ? face.lower : face.upper)[a] = is_upper ? face.upper[a] - 1 : 1;
    return face;
  }
  Box side_strip(Axis axis, bool is_upper) const;
  template <Axis A, bool IsUpper>
  auto nearness() const;
  void add_sides(Program& step, const State<T>& state, bool is_of_water) const;
  void add_surface(Program& step) const;
  void add_forcing(Program& step, const State<T>& state) const;
  void add_cooling(Program& step, const State<T>& state, bool is_first_stage) const;
  void add_water_forcing(Program& step) const;
  /// How much of the base state eddies leave as it is.
  T base_share() const { return model_.spreads_all ? T(0) : T(1); }
  Box ground_cells() const {
    Box ground = grid_.state()->domain(Location::cell);
    ground.upper[2] = 1;
    return ground;
  }
  void add_short_steps(Program& step, int number, double dtau, const Field<T>& state_w) const;
  void add_water(Program& step, const State<T>& state, const Water<T>& from, int short_steps,
                 double dt, bool is_last) const;
  void add_rain(Program& step) const;
  void add_shown_water(Program& observe) const;
  /// 1 over the lengths of cells, times this.
  std::array<T, 3> per_h(double of = 1) const {
    const Real3 h = grid_.spacing();
    return {T(of / h[0]), T(of / h[1]), T(of / h[2])};
  }
  std::int32_t levels() const { return static_cast<std::int32_t>(grid_.cells()[2]); }
  /// Slopes along x, y and 1/G there, as functors of what goes along levels take them.
  auto slopes() const {
    return std::tuple{in(slope_x_), in(slope_y_), in(per_stretch_x_), in(per_stretch_y_)};
  }

  State<T> star_{grid_, "star_"}, deviation_{grid_, "deviation_"}, rate_{grid_, "rate_"};
  Field<T> next_w_{deviation_.z, "next_deviation_z"};
  Field<T> stretch_{grid_, "stretch"};
  Field<T> volume_ = stretch_;  ///< volume of cells over that on a map of flat ground: G area
  Field<T> slope_x_ = ending<T>(grid_, "slope_x", Location::face_x),
           slope_y_ = ending<T>(grid_, "slope_y", Location::face_y);  ///< see Levels
  Field<T> per_stretch_x_{grid_, "per_stretch_x", on_faces(Axis::x)},
      per_stretch_y_{grid_, "per_stretch_y", on_faces(Axis::y)};  ///< 1/G
  Field<T> mass_{grid_, "base_density"}, base_heat_{grid_, "base_heat"},
      base_pressure_{grid_, "base_pressure"};
  Field<T> base_u_{grid_, "base_u", on_faces(Axis::x)},
      base_v_{grid_, "base_v", on_faces(Axis::y)};  ///< m/s
  Field<T> sponge_{grid_, "sponge"};                ///< 1/s, below cells
  Field<T> theta_{grid_, "theta"}, p_{grid_, "p"}, stiffness_{grid_, "stiffness"};
  Field<T> u_{grid_, "u", on_faces(Axis::x)}, v_{grid_, "v", on_faces(Axis::y)},
      w_ = ending<T>(grid_, "w"), O_ = ending<T>(grid_, "O");
  Field<T> p_star_{grid_, "p_star"};
  std::optional<Eddies<T>> eddies_;      ///< none where nothing is spread
  std::optional<Outer<T>> outer_;        ///< none without a larger model
  std::optional<Around<T>> around_;      ///< none where nothing happens around
  std::optional<Field<T>> equilibrium_;  ///< theta toward which radiation cools, K; none: nowhere
};

}  // namespace goban::atmosphere
