// Planes, lines, profiles and surfaces of a snapshot in `goban view`.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ostream>

#include "cli/view.hpp"
#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/picture/ansi_picture.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/io/picture/surface_picture.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban::cli {
namespace {

double length_of(const std::string& text) {
  const Quantity length = parse_quantity(text, "m");
  require(length.value.has_value(), "--position " + text + " is refused", length.why,
          "write for example 0.003 or \"3 mm\"");
  return *length.value;
}

Axis axis_named(const std::string& name) {
  return name == "x" ? Axis::x : name == "y" ? Axis::y : Axis::z;
}

const Array& chosen_field(const StoredSnapshot& snapshot, const std::string& name) {
  std::vector<std::string> names;
  for (const Array& field : snapshot.fields) {
    if (name.empty() || field.name == name) return field;
    names.push_back(field.name);
  }
  throw Error(ExitCode::usage, "no field " + name, "the fields are " + joined(names),
              did_you_mean(nearest_name(name, names)));
}

void check_component(const Array& field, int component) {
  require(component >= 0 && component < field.components,
          "no component " + std::to_string(component) + " of " + field.name,
          "it has " + std::to_string(field.components), "they are numbered from 0");
}

/// The axis across the plane that is shown where none is named: the axis with one layer, else z.
Axis normal_of(const Array& field) {
  for (const Axis axis : {Axis::z, Axis::y, Axis::x}) {
    if (field.extents[index_of(axis)] == 1) return axis;
  }
  return Axis::z;
}

/// The cell that one part of --index or --position names.
Index cell_at(const ViewOptions& options, const std::string& part, const StoredSnapshot& snapshot,
              const Array& field, int a) {
  const Index cells = field.extents[a];
  double index = 0;
  if (!options.position.empty()) {
    index = (length_of(part) - snapshot.origin[a]) / snapshot.spacing[a];
    if (index == static_cast<double>(cells)) --index;  // the upper edge belongs to the last cell
    index = std::floor(index);
  } else {
    const Quantity number = parse_quantity(part, "1");
    require(number.value && *number.value == std::floor(*number.value),
            "--index " + part + " is refused", "layers of cells are counted",
            "write a whole number");
    index = *number.value;
  }
  const double low = snapshot.origin[a];
  const double high = low + static_cast<double>(cells) * snapshot.spacing[a];
  const std::string axis(1, "xyz"[a]);
  require(index >= 0 && index < static_cast<double>(cells), "there is no such layer of cells",
          "along " + axis + " there are " + std::to_string(cells) + " cells, from " +
              quantity_text(low, snapshot.length_unit) + " to " +
              quantity_text(high, snapshot.length_unit),
          "choose --index between 0 and " + std::to_string(cells - 1));
  return static_cast<Index>(index);
}

/// The cells that --index or --position names along these axes, which are all but those that are
/// shown; else the middle cells.
Index3 chosen_cell(const ViewOptions& options, const StoredSnapshot& snapshot, const Array& field,
                   const std::vector<int>& axes) {
  Index3 cell = {field.extents[0] / 2, field.extents[1] / 2, field.extents[2] / 2};
  const std::string& text = options.position.empty() ? options.index : options.position;
  if (text.empty()) return cell;
  std::vector<int> thick;
  for (const int a : axes) {
    if (field.extents[a] > 1 || axes.size() == 1) thick.push_back(a);
  }
  const auto parts = parts_of(text);
  const std::string name = options.position.empty() ? "--index " : "--position ";
  require(parts.size() == thick.size(), name + text + " is refused",
          "there are " + std::to_string(thick.size()) + " axes to choose a place on",
          "give as many values, with commas between them");
  for (std::size_t n = 0; n < parts.size(); ++n) {
    cell[thick[n]] = cell_at(options, parts[n], snapshot, field, thick[n]);
  }
  return cell;
}

/// "x = 12 mm, z = 1 mm": the middle of the cell. The axis across a flat grid, which has one layer
/// at the origin, says nothing.
std::string place_of(const StoredSnapshot& snapshot, const Array& field, const Index3& cell,
                     const std::vector<int>& axes) {
  std::string text;
  for (const int a : axes) {
    const double place =
        snapshot.origin[a] + (static_cast<double>(cell[a]) + 0.5) * snapshot.spacing[a];
    if (field.extents[a] == 1 && std::abs(place) <= 0.5 * snapshot.spacing[a]) continue;
    text += (text.empty() ? "" : ", ") + std::string(1, "xyz"[a]) + " = " +
            quantity_text(place, snapshot.length_unit, 4);
  }
  return text;
}

std::string title_of(const StoredSnapshot& snapshot, const std::string& rest) {
  const std::string step = "step " + std::to_string(snapshot.step);
  const bool counts_steps = snapshot.time == static_cast<double>(snapshot.step);
  const std::string when =
      counts_steps ? step
                   : "t = " + quantity_text(snapshot.time, snapshot.time_unit) + " (" + step + ")";
  return rest.empty() ? when : when + ", " + rest;
}

/// What is shown of a field: "velocity magnitude", "velocity z".
std::string name_of(const ViewOptions& options, const Array& field) {
  if (options.magnitude) return field.name + " magnitude";
  return name_of_component(field.name, field.components, options.component);
}

/// As one component: that which is wanted, or the length of the vector of all.
Array shown_values(const ViewOptions& options, const ArrayView& values) {
  if (!options.magnitude) return copy_of(component_of(values, options.component));
  return magnitude_of(copy_of(values));
}

/// The part of the velocity --streamlines along an axis of the plane, in the middle of cells.
Array velocity_on_plane(const ViewOptions& options, const StoredSnapshot& snapshot,
                        const Array& shown, Axis along, Axis normal, Index index) {
  const auto names = parts_of(options.streamlines);
  std::vector<Axis> axes;
  for (const Axis axis : all_axes) {
    if (shown.extents[index_of(axis)] > 1) axes.push_back(axis);
  }
  const Array& first = chosen_field(snapshot, names[0]);
  const std::size_t count =
      names.size() > 1 ? names.size() : static_cast<std::size_t>(first.components);
  if (count == 3) axes = {Axis::x, Axis::y, Axis::z};
  require(count == axes.size(), "--streamlines " + options.streamlines + " is refused",
          "these are " + std::to_string(count) + " numbers, the cells have " +
              std::to_string(axes.size()) + " axes",
          "name a field with a component for each axis, or a field for each");
  const auto n =
      static_cast<std::size_t>(std::find(axes.begin(), axes.end(), along) - axes.begin());
  const Array& field = names.size() > 1 ? chosen_field(snapshot, names[n]) : first;
  require(field.extents == shown.extents && (names.size() == 1 || field.components == 1),
          "--streamlines " + options.streamlines + " is refused",
          field.name + " has other cells than " + shown.name + ", or several components");
  const int component = names.size() > 1 ? 0 : static_cast<int>(n), a = index_of(along);
  const ArrayView part = plane_of(component_of(field.view(), component), normal, index);
  Array values(ElementType::float64, part.extents);
  const auto which = static_cast<std::size_t>(&field - snapshot.fields.data());
  const bool is_on_faces = is_staggered(snapshot.locations[which], a);
  std::size_t at = 0;
  for (Index3 i{}; i[2] < part.extents[2]; ++i[2]) {
    for (i[1] = 0; i[1] < part.extents[1]; ++i[1]) {
      for (i[0] = 0; i[0] < part.extents[0]; ++i[0]) {
        Index3 next = i;  // the far wall is in no file
        if (is_on_faces && i[a] + 1 < part.extents[a]) ++next[a];
        values.as<double>()[at++] =
            (part.at(i[0], i[1], i[2]) + part.at(next[0], next[1], next[2])) / 2;
      }
    }
  }
  return values;
}

int show_plane(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
               std::size_t which) {
  std::vector<std::string> fitting = {"--field", "--component",  "--magnitude", "--axis",
                                      "--index", "--position",   "--range",     "--colors",
                                      "--mask",  "--mask-value", "--out"};
  if (!options.out.empty()) {
    for (const char* option :
         {"--smooth", "--vertical-exaggeration", "--contours", "--streamlines"}) {
      fitting.push_back(option);
    }
  }
  require_fit(options, options.out.empty() ? "a plane in the terminal" : "a plane", fitting);
  const Array& field = snapshot.fields[which];
  const Axis axis = options.axis.empty() ? normal_of(field) : axis_named(options.axis);
  const std::vector<int> normal = {index_of(axis)};
  const Index3 cell = chosen_cell(options, snapshot, field, normal);
  Array values = shown_values(options, plane_of(field.view(), axis, cell[normal[0]]));
  if (!options.mask.empty()) {
    const Array& mask = chosen_field(snapshot, options.mask);
    require(mask.extents == field.extents, "--mask " + options.mask + " is refused",
            "it has other cells than " + field.name);
    const auto& given = options.given;
    const bool has_value = std::find(given.begin(), given.end(), "--mask-value") != given.end();
    values = masked(values.view(), plane_of(mask.view(), axis, cell[normal[0]]),
                    has_value ? std::optional(options.mask_value) : std::nullopt);
  }
  const std::string title = title_of(snapshot, place_of(snapshot, field, cell, normal));
  std::optional<std::pair<double, double>> range;
  if (!options.range.empty()) range = {options.range[0], options.range[1]};
  const auto colors = colormap_named(options.colors);
  if (!options.out.empty()) {
    const FlatPlane plane(values.view(), 0);
    std::array<Array, 2> velocity;
    std::optional<std::array<ArrayView, 2>> shown;
    if (!options.streamlines.empty()) {
      for (const Axis along : {plane.across(), plane.up()}) {
        velocity[along == plane.up()] =
            velocity_on_plane(options, snapshot, field, along, axis, cell[normal[0]]);
      }
      shown = {velocity[0].view(), velocity[1].view()};
    }
    write_slice_picture(options.out, values.view(),
                        {.title = title,
                         .name = name_of(options, field),
                         .unit = snapshot.units[which],
                         .range = range,
                         .colormap = colors,
                         .origin = snapshot.origin,
                         .spacing = snapshot.spacing,
                         .length_unit = snapshot.length_unit,
                         .vertical_exaggeration = options.vertical_exaggeration,
                         .contours = options.contours,
                         .velocity = shown,
                         .smooth = options.smooth});
    context.out << "wrote " << options.out << "\n";
  } else {
    context.out << ansi_picture(values.view(), {.title = title,
                                                .name = name_of(options, field),
                                                .unit = snapshot.units[which],
                                                .range = range,
                                                .colormap = colors,
                                                .spacing = snapshot.spacing,
                                                .size = terminal_size(STDOUT_FILENO),
                                                .color = terminal_color(STDOUT_FILENO)});
  }
  return 0;
}

int show_line(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
              std::size_t which) {
  require_fit(options, "a line",
              {"--line", "--field", "--component", "--magnitude", "--index", "--position",
               "--range", "--out"});
  const Array& field = snapshot.fields[which];
  const int a = index_of(axis_named(options.line));
  const std::vector<int> others = {a == 0 ? 1 : 0, a == 2 ? 1 : 2};
  const Index3 cell = chosen_cell(options, snapshot, field, others);
  Index3 extents = {1, 1, 1}, low = cell;
  extents[a] = field.extents[a];
  low[a] = 0;
  const Array values = shown_values(options, box_of(field.view(), low, extents));
  Curve curve;
  for (Index3 i{}; i[a] < field.extents[a]; ++i[a]) {
    curve.x.push_back(snapshot.origin[a] + (static_cast<double>(i[a]) + 0.5) * snapshot.spacing[a]);
    curve.y.push_back(values.at(i[0], i[1], i[2]));
  }
  const std::string place = place_of(snapshot, field, cell, others);
  return show_curves(context, options,
                     {{{curve},
                       {.title = title_of(snapshot, "along " + options.line +
                                                        (place.empty() ? "" : " at " + place)),
                        .x_name = options.line,
                        .x_unit = snapshot.length_unit,
                        .y_name = name_of(options, field),
                        .y_unit = snapshot.units[which]}}});
}

/// Means over the planes across an axis.
int show_profile(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
                 std::size_t which) {
  require_fit(options, "a profile",
              {"--profile", "--field", "--component", "--magnitude", "--range", "--out"});
  const Array& field = snapshot.fields[which];
  const Axis axis = axis_named(options.profile);
  const int a = index_of(axis);
  const Array values = shown_values(options, field.view());
  Curve curve;
  for (Index n = 0; n < field.extents[a]; ++n) {
    const ArrayView plane = plane_of(values.view(), axis, n);
    double sum = 0;
    for (Index3 i{}; i[2] < plane.extents[2]; ++i[2]) {
      for (i[1] = 0; i[1] < plane.extents[1]; ++i[1]) {
        for (i[0] = 0; i[0] < plane.extents[0]; ++i[0]) sum += plane.at(i[0], i[1], i[2]);
      }
    }
    curve.x.push_back(snapshot.origin[a] + (static_cast<double>(n) + 0.5) * snapshot.spacing[a]);
    curve.y.push_back(sum / static_cast<double>(plane.cells()));
  }
  return show_curves(context, options,
                     {{{curve},
                       {.title = title_of(snapshot, "means over planes"),
                        .x_name = options.profile,
                        .x_unit = snapshot.length_unit,
                        .y_name = name_of(options, field),
                        .y_unit = snapshot.units[which]}}});
}

int show_surfaces(const Context& context, const ViewOptions& options,
                  const StoredSnapshot& snapshot, std::size_t which) {
  require_fit(options, "a surface",
              {"--isosurface", "--from", "--field", "--component", "--magnitude",
               "--vertical-exaggeration", "--out"});
  require(!options.out.empty(), "--isosurface is refused", "a terminal shows no surfaces",
          "name a picture by --out");
  const Array& field = snapshot.fields[which];
  write_surface_picture(options.out, shown_values(options, field.view()).view(),
                        {.title = title_of(snapshot, ""),
                         .name = name_of(options, field),
                         .unit = snapshot.units[which],
                         .levels = options.isosurfaces,
                         .azimuth = options.from[0],
                         .elevation = options.from[1],
                         .origin = snapshot.origin,
                         .spacing = snapshot.spacing,
                         .length_unit = snapshot.length_unit,
                         .vertical_exaggeration = options.vertical_exaggeration});
  context.out << "wrote " << options.out << "\n";
  return 0;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void require_fit(const ViewOptions& options, const std::string& what,
                 const std::vector<std::string>& fitting) {
  for (const std::string& option : options.given) {
    const bool fits = std::find(fitting.begin(), fitting.end(), option) != fitting.end();
    require(fits, option + " does not go with " + what, "it takes " + joined(fitting),
            "leave it out");
  }
}

int show_snapshot(const Context& context, const ViewOptions& options,
                  const StoredSnapshot& snapshot) {
  const Array& field = chosen_field(snapshot, options.field);
  check_component(field, options.component);
  require(!options.magnitude || field.components > 1, "--magnitude is refused",
          field.name + " has one component", "leave it out");
  const auto which = static_cast<std::size_t>(&field - snapshot.fields.data());
  if (!options.isosurfaces.empty()) return show_surfaces(context, options, snapshot, which);
  if (!options.line.empty()) return show_line(context, options, snapshot, which);
  if (!options.profile.empty()) return show_profile(context, options, snapshot, which);
  return show_plane(context, options, snapshot, which);
}

}  // namespace goban::cli
