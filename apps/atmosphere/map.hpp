#pragma once
// Conformal maps of a sphere, on whose plane the grid lies (Snyder, Map Projections, U.S. Geol.
// Surv. Prof. Paper 1395 (1987)): lengths on the map are `scale` times those on the earth.

#include <array>

namespace goban::atmosphere {

/// Which map, and what the earth is.
struct Map {
  enum class Kind {
    none,  ///< a plane
    mercator,
    lambert,  ///< conic
    polar     ///< stereographic
  };
  Kind kind = Kind::none;
  double latitude = 0, longitude = 0;      ///< degrees, where x = y = 0
  std::array<double, 2> true_latitudes{};  ///< degrees, where the scale is 1
  double radius = 6371229;                 ///< m
  double earth_rotation = 7.292115e-5;     ///< 1/s

  bool is_plane() const { return kind == Kind::none; }
};

/// Where places of a map lie. Cones of all constants n are one formula, polar maps have n = 1;
/// south of the equator all is mirrored.
class Projection {
 public:
  struct Place {
    double latitude = 0, longitude = 0;  ///< degrees
    double scale = 1;                    ///< m
    double turn = 0;  ///< angle from the axis x to the east, counterclockwise, radians
  };
  explicit Projection(const Map& map);

  Place at(double x, double y) const;         ///< m; on a plane all 0 with the scale 1
  double coriolis(double x, double y) const;  ///< 2 Omega sin(latitude), 1/s
  /// Length of the way on the earth between two places, m.
  double distance(const std::array<double, 2>& from, double x, double y) const;
  /// A vector along x and y at (x, y) in the direction of what turns counterclockwise around a
  /// place, and its length.
  std::array<double, 3> around(const std::array<double, 2>& center, double x, double y) const;

 private:
  std::array<double, 2> turning(const Place& center, const Place& place) const;

  Map map_;
  double cone_ = 0;        ///< n
  double size_ = 0;        ///< F: a parallel has the radius a F tan(pi/4 - latitude/2)^n
  double hemisphere_ = 1;  ///< -1: south
  double begin_ = 0;       ///< where x = y = 0: radius of the parallel over a; of Mercator's log
};

}  // namespace goban::atmosphere
