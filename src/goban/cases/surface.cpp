#include "goban/cases/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "goban/io/case/place.hpp"
#include "goban/io/image/voxelize.hpp"

namespace goban {

const char* const surface_remedies =
    "scale it (by 0.001 if the file is in mm) and shift it, as the keys of these names do";

std::string point_text(const Real3& point) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", point[0], point[1], point[2]);
}

void declare_surface(CaseSchema& schema, const std::string& prefix) {
  schema.real(prefix + "scale", 1.0)
      .positive()
      .unit("m")
      .doc("length of the surface's unit: 0.001 for files in mm");
  schema.reals(prefix + "shift", std::vector<double>{0, 0, 0})
      .length(3)
      .unit("m")
      .doc("vector by which the surface is moved after it was scaled");
}

Surface read_surface(const Case& row, const Case& values, const std::filesystem::path& file,
                     const std::string& prefix) {
  const double scale = row.real(prefix + "scale");
  const Real3 shift = row.real3(prefix + "shift");
  TriangleMesh mesh = read_stl(file);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Real3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  for (const Triangle& triangle : mesh.triangles) {
    for (const Corner& corner : triangle) {
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], corner[a] * scale + shift[a]);
        high[a] = std::max(high[a], corner[a] * scale + shift[a]);
      }
    }
  }
  const GridPlace grid(values);
  const std::string where = "from " + point_text(low) + " to " + point_text(high) + " m";
  if (!grid.has_centers_between(low, high, {})) {
    throw row.error(
        prefix + "scale",
        "the surface " + file.filename().string() + ", " + where + ", covers no cell",
        "the grid lies from " + point_text(grid.lower) + " to " + point_text(grid.upper) + " m",
        surface_remedies);
  }
  Real3 origin, spacing;  // of the grid, in the unit of the file
  for (std::size_t a = 0; a < 3; ++a) {
    origin[a] = (grid.lower[a] - shift[a]) / scale;
    spacing[a] = grid.spacing[a] / scale;
  }
  return {voxelize(std::move(mesh), origin, spacing, grid.cells), where};
}

void refuse_surface_keys(const Case& row, const std::string& prefix) {
  for (const char* key : {"scale", "shift"}) {
    if (row.given(prefix + key)) {
      throw row.error(prefix + key, prefix + key + " is refused", "there is no surface to move");
    }
  }
}

}  // namespace goban
