#pragma once
// Functions of space that cases are made of: initial values, sources, bodies in a medium; as tables
// of a case file.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/grid/grid.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban {

/// `amplitude` times a shape, which goes on through periodic sides.
struct Profile {
  enum class Shape {
    uniform,   ///< 1
    box,       ///< 1 for lower <= position < upper
    sphere,    ///< 1 within `radius` of `center`
    cylinder,  ///< 1 within `radius` of the line through `center` along `axis`, lower to upper
    gaussian,  ///< exp(-r^2 / (2 radius^2)), r the distance from `center`
    mode,   ///< product over the axes with waves of sin(2 pi waves (p - origin) / length), or cos
    image,  ///< a number for every cell
    stl     ///< 1 inside a closed surface: an image of 0 and 1
  };
  Shape shape = Shape::uniform;
  Axis axis = Axis::z;  ///< axis of a cylinder
  double amplitude = 1;
  Real3 lower{}, upper{};           ///< m
  Real3 center{};                   ///< m
  double radius = 1;                ///< m
  Real3 waves{1, 1, 1};             ///< periods over the length of the domain
  std::array<bool, 3> is_cosine{};  ///< whether a mode is a cosine, instead of a sine
  Real3 origin{}, length{1, 1, 1};  ///< lower corner and edges of the domain, m
  Real3 period{};                   ///< period of the domain along periodic axes, m, else 0
  std::shared_ptr<ImageSource> image = nullptr;

  /// The shape alone; not of images and surfaces.
  double shape_at(Position position) const;
  /// Whether it is a box, a sphere or a cylinder and crosses a periodic side.
  bool wraps() const;
  /// The factor of one axis of a mode; 1 where there are no waves.
  double wave_at(std::size_t axis, double coordinate) const;
};

/// Keys of a table that says where something is: shape, center, radius, lower, upper, file; axis
/// where there are cylinders. An image or stl is among the shapes.
void declare_profile(CaseSchema& table, const std::vector<std::string>& shapes);
/// Declares keys that terms of initial values have beside the others: waves, functions.
void declare_pattern(CaseSchema& table);

/// Amplitude 1. Errors: a round shape without a radius, a shape of a file without one, a file that
/// no shape takes; (files) one that cannot be read.
Profile read_profile(const Case& row, const Case& values);
/// Errors: unknown functions, waves along an axis of one cell.
void read_pattern(Profile& profile, const Case& row, const Case& values);

}  // namespace goban
