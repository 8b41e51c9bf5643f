#include "goban/cases/solids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/cases/periodic_place.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/cases/surface.hpp"
#include "goban/io/case/place.hpp"

namespace goban {
namespace {

SolidBody read_body(const Case& row, const Case& values) {
  auto body = read_placed<SolidBody>(row, values);
  body.period = periods(values);
  if (body.shape != SolidBody::Shape::box) require_key(row, "radius", "\"1 mm\"");
  return body;
}

std::vector<ImageWindow> windows_of(const Solids& solids) {
  std::vector<ImageWindow> windows;
  for (const SolidImage& solid : solids.images) windows.emplace_back(solid.image);
  return windows;
}

bool any_contains(const std::vector<SolidBody>& bodies, Position position) {
  return std::any_of(bodies.begin(), bodies.end(),
                     [&](const SolidBody& body) { return body.contains(position); });
}

std::string grid_text(const GridState& grid) {
  Real3 upper = grid.origin;
  for (std::size_t a = 0; a < 3; ++a) {
    upper[a] += static_cast<double>(grid.cells[a]) * grid.spacing[a];
  }
  return fmt::format("the grid lies from {} to {} m", point_text(grid.origin), point_text(upper));
}

/// Cells whose centre lies below a height above every point of the ground.
class HeightImage : public ImageSource {
 public:
  HeightImage(std::shared_ptr<ImageSource> heights, const GridPlace& grid)
      : ImageSource(ElementType::uint8, grid.cells), heights_(std::move(heights)), grid_(grid) {}

  Array read(const Box& box) override {
    Box ground = box;
    ground.lower[2] = 0;
    ground.upper[2] = 1;
    heights_.show(ground);
    Array below(ElementType::uint8, box.extents());
    auto* out = below.as<std::uint8_t>().data();
    Index3 cell;
    for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2]) {
      const double z = grid_.lower[2] + (static_cast<double>(cell[2]) + 0.5) * grid_.spacing[2];
      for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1]) {
        for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) {
          *out++ = z < heights_.at({cell[0], cell[1], 0});
        }
      }
    }
    return below;
  }

 private:
  ImageWindow heights_;
  GridPlace grid_;
};

SolidImage read_heights(const Case& values) {
  const GridPlace grid(values);
  const std::filesystem::path path = values.path("solid.heights");
  auto heights = open_image(path, {.extents = Index3{grid.cells[0], grid.cells[1], 1}});
  return {std::make_shared<HeightImage>(std::move(heights), grid),
          "what lies below the heights of " + path.filename().string(),
          "heights are z coordinates in m"};
}

}  // namespace

double SolidBody::lowest(std::size_t a) const {
  return is_bounded(a) ? lower[a] : center[a] - radius;
}

double SolidBody::highest(std::size_t a) const {
  return is_bounded(a) ? upper[a] : center[a] + radius;
}

bool SolidBody::contains(Position position) const {
  const Real3 p = {position.x, position.y, position.z};
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (is_bounded(a)) {
      if (!lies_between(lower[a], p[a], upper[a], period[a])) return false;
    } else {
      const double offset = offset_from(center[a], p[a], period[a]);
      square += offset * offset;
    }
  }
  return square <= radius * radius;
}

SolidCells::SolidCells(const Solids& solids)
    : bodies_(solids.bodies), images_(windows_of(solids)) {}

bool SolidCells::covers(Index3 cell, Position center) const {
  return std::any_of(images_.begin(), images_.end(),
                     [&](const ImageWindow& image) { return image.at(cell) != 0; }) ||
         any_contains(bodies_, center);
}

void SolidCells::show(const Box& box) {
  for (ImageWindow& image : images_) image.show(box);
}

BoxFunction SolidCells::prepare() {
  if (images_.empty()) return nullptr;
  return [this](const Box& box) { show(box); };
}

SolidExtent extent_of(const Solids& solids, const GridState& grid) {
  Communicator& ranks = *grid.context->communicator();
  const Index3& n = grid.cells;
  std::uint64_t cells = 0, hidden = 0;
  std::vector<std::uint64_t> of_images(solids.images.size());
  agree(ranks, [&] {
    std::vector<ImageWindow> images = windows_of(solids);
    std::vector<SolidBody> near;  // those that the row may meet
    const auto covers = [&](Index3 cell) {
      bool is_covered = false;
      for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i].at(cell) == 0) continue;
        ++of_images[i];
        is_covered = true;
      }
      const Position center = grid.position(cell, Location::cell);
      return is_covered || any_contains(near, center);
    };
    Index3 cell;
    for (cell[2] = ranks.rank(); cell[2] < n[2]; cell[2] += ranks.size()) {
      for (ImageWindow& image : images) image.show({{0, 0, cell[2]}, {n[0], n[1], cell[2] + 1}});
      for (cell[1] = 0; cell[1] < n[1]; ++cell[1]) {
        const Position begin = grid.position({0, cell[1], cell[2]}, Location::cell);
        near.clear();
        for (const SolidBody& body : solids.bodies) {
          const auto reaches = [&](std::size_t a, double place) {  // but for round-off
            const double h = grid.spacing[a];
            return lies_between(body.lowest(a) - h, place, body.highest(a) + h, body.period[a]);
          };
          if (reaches(1, begin.y) && reaches(2, begin.z)) near.push_back(body);
        }
        std::uint64_t in_row = 0;
        for (cell[0] = 0; cell[0] < n[0]; ++cell[0]) in_row += covers(cell) ? 1 : 0;
        cells += in_row;
        hidden += in_row > 0 ? 1 : 0;
      }
    }
  });
  of_images.insert(of_images.end(), {cells, hidden});
  ranks.sum(of_images);
  for (std::size_t i = 0; i < solids.images.size(); ++i) {
    const auto& [image, what, remedies] = solids.images[i];
    require(of_images[i] > 0, what + " covers no cell", grid_text(grid), remedies);
  }
  hidden = of_images.back();
  cells = of_images[solids.images.size()];
  require(cells > 0, "the obstacles cover no cell", grid_text(grid),
          "a cell is solid if its centre lies inside");
  return {static_cast<Index>(cells),
          grid.spacing[1] * grid.spacing[2] * static_cast<double>(hidden)};
}

void check_probes(const Case& values, const Solids& solids, const GridState& grid) {
  SolidCells solid(solids);
  for (const Case& row : values.list("output.probe")) {
    const Real3 at = row.real3("position");
    Index3 cell;
    for (std::size_t a = 0; a < 3; ++a) {
      cell[a] = static_cast<Index>(std::floor((at[a] - grid.origin[a]) / grid.spacing[a]));
      if (cell[a] < 0 || cell[a] > grid.cells[a]) return;  // what adds the probe says so
      cell[a] = std::min(cell[a], grid.cells[a] - 1);
    }
    solid.show({cell, cell + Index3{1, 1, 1}});
    if (!solid.covers(cell, grid.position(cell, Location::cell))) continue;
    throw row.error("position", "probe " + row.text("name") + " lies in a solid",
                    "nothing flows there", "move it into the fluid");
  }
}

void declare_solids(CaseSchema& schema) {
  CaseSchema& row = schema.tables("obstacle", "a body at rest; the force on all of them is found");
  row.key("shape", &SolidBody::shape,
          {{"box", SolidBody::Shape::box},
           {"sphere", SolidBody::Shape::sphere},
           {"cylinder", SolidBody::Shape::cylinder}})
      .required()
      .doc("shape of the body");
  declare_place<SolidBody>(row, "a sphere or a cylinder", "radius of a sphere or a cylinder",
                           "corner of a box, end of a cylinder");
  row.key("axis", &SolidBody::axis, axis_names).doc("axis of a cylinder");
  schema.section("solid", "bodies at rest from files");
  schema.path("solid.image", "")
      .doc(
          "image as large as the grid, whose cells other than 0 are solid: NPY, NRRD, TIFF, "
          "PNG, raw");
  schema.path("solid.stl", "").doc("closed surface; cells with their centre inside are solid");
  declare_surface(schema, "solid.");
  schema.path("solid.heights", "")
      .doc(
          "height map in m, a number for every column of cells: cells with their centre "
          "below this z are solid");
}

Solids read_solids(const Case& values) {
  Solids solids;
  for (const Case& row : values.list("obstacle")) solids.bodies.push_back(read_body(row, values));
  if (auto image = image_of(values, "solid.image")) {
    solids.images.push_back({std::move(image),
                             "the image " + values.path("solid.image").filename().string(),
                             "solid cells are not 0"});
  }
  if (const auto stl = values.path("solid.stl"); !stl.empty()) {
    const Surface surface = read_surface(values, values, stl, "solid.");
    solids.images.push_back({surface.inside,
                             "the surface " + stl.filename().string() + ", " + surface.where + ",",
                             surface_remedies});
  } else {
    refuse_surface_keys(values, "solid.");
  }
  if (!values.path("solid.heights").empty()) solids.images.push_back(read_heights(values));
  return solids;
}

}  // namespace goban
