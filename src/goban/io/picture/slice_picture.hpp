#pragma once
// A plane of values as a picture: colours, axes with lengths, a colour bar.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "goban/io/file/array_view.hpp"
#include "goban/io/picture/canvas.hpp"
#include "goban/io/picture/colormap.hpp"

namespace goban {

struct SlicePictureOptions {
  std::string title = {};
  std::string name = {};  ///< name of the values, beside the colour bar; empty: the view's
  std::string unit = {};  ///< unit of the values
  int component = 0;

  /// Values at the ends of the colour bar; otherwise those of the plane, without single values far
  /// outside of what all others span.
  std::optional<std::pair<double, double>> range = {};
  /// Otherwise diverging for values around zero, stones for one or two integers, else sequential.
  std::optional<Colormap> colormap = {};

  Real3 origin = {0, 0, 0};  ///< lower corner of cell (0, 0, 0) of the plane
  /// Cell size. Negative: coordinates fall with the index, as depths do upwards.
  Real3 spacing = {1, 1, 1};
  std::string length_unit = {};
  /// By how much lengths upwards are drawn longer than those to the right. A picture that would be
  /// more than ten times as wide as high, or as high as wide, is limited to that; where the factor
  /// is another than 1 the axis upwards says so.
  double vertical_exaggeration = 1;

  /// Pixels along the shorter side of a cell; 0: so many that the longer side of the plane has at
  /// least 600 pixels and at most 2400. More than 8000 pixels are never made.
  int pixels_per_cell = 0;
  /// A plane of the same cells: lines are drawn where its values change, around bodies and between
  /// materials.
  std::optional<ArrayView> outline = {};
  /// Lines on which the values of the plane are these, linear between the middles of cells.
  std::vector<double> contours = {};
  /// Streamlines of a velocity, about evenly spaced: planes of the same cells with its parts to the
  /// right and upwards, a length a time in the unit of `spacing`.
  std::optional<std::array<ArrayView, 2>> velocity = {};
  /// Closed lines around bodies that are convex, in the unit of `origin`: to the right, upwards.
  std::vector<Polyline> shapes = {};
  /// Linear interpolation between cell centres; otherwise every cell is a plain rectangle.
  bool smooth = false;
};

/// `plane` has extent 1 along one axis. The lower of its other two axes points right, the higher
/// up. Where a pixel covers several cells it shows their mean. NaN is grey (red in the grey and
/// stones maps). The bytes of a file; Error(usage) for what is not a plane or a range that is
/// empty.
std::string slice_picture(const ArrayView& plane, const SlicePictureOptions& options,
                          PictureFormat format);

/// The same as a file, in the format that its name ends in.
void write_slice_picture(const std::filesystem::path& path, const ArrayView& plane,
                         const SlicePictureOptions& options = {});

}  // namespace goban
