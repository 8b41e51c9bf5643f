#pragma once
// Surfaces on which the values of a box are equal, drawn as one sees them from beside the box.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/io/file/array_view.hpp"
#include "goban/io/picture/canvas.hpp"

namespace goban {

struct SurfacePictureOptions {
  std::string title = {};
  std::string name = {};  ///< name of the values; empty: the view's
  std::string unit = {};  ///< unit of the values
  std::vector<double> levels;

  /// Where the viewer stands, degrees: 0 is in front of the box, with x to the right and z up, and
  /// 90 on the side of large x ...
  double azimuth = 30;
  double elevation = 25;  ///< ... and how high above the horizon, -90 to 90

  Real3 origin = {0, 0, 0};   ///< lower corner of cell (0, 0, 0)
  Real3 spacing = {1, 1, 1};  ///< cell size
  std::string length_unit = {};
  double vertical_exaggeration = 1;  ///< by how much lengths along z are drawn longer
};

/// Surfaces between the middles of cells, where values are linear along each axis, in parallel
/// projection: each level has a colour, and none is transparent. Cells without a number are empty.
/// The bytes of a file; Error(usage) for a box with fewer than two cells along an axis, for no
/// levels, and for levels that no value reaches.
std::string surface_picture(const ArrayView& values, const SurfacePictureOptions& options,
                            PictureFormat format);

/// The same as a file, in the format that its name ends in.
void write_surface_picture(const std::filesystem::path& path, const ArrayView& values,
                           const SurfacePictureOptions& options);

}  // namespace goban
