#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/earlier_run.hpp"
#include "cli/examples.hpp"
#include "cli/follow_run.hpp"
#include "goban/base/error.hpp"
#include "goban/base/printable.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/picture/ansi_picture.hpp"
#include "goban/io/picture/curve_picture.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/io/picture/value_range.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string file, field, axis, position, index, line, colors, mask, out;
  int component = 0;
  bool magnitude = false;
  std::vector<double> range;
  bool smooth = false;
  double vertical_exaggeration = 1, mask_value = 0;
  std::string live;                ///< "true", or where the page is; empty: there is none
  std::vector<std::string> given;  ///< "--axis": the options that were
};

std::string view_footer(const Context& context) {
  return "\nWithout --out the picture appears in the terminal. A plane takes all options but\n"
         "--line (--smooth and --vertical-exaggeration with --out only); a line all but --axis,\n"
         "--colors, the masks and these two; a series, which is a .csv file, --field, --range\n"
         "and --out, and has a frame for each unit. --position and --index of a line are those\n"
         "of the other axes in the order x, y, z, without those that have one layer of cells.\n"
         "--live shows no file but a page that follows a run by its folder, as of a batch job.\n" +
         examples(context, {{"GOBAN view OUT", "newest snapshot, middle plane"},
                            {"GOBAN view OUT --axis x --index 10 --out slice.png"},
                            {"GOBAN view OUT --axis y --position \"2 mm\" --colors thermal"},
                            {"GOBAN view OUT --line x", "values along x through the middle"},
                            {"GOBAN view OUT --line y --position \"2 mm,1 mm\"", "at this x and z"},
                            {"GOBAN view SERIES", "the numbers of the run over time"}});
}

/// Errors (usage): an option was given that means nothing for what is shown.
void require_fit(const ViewOptions& options, const std::string& what,
                 const std::vector<std::string>& fitting) {
  for (const std::string& option : options.given) {
    const bool fits = std::find(fitting.begin(), fitting.end(), option) != fitting.end();
    require(fits, option + " does not go with " + what, "it takes " + joined(fitting),
            "leave it out");
  }
}

double length_of(const std::string& text) {
  const Quantity length = parse_quantity(text, "m");
  require(length.value.has_value(), "--position " + text + " is refused", length.why,
          "write for example 0.003 or \"3 mm\"");
  return *length.value;
}

/// The parts between commas.
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

Axis axis_named(const std::string& name) {
  return name == "x" ? Axis::x : name == "y" ? Axis::y : Axis::z;
}

bool is_snapshot(const fs::path& file) {
  return file.extension() == ".vtkhdf" || file.extension() == ".npy";
}

/// What lies in a folder and those below it. A run that goes on renames and removes files
/// meanwhile: what has gone is left out.
std::vector<fs::directory_entry> entries_below(const fs::path& folder) {
  std::vector<fs::directory_entry> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    all.push_back(*entry);
    std::error_code gone;
    const bool is_hidden = entry->path().filename().string().starts_with(".");
    if (is_hidden || !entry->is_directory(gone) || entry->is_symlink(gone)) continue;
    for (auto& below : entries_below(entry->path())) all.push_back(std::move(below));
  }
  return all;
}

/// What is shown first: snapshots of whole fields, then those of planes and statistics, then
/// series.
int rank_of(const fs::path& file) {
  if (!is_snapshot(file)) return 0;
  const std::string name = file.filename().string();
  const bool is_other =
      name.find("_plane_") != std::string::npos || name.find("_statistics.") != std::string::npos;
  return is_other ? 1 : 2;
}

/// The newest file of a run that can be shown, of those that are shown first.
fs::path newest_in(const fs::path& folder) {
  fs::path newest;
  std::pair<int, fs::file_time_type> best{};
  for (const fs::directory_entry& entry : entries_below(folder)) {
    std::error_code gone;
    if (!is_snapshot(entry.path()) && entry.path().extension() != ".csv") continue;
    if (!entry.is_regular_file(gone)) continue;
    const std::pair rank{rank_of(entry.path()), entry.last_write_time(gone)};
    if (gone) continue;
    if (newest.empty() || rank > best || (rank == best && entry.path() > newest)) {
      newest = entry.path();
      best = rank;
    }
  }
  if (newest.empty()) {
    throw Error(ExitCode::files, "nothing to show in " + folder.string(),
                "it holds neither snapshots nor series",
                "give the case [output.snapshots] or [output.series]");
  }
  return newest;
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

int show_plane(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
               std::size_t which) {
  std::vector<std::string> fitting = {"--field", "--component",  "--magnitude", "--axis",
                                      "--index", "--position",   "--range",     "--colors",
                                      "--mask",  "--mask-value", "--out"};
  if (!options.out.empty()) {
    fitting.push_back("--smooth");
    fitting.push_back("--vertical-exaggeration");
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

/// Shows one frame below the other; in a terminal frames are so high that all that it has room for
/// fill it.
int show_curves(const Context& context, const ViewOptions& options,
                std::vector<CurveFrame> frames) {
  if (!options.range.empty()) {
    require(frames.size() == 1, "--range is refused",
            "there are " + std::to_string(frames.size()) + " frames, one for each unit",
            "choose a column with --field");
    frames.front().options.y_range = {options.range[0], options.range[1]};
  }
  if (!options.out.empty()) {
    write_curve_picture(options.out, frames);
    context.out << "wrote " << options.out << "\n";
    return 0;
  }
  constexpr int least_rows = 12;
  TerminalSize size = terminal_size(STDOUT_FILENO);
  if (frames.size() > 1) {
    size.rows = std::max(least_rows, size.rows / static_cast<int>(frames.size()));
  }
  for (const CurveFrame& frame : frames) {
    context.out << ansi_curve(frame.curves, frame.options, size, terminal_color(STDOUT_FILENO));
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

int show_series(const Context& context, const ViewOptions& options, const fs::path& file) {
  require_fit(options, file.string() + ", a series", {"--field", "--range", "--out"});
  const CsvTable table = read_csv(file);
  const auto has = [&](const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const CsvColumn& column) { return column.name == name; });
  };
  const bool is_line = has("distance");
  const std::size_t x = table.column(is_line ? "distance" : has("time") ? "time" : "step");
  const std::vector<std::string> coordinates =
      is_line ? std::vector<std::string>{"distance", "x", "y", "z"}
              : std::vector<std::string>{"step", "time"};
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    const bool wanted = options.field.empty() ? std::find(coordinates.begin(), coordinates.end(),
                                                          name) == coordinates.end()
                                              : c == table.column(options.field);
    if (wanted) shown.push_back(c);
  }
  std::vector<CurveFrame> frames;
  for (const std::size_t c : shown) {
    const auto has_unit = [&](const CurveFrame& frame) {
      return frame.options.y_unit == table.columns[c].unit;
    };
    auto frame = std::find_if(frames.begin(), frames.end(), has_unit);
    if (frame == frames.end()) {
      frames.push_back({{},
                        {.title = frames.empty() ? file.filename().string() : "",
                         .x_name = table.columns[x].name,
                         .x_unit = table.columns[x].unit,
                         .y_unit = table.columns[c].unit}});
      frame = frames.end() - 1;
    }
    frame->curves.push_back(
        {.label = table.columns[c].name, .x = table.values[x], .y = table.values[c]});
  }
  for (CurveFrame& frame : frames) {  // the only curve stands at the axis, not in a legend
    if (frame.curves.size() == 1) std::swap(frame.options.y_name, frame.curves.front().label);
  }
  require(!frames.empty(), "nothing to show in " + file.string(),
          "it has no columns but " + joined(coordinates));
  return show_curves(context, options, std::move(frames));
}

int view(const Context& context, const ViewOptions& options) {
  if (!options.live.empty()) {
    require_fit(options, "--live", {"--live"});
    return follow_run(context, options.file, options.live == "true" ? "auto" : options.live);
  }
  if (!options.out.empty()) {
    picture_format(options.out);
    require_pictures();
  }
  if (!fs::exists(options.file)) {
    throw Error(ExitCode::files, "cannot read " + options.file, "no such file or folder");
  }
  const fs::path file =
      fs::is_directory(options.file) ? newest_in(options.file) : fs::path(options.file);
  if (const std::string death = death_of(options.file); !death.empty())
    context.err << printable(death) << "\n";
  if (file.extension() == ".csv") return show_series(context, options, file);
  if (!is_snapshot(file)) {
    throw Error(ExitCode::usage, "cannot show " + file.string(), "it is of an unknown kind",
                "name a .vtkhdf, .npy or .csv file, or the folder of a run");
  }
  const StoredSnapshot snapshot = read_snapshot(file);
  const Array& field = chosen_field(snapshot, options.field);
  check_component(field, options.component);
  require(!options.magnitude || field.components > 1, "--magnitude is refused",
          field.name + " has one component", "leave it out");
  const auto which = static_cast<std::size_t>(&field - snapshot.fields.data());
  return options.line.empty() ? show_plane(context, options, snapshot, which)
                              : show_line(context, options, snapshot, which);
}

/// CLI11 repeats the choices in the help unless the validator has no description.
CLI::Validator one_of(const std::vector<std::string>& choices) {
  CLI::Validator validator = CLI::IsMember(choices);
  return validator.description("");
}

}  // namespace

void add_view(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("view", "A slice or a curve of an output file");
  auto options = std::make_shared<ViewOptions>();
  command->add_option("file", options->file, "A .vtkhdf, .npy or .csv file, or a run's folder")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--field", options->field,
                   "Field (default: the first), or column of a series (all)")
      ->type_name("NAME");
  CLI::Option* component =
      command->add_option("--component", options->component, "Component of the field")
          ->type_name("N");
  command->add_flag("--magnitude", options->magnitude, "Of all components, instead of one")
      ->excludes(component);
  command
      ->add_option("--axis", options->axis,
                   "Normal of the plane (default z, or the axis with one layer of cells)")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  CLI::Option* index =
      command
          ->add_option("--index", options->index, "Cell layer (default: the middle); of a line two")
          ->type_name("N[,N]");
  command->add_option("--position", options->position, "The same as coordinates")
      ->type_name("LENGTH[,LENGTH]")
      ->excludes(index);
  command->add_option("--line", options->line, "A curve along this axis instead of a plane")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  command->add_option("--range", options->range, "Values at the ends of the colour bar or axis")
      ->expected(2)
      ->delimiter(',')
      ->type_name("LOW,HIGH");
  command
      ->add_option("--colors", options->colors,
                   "Colour map: sequential, thermal, diverging, grey, stones")
      ->check(one_of({"sequential", "thermal", "diverging", "grey", "stones"}))
      ->type_name("MAP");
  command->add_flag("--smooth", options->smooth, "Interpolate between cells");
  CLI::Option* mask = command
                          ->add_option("--mask", options->mask,
                                       "Field: cells where it is not 0, as in bodies, are grey")
                          ->type_name("NAME");
  command->add_option("--mask-value", options->mask_value, "Where it is this instead")
      ->type_name("N")
      ->needs(mask);
  command
      ->add_option("--vertical-exaggeration", options->vertical_exaggeration,
                   "Lengths upwards are drawn so much longer")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("FACTOR");
  command->add_option("--out", options->out, "Write a PNG, or an SVG or PDF, which scale")
      ->type_name("FILE.png|.svg|.pdf");
  command
      ->add_flag(
          "--live", options->live,
          "A page in a browser that follows the run in a folder, at any free port or at this "
          "one of 127.0.0.1, or at a Unix socket, until Ctrl-C")
      ->option_text("[=PORT|SOCKET]");
  command->footer(view_footer(context));
  command->callback([&context, command, options] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() > 0 && !option->get_lnames().empty()) {
        options->given.push_back("--" + option->get_lnames().front());
      }
    }
    context.action = [&context, options] { return view(context, *options); };
  });
}

}  // namespace goban::cli
