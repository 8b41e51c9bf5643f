#pragma once
// What a case of the atmosphere is made of: numbers with units.

#include <memory>
#include <optional>
#include <vector>

#include "atmosphere/air_profile.hpp"
#include "atmosphere/map.hpp"
#include "atmosphere/moisture.hpp"
#include "atmosphere/vortex.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/grid/grid.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban::atmosphere {

/// Height of the ground above the lowest level, along x alone where there is no width along y.
struct Terrain {
  enum class Shape {
    none,
    bell,    ///< h / (1 + (x/a)^2 + (y/b)^2), Agnesi's curve
    schaer,  ///< h exp(-(x/a)^2) cos^2(pi x / lambda): Mon. Weather Rev. 130 (2002) 2459
    file     ///< the columns' heights
  };
  Shape shape = Shape::none;
  double height = 0;                  ///< m
  double half_width = 1;              ///< m, a
  double width_y = 0;                 ///< m, b; 0: the same for all y
  double wavelength = 1;              ///< m, lambda
  double center_x = 0, center_y = 0;  ///< m
  double steepest =
      0.5;  ///< slope of a file: difference of neighbours over the mean distance of levels
  std::shared_ptr<const std::vector<double>> columns = nullptr;  ///< m, of a file, x fastest

  double at(double x, double y) const;  ///< m; not of a file
};

/// Fields that files give, in cells, in place of the base state's; null: none.
struct StartFields {
  using Source = std::shared_ptr<ImageSource>;
  Source theta, pressure, u, v, w, vapor, cloud, rain;
};

/// Air that is warmer or colder than the rest at the beginning, at the pressure that is there.
struct Bubble {
  enum class Shape {
    cosine,  ///< (1 + cos(pi L)) / 2 for L < 1
    ridge    ///< sin(pi z / lid) / (1 + (x/a)^2), a the first radius
  };
  Shape shape = Shape::cosine;
  /// What the amplitude is of: theta (that of moist air), temperature, or buoyancy, 300 K being
  /// gravity.
  enum class Of { theta, temperature, buoyancy };
  double amplitude = 0;  ///< K
  Of of = Of::theta;
  Real3 center{}, radius{0, 0, 0};  ///< m; L^2 is the sum over axes whose radius is not 0
  /// K, at a place `height` above the lowest level under a lid.
  double at(double x, double y, double height, double lid) const;
};

/// Water in the air at the beginning, and whether there is any at all.
struct Humidity {
  enum class Kind {
    none,       ///< dry air, now and later
    relative,   ///< vapour at this humidity, potential temperature being the model's
    saturated,  ///< vapour and cloud, neutral to reversible ascent
    sounding    ///< vapour of the profile
  };
  Kind kind = Kind::none;
  /// Relative humidity: at the ground less (ground - aloft) (z / height)^exponent, up to `height`.
  double ground = 0, aloft = 0;
  double height = 12000;  ///< m
  double exponent = 1.25;
  double largest = 1;             ///< mixing ratio of vapour, kg/kg
  double total_water = 0.02;      ///< mixing ratio of all water in saturated air, kg/kg
  double equivalent_theta = 320;  ///< theta_e of saturated air where z = 0, K
  enum class Rain {
    none,     ///< cloud condenses and evaporates only
    kessler,  ///< cloud becomes rain
    wsm6      ///< there is ice, too: cloud ice, snow and graupel
  };
  Rain rain = Rain::kessler;

  bool has_water() const { return kind != Kind::none; }
  bool has_ice() const { return has_water() && rain == Rain::wsm6; }
  double relative(double z) const;
};

/// What lies beyond the sides of the grid.
enum class SideKind {
  periodic,
  open,  ///< waves leave
  wall,
  base,   ///< the wind of the base state
  larger  ///< a larger model
};
struct LateralSides {
  /// Low and high side of x, y, z; along z ground and lid.
  Sides<SideKind> kind{{{SideKind::periodic, SideKind::periodic},
                        {SideKind::periodic, SideKind::periodic},
                        {SideKind::wall, SideKind::wall}}};
  double depth = 0;        ///< m, beside open sides and the base state: where air goes back to it
  double rate = 0.01;      ///< 1/s, at the side
  double wave_speed = 30;  ///< m/s, with which waves leave
  std::string larger;      ///< file of the larger model, see LargerModel; empty: there is none
  double larger_time = 0;  ///< s, of the larger model where this run begins
  bool begins_as_larger = false;  ///< the air at first is what the larger model says

  bool have(SideKind one) const {
    return kind[0][0] == one || kind[0][1] == one || kind[1][0] == one || kind[1][1] == one;
  }
  bool wraps(std::size_t axis) const { return kind[axis][0] == SideKind::periodic; }
  BoundarySet boundary() const {
    return conditions_at(kind, [](std::size_t, SideKind) { return mirror; });
  }
};

/// What ground or sea exchange with the air.
struct Surface {
  using Map = std::shared_ptr<const std::vector<double>>;
  enum class Kind { none, sea, land, fluxes };
  Kind kind = Kind::none;
  double temperature = 300;  ///< K
  double lapse_rate = 0;     ///< K/m, by which ground is colder the higher it lies
  double roughness = 0.1;    ///< m, of land
  double wetness = 1;        ///< 1: as the sea
  /// Values of all columns in their place, x fastest; null: there is one for all. Where roughness
  /// is 0 there is sea.
  Map temperatures = nullptr, roughnesses = nullptr, wetnesses = nullptr;
  /// `fluxes` give what goes up over density, K m/s and m/s, and the root of the stress over it.
  double heat_flux = 0, vapor_flux = 0, friction_velocity = 0;
  bool mixes = false;  ///< what it exchanges is mixed upward, see BoundaryLayer
};

/// What makes air uneven at first: differences of equal probability up to these.
struct Noise {
  double theta = 0, vapor = 0;  ///< K, kg/kg
  double height = 1000;         ///< m, up to which there are any
};

struct Model {
  double gas_constant = 287;         ///< J/(kg K)
  double heat_capacity = 1004;       ///< J/(kg K), at constant pressure
  double surface_pressure = 100000;  ///< Pa, where z = 0; theta is temperature at 100000 Pa
  double gravity = 9.81;             ///< m/s2
  double rotation = 0;               ///< 1/s, f, of a plane
  double diffusivity = 0;            ///< m2/s, of momentum
  std::optional<double> heat_diffusivity = {};  ///< m2/s, of theta and water; else the same
  double smagorinsky = 0;        ///< c of eddies of the size c (dx dy dz)^(1/3); 0: none
  bool spreads_all = false;      ///< eddies spread the base state, too
  std::array<double, 2> wind{};  ///< m/s, at the beginning, along x and y; and the profile's

  double surface_theta = 300;  ///< K, of the base state, where z = 0
  double stability = 0;        ///< 1/s, N: theta = surface_theta exp(N^2 z / g)
  double warmer = 0;           ///< K, the air at the beginning than the base state
  std::vector<Bubble> bubbles;
  Humidity humidity;
  bool shows_storms = false;  ///< reflectivity, CAPE and CIN are among what outputs show
  std::shared_ptr<const AirProfile> profile;  ///< in place of theta above; null: none
  StartFields start;
  Noise noise;
  Vortex vortex;
  std::shared_ptr<const LargeScale> large_scale;  ///< null: nothing happens around
  double cooling_time = 0;  ///< s, of Newtonian cooling toward the profile's theta_eq; 0: none
  LateralSides sides;
  Surface surface;
  Map map;

  Terrain terrain;
  double terrain_decay = 0;  ///< m, levels flatten as sinh((H - s)/decay); 0: linearly
  double lowest_level = 1;   ///< thickness of the lowest level over the mean of all

  double sponge_depth = 0;   ///< m, below the lid
  double sponge_rate = 0.2;  ///< 1/s, at the lid; see usual_sponge_rate

  double dt = 1;        ///< s
  int short_steps = 6;  ///< short steps of a whole step, even
  double ahead = 0.6;   ///< share of the end of a short step in its implicit terms
  double divergence_damping = 0.1;
  bool limits_theta = true;  ///< advection makes no new extrema of potential temperature

  double kappa() const { return heat_diffusivity.value_or(diffusivity); }
  bool has_eddies() const {
    return diffusivity > 0 || kappa() > 0 || smagorinsky > 0 || surface.mixes;
  }
  double gamma() const { return heat_capacity / (heat_capacity - gas_constant); }
  template <class T>
  MoistAir<T> moist_air() const {
    return {.gas_constant = static_cast<T>(gas_constant),
            .heat_capacity = static_cast<T>(heat_capacity)};
  }
  double theta(double z) const;                   ///< K, of the base state
  std::array<double, 2> wind_at(double z) const;  ///< m/s, of the base state
  /// Pressure over the base state's at the height z, Pa; of air `warmer` than the base state.
  double pressure(double z, double warmer) const;
  /// Rate at the lid at this height, 1/s, that sends least of the waves over the hill back: 1.5 N^2
  /// a / U, as README.md shows; without waves of a hill of known width 0.2 (Klemp, Dudhia,
  /// Hassiotis, Mon. Wea. Rev. 136 (2008) 3987).
  double usual_sponge_rate(double lid) const;
  double speed_of_sound() const;  ///< m/s, at the ground

  /// The even number of short steps for which sound crosses less than half a cell in each.
  int usual_short_steps(double dt, Real3 spacing) const;
  /// The largest time step of the first stage, which is one short step of a third, for sound along
  /// x and y, and of diffusion, s.
  double largest_time_step(Index3 cells, Real3 spacing) const;
};

/// Heights of levels on a grid: those of the ground are level, the lid is flat. Beyond sides that
/// are not periodic the ground is that of the last column.
class Levels {
 public:
  Levels(const Model& model, const GridState& grid)
      : model_(model),
        cells_(grid.cells),
        spacing_(grid.spacing),
        origin_(grid.origin),
        wraps_{grid.is_periodic(0), grid.is_periodic(1)},
        projection_(model.map) {}

  double lid() const { return static_cast<double>(cells_[2]) * spacing_[2]; }
  /// Heights are those of the grid.
  bool are_flat() const {
    const bool is_plain =
        model_.terrain.shape == Terrain::Shape::none || model_.terrain.height == 0;
    return is_plain && model_.lowest_level == 1;
  }
  /// The height of the lower face of this cell, m.
  double face(Index3 cell) const;
  double center(Index3 cell) const {
    return 0.5 * (face(cell) + face({cell[0], cell[1], cell[2] + 1}));
  }
  /// G = dz/ds of the cell.
  double stretch(Index3 cell) const {
    return (face({cell[0], cell[1], cell[2] + 1}) - face(cell)) / spacing_[2];
  }
  /// dz/dA at constant s, at the lower faces along A = x, y (0, 1) and z of the cell.
  double slope(int axis, Index3 cell) const;
  double ground(Index i, Index j) const;
  /// Returns where the middle of the cell lies on the earth, and the scale of the map there.
  Projection::Place place(Index3 cell) const {
    return projection_.at(middle(0, cell[0]), middle(1, cell[1]));
  }
  /// d(log scale)/dA along A = x, y (0, 1) in the middle of the cell, 1/m: a difference over the
  /// cell.
  double growth(int axis, Index3 cell) const;
  double coriolis(Index3 cell) const {
    return projection_.coriolis(middle(0, cell[0]), middle(1, cell[1]));
  }

 private:
  double middle(std::size_t axis, Index n) const {
    return origin_[axis] + (static_cast<double>(n) + 0.5) * spacing_[axis];
  }

  Model model_;
  Index3 cells_;
  Real3 spacing_, origin_;
  std::array<bool, 2> wraps_;
  Projection projection_;
};

}  // namespace goban::atmosphere
