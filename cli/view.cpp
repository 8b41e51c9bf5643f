#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "goban/base/error.hpp"
#include "goban/io/case_names.hpp"
#include "goban/io/case_units.hpp"
#include "goban/io/csv.hpp"
#include "goban/io/picture/ansi_picture.hpp"
#include "goban/io/picture/curve_picture.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/io/snapshot_writer.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string file, field, axis = "z", position, line, colors, out;
  int component = 0;
  std::optional<Index> index;
  std::vector<double> range;
  bool smooth = false;
  std::vector<std::string> given;  ///< "--axis": the options that were
};

std::string view_footer(const Context& context) {
  return "\nWithout --out the picture appears in the terminal. A plane takes all options but "
         "--line\n"
         "(--smooth with --out only); a line --line, --field, --component, --range and --out; a\n"
         "series, which is a .csv file, --field, --range and --out.\n" +
         examples(context, {{"GOBAN view OUT", "newest snapshot, middle plane"},
                            {"GOBAN view OUT --axis x --index 10 --out slice.png"},
                            {"GOBAN view OUT --axis y --position \"2 mm\" --colors thermal"},
                            {"GOBAN view OUT --line x", "values along x through the middle"},
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

Axis axis_named(const std::string& name) {
  return name == "x" ? Axis::x : name == "y" ? Axis::y : Axis::z;
}

bool is_snapshot(const fs::path& file) {
  return file.extension() == ".vtkhdf" || file.extension() == ".npy";
}

/// The newest file of a run that can be shown: a snapshot, else a series.
fs::path newest_in(const fs::path& folder) {
  fs::path newest;
  std::pair<bool, fs::file_time_type> best{};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool snapshot = is_snapshot(entry.path());
    if (!entry.is_regular_file() || (!snapshot && entry.path().extension() != ".csv")) continue;
    const std::pair<bool, fs::file_time_type> rank{snapshot, entry.last_write_time()};
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

Index chosen_index(const ViewOptions& options, const StoredSnapshot& snapshot, const Array& field,
                   Axis axis) {
  const int a = index_of(axis);
  const Index cells = field.extents[a];
  Index index = options.index.value_or(cells / 2);
  if (!options.position.empty()) {
    const double position = length_of(options.position) - snapshot.origin[a];
    index = static_cast<Index>(std::floor(position / snapshot.spacing[a]));
  }
  require(index >= 0 && index < cells, "there is no such plane",
          "along " + options.axis + " there are " + std::to_string(cells) + " cells",
          "choose --index between 0 and " + std::to_string(cells - 1));
  return index;
}

std::string title_of(const StoredSnapshot& snapshot, const std::string& rest) {
  return "step " + std::to_string(snapshot.step) + ", " + rest;
}

int show_plane(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
               std::size_t which) {
  std::vector<std::string> fitting = {"--field",    "--component", "--axis",   "--index",
                                      "--position", "--range",     "--colors", "--out"};
  if (!options.out.empty()) fitting.push_back("--smooth");
  require_fit(options, options.out.empty() ? "a plane in the terminal" : "a plane", fitting);
  const Array& field = snapshot.fields[which];
  const Axis axis = axis_named(options.axis);
  const Index index = chosen_index(options, snapshot, field, axis);
  const ArrayView values = field.view();
  const ArrayView plane = plane_of(values, axis, index);
  const std::string title = title_of(snapshot, options.axis + " = cell " + std::to_string(index));
  std::optional<std::pair<double, double>> range;
  if (!options.range.empty()) range = {options.range[0], options.range[1]};
  const auto colors = colormap_named(options.colors);
  if (!options.out.empty()) {
    write_slice_picture(options.out, plane,
                        {.title = title,
                         .name = field.name,
                         .unit = snapshot.units[which],
                         .component = options.component,
                         .range = range,
                         .colormap = colors,
                         .origin = snapshot.origin,
                         .spacing = snapshot.spacing,
                         .smooth = options.smooth});
    context.out << "wrote " << options.out << "\n";
  } else {
    context.out << ansi_picture(plane, {.title = title,
                                        .name = field.name,
                                        .unit = snapshot.units[which],
                                        .component = options.component,
                                        .range = range,
                                        .colormap = colors,
                                        .spacing = snapshot.spacing,
                                        .size = terminal_size(STDOUT_FILENO),
                                        .color = terminal_color(STDOUT_FILENO)});
  }
  return 0;
}

int show_curves(const Context& context, const ViewOptions& options,
                const std::vector<Curve>& curves, CurvePictureOptions picture) {
  if (!options.range.empty()) picture.y_range = {options.range[0], options.range[1]};
  if (!options.out.empty()) {
    write_curve_picture(options.out, curves, picture);
    context.out << "wrote " << options.out << "\n";
  } else {
    context.out << ansi_curve(curves, picture, terminal_size(STDOUT_FILENO),
                              terminal_color(STDOUT_FILENO));
  }
  return 0;
}

int show_line(const Context& context, const ViewOptions& options, const StoredSnapshot& snapshot,
              std::size_t which) {
  require_fit(options, "a line", {"--line", "--field", "--component", "--range", "--out"});
  const Array& field = snapshot.fields[which];
  const int a = index_of(axis_named(options.line));
  Index3 cell = {field.extents[0] / 2, field.extents[1] / 2, field.extents[2] / 2};
  Curve curve;
  for (cell[a] = 0; cell[a] < field.extents[a]; ++cell[a]) {
    curve.x.push_back(snapshot.origin[a] +
                      (static_cast<double>(cell[a]) + 0.5) * snapshot.spacing[a]);
    curve.y.push_back(field.at(cell[0], cell[1], cell[2], options.component));
  }
  return show_curves(context, options, {curve},
                     {.title = title_of(snapshot, "along " + options.line + " through the middle"),
                      .x_name = options.line,
                      .y_name = field.name,
                      .y_unit = snapshot.units[which]});
}

int show_series(const Context& context, const ViewOptions& options, const fs::path& file) {
  require_fit(options, file.string() + ", a series", {"--field", "--range", "--out"});
  const CsvTable table = read_csv(file);
  const bool has_time = std::any_of(table.columns.begin(), table.columns.end(),
                                    [](const CsvColumn& column) { return column.name == "time"; });
  const std::size_t x = table.column(has_time ? "time" : "step");
  std::vector<Curve> curves;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    const bool wanted =
        options.field.empty() ? name != "step" && name != "time" : c == table.column(options.field);
    if (wanted) curves.push_back({.label = name, .x = table.values[x], .y = table.values[c]});
  }
  return show_curves(context, options, curves,
                     {.title = file.filename().string(),
                      .x_name = table.columns[x].name,
                      .x_unit = table.columns[x].unit});
}

int view(const Context& context, const ViewOptions& options) {
  require(options.out.empty() || fs::path(options.out).extension() == ".png",
          "--out " + options.out + " is refused", "pictures are PNG files",
          "choose a name that ends in .png");
  if (!fs::exists(options.file)) {
    throw Error(ExitCode::files, "cannot read " + options.file, "no such file or folder");
  }
  const fs::path file =
      fs::is_directory(options.file) ? newest_in(options.file) : fs::path(options.file);
  if (file.extension() == ".csv") return show_series(context, options, file);
  if (!is_snapshot(file)) {
    throw Error(ExitCode::usage, "cannot show " + file.string(), "it is of an unknown kind",
                "name a .vtkhdf, .npy or .csv file, or the folder of a run");
  }
  const StoredSnapshot snapshot = read_snapshot(file);
  const Array& field = chosen_field(snapshot, options.field);
  check_component(field, options.component);
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
  command->add_option("--component", options->component, "Component of the field")->type_name("N");
  command->add_option("--axis", options->axis, "Normal of the plane (default z)")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  CLI::Option* index =
      command->add_option("--index", options->index, "Cell layer (default: the middle)")
          ->type_name("N");
  command->add_option("--position", options->position, "The same as a coordinate")
      ->type_name("LENGTH")
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
  command->add_option("--out", options->out, "Write a PNG")->type_name("FILE.png");
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
