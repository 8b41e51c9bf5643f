#include "goban/simulation/picture_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/simulation/field_values.hpp"
#include "goban/simulation/numbered_files.hpp"

namespace goban {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

std::string name_for(const AnyField& field, const PictureOptions& options) {
  if (!options.name.empty()) return options.name;
  std::string name = field.name();
  if (field.record()->components > 1) {
    name += options.magnitude ? "_magnitude" : std::to_string(options.component);
  }
  return name + "_" + axis_names[index_of(options.axis)];
}

Index layer_of(const AnyField& field, const PictureOptions& options) {
  const int a = index_of(options.axis);
  const GridState& grid = field.grid();
  Index layer = grid.cells[a] / 2;
  if (options.index) {
    layer = *options.index;
  } else if (options.position) {
    const double cells = (*options.position - grid.origin[a]) / grid.spacing[a];
    layer = static_cast<Index>(std::clamp(std::floor(cells), -1.0, 0x1p62));
    // The upper edge of the grid belongs to the last cell.
    if (cells == static_cast<double>(grid.cells[a])) --layer;
  }
  require(layer >= 0 && layer < grid.cells[a],
          fmt::format("a picture of '{}' across {} is refused", field.name(), axis_names[a]),
          fmt::format("layer {} lies outside of {} cells", layer, grid.cells[a]));
  return layer;
}

}  // namespace

PictureOutput::PictureOutput(AnyField field, PictureOptions options, When when)
    : SimulationOutput(name_for(field, options), std::move(when)),
      field_(std::move(field)),
      options_(std::move(options)),
      layer_(layer_of(field_, options_)) {
  require(options_.component >= 0 && options_.component < field_.record()->components,
          fmt::format("field '{}' has no component {}", field_.name(), options_.component),
          fmt::format("it has {}", field_.record()->components), "count from 0");
}

void PictureOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  place_ = place;
  if (keep_until && place.writes) {
    files_ = keep_numbered(place.directory, place.name + "_" + name(), {".png"}, *keep_until);
  }
}

void PictureOutput::write(const Moment& moment) {
  const auto a = static_cast<std::size_t>(index_of(options_.axis));
  Box plane = field_.cells();
  plane.lower[a] = layer_;
  plane.upper[a] = layer_ + 1;
  if (!place_.writes) return help_with_values_of(field_);
  Array values = values_of(field_, plane);
  if (options_.magnitude) values = magnitude_of(values);
  SlicePictureOptions how;
  how.title = title(moment.clock);
  how.name = field_.name();
  if (field_.record()->components > 1 && !options_.magnitude) {
    how.name += fmt::format("[{}]", options_.component);
  }
  how.unit = field_.unit();
  how.component = options_.magnitude ? 0 : options_.component;
  how.range = options_.range;
  how.colormap = options_.colors;
  how.origin = field_.grid().origin;
  how.spacing = field_.grid().spacing;
  how.length_unit = place_.length_unit;
  how.pixels_per_cell = options_.pixels_per_cell;
  how.smooth = options_.smooth;
  const auto path =
      place_.directory / numbered_name(place_.name + "_" + name(), moment.clock.step, ".png");
  write_slice_picture(path, values.view(), how);
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
}

std::string PictureOutput::title(const Clock& clock) const {
  const std::string time = fmt::format("t = {:.6g}{}", clock.time,
                                       place_.time_unit.empty() ? "" : " " + place_.time_unit);
  const std::string& text = options_.title.empty() ? place_.title : options_.title;
  return text.empty() ? time : text + ", " + time;
}

std::string PictureOutput::describe() const {
  return fmt::format("{}{} at {} = {} as PNG", options_.magnitude ? "magnitude of " : "",
                     field_.name(), axis_names[index_of(options_.axis)], layer_);
}

}  // namespace goban
