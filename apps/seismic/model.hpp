#pragma once
// What a case of elastic waves is made of: plain numbers with units, and files of rock. z points
// down.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/base/types.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/grid.hpp"
#include "goban/io/image/image_source.hpp"
#include "seismic/time_function.hpp"

namespace goban::seismic {

/// An isotropic elastic solid, or a fluid if vs = 0.
struct Rock {
  double vp = 1;       ///< m/s
  double vs = 0;       ///< m/s
  double density = 1;  ///< kg/m3
  double p_loss = 0;   ///< 1/Q of P waves
  double s_loss = 0;   ///< 1/Q of S waves

  double mu() const { return density * vs * vs; }                      ///< Pa
  double lambda() const { return density * (vp * vp - 2 * vs * vs); }  ///< Pa
  /// Positive speeds and density, and pressure that does not make it swell.
  bool exists() const;
};

/// A layer reaches from `top` down to the top of the next layer.
struct Layer {
  double top = 0;           ///< m
  Rock rock;                ///< at its top
  Rock per_metre{0, 0, 0};  ///< what rock gains per metre below its top
};

/// A body of other rock; the last one that contains a point counts.
struct Body {
  enum class Shape {
    box,       ///< lower <= position < upper
    ellipsoid  ///< within `semi_axes` of `center`
  };
  Shape shape = Shape::box;
  Real3 lower{}, upper{};              ///< m
  Real3 center{}, semi_axes{1, 1, 1};  ///< m
  Rock rock;

  bool contains(Position position) const;
};

class RockFiles;

/// Rock as a function of place: values cell by cell, or layers with bodies in them.
struct Medium {
  std::vector<Layer> layers{Layer{}};  ///< by depth; the first reaches up to the surface
  std::vector<Body> bodies;
  std::shared_ptr<RockFiles> files;  ///< cell by cell, instead of layers and bodies

  /// The rock of a cell; where it comes from files, one in the box that was shown last.
  Rock at(Index3 cell, Position position) const;
  /// What has to be shown the boxes of cells first, for Field::fill.
  BoxFunction prepare() const;
  bool is_uniform() const { return layers.size() == 1 && bodies.empty() && !files; }
};

/// What one side of the grid does.
enum class Edge {
  periodic,
  absorbing,
  free  ///< free surface, on the low side of z alone
};

struct Absorber {
  enum class Kind {
    pml,    ///< convolutional perfectly matched layer
    sponge  ///< values are multiplied by exp(-(strength depth)^2) every step
  };
  Kind kind = Kind::pml;
  int width = 10;            ///< cells
  double reflection = 1e-4;  ///< pml: of a wave that goes straight in and back, by theory
  double frequency = 1;      ///< Hz, pml: below it grazing waves are absorbed less
  double strength = 0.015;   ///< sponge: per cell
};

struct Source {
  Real3 position{};                ///< m
  std::optional<Real3> force;      ///< times the time function: N
  std::array<double, 6> moment{};  ///< xx yy zz xy xz yz; times the time function: N m/s
  TimeFunction time;
};

/// A plane wave that fills a periodic grid when the run starts: an exact solution of the discrete
/// equations in a uniform medium.
struct PlaneWave {
  enum class Kind { p, s };
  Kind kind = Kind::p;
  Index3 waves{1, 0, 0};     ///< periods over the grid along x, y, z
  Real3 direction{0, 0, 1};  ///< s: of the motion; what is along the wave is left out
  double amplitude = 1;      ///< m/s
};

/// Frequencies over which Q is what rock says, Hz.
struct Band {
  double low = 0, high = 0;
  double reference = 0;  ///< at which speeds are what rock says
};

struct Model {
  int dimensions = 3;  ///< 2: P and SV waves in the plane of x and z
  int order = 4;       ///< order of differences in space: 2, 4, 8
  Medium medium;
  std::optional<Band> band;  ///< without it losses do not count
  Sides<Edge> edges{};
  Absorber absorber;
  std::vector<Source> sources;
  std::optional<PlaneWave> start;
  /// Fields when the run starts, by name: velocity_x ..., normal_xx ..., shear_xy ...
  std::map<std::string, std::shared_ptr<ImageSource>> start_fields;
  bool peak_velocity = false;  ///< keep the largest speed at the surface
  bool displacement = false;   ///< keep the integral of the velocity over time

  bool has_surface() const { return edges[2][0] == Edge::free; }
  bool absorbs(Axis axis, Side side) const {
    return edges[index_of(axis)][index_of(side)] == Edge::absorbing;
  }
};

/// Largest vp anywhere, smallest vs but 0 (0 if there is none).
struct SpeedRange {
  double fastest = 0, slowest = 0;

  void include(const Rock& rock);
};
/// Collective: each rank reads its part of files.
SpeedRange speeds(const Medium& medium, const GridOptions& grid, Communicator& ranks);
/// Calls visit with all rock of layers, cell by cell down the grid, and of bodies.
void each_rock(const Medium& medium, const GridOptions& grid,
               const std::function<void(const Rock&)>& visit);

/// Largest stable time step of leapfrog: 2 over the largest frequency,
///   dt = 1 / (vp S sqrt(sum of 1/h^2)),  S = sum of |c_j| = 1, 7/6, 2161/1680 for orders 2, 4, 8,
/// in a uniform medium without ends. One-sided differences at a free surface raise the largest
/// frequency of order 4 by up to 2.3 % (vp / vs = 10); then it is 0.97 of that.
double largest_stable_step(double vp, const Model& model, Real3 spacing);

/// Symbol of the staggered derivative along an axis: i times this for exp(i k x).
double wave_number(double k, double h, int order);

/// Angular frequency at which a plane wave of speed c and wave vector k goes on the grid:
/// sin(w dt / 2) = (c dt / 2) sqrt(sum of wave_number(k_i)^2).
double discrete_frequency(double c, Real3 k, Real3 spacing, double dt, int order);

}  // namespace goban::seismic
