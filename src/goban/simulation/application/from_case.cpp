#include "goban/simulation/application/from_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/io/case/names.hpp"
#include "goban/io/case/print.hpp"

namespace goban {
namespace {

/// "" for pure numbers.
std::string heading_unit(const Case& values, const std::string& key) {
  const std::string& unit = values.schema().find(key)->unit();
  return unit == "1" ? "" : unit;
}

/// Steps between rows of [output.series] when the case gives no schedule.
constexpr Index steps_between_rows = 100;

/// Whether a schedule has anything but at_end.
bool has_moments(const Case& values, const std::string& section) {
  for (const char* key : {"every", "every_time", "every_wall", "at"}) {
    if (values.has(dotted(section, key))) return true;
  }
  return false;
}

bool is_scheduled(const Case& values, const std::string& section) {
  return has_moments(values, section) || values.boolean(dotted(section, "at_end"));
}

const AnyField& named(const std::vector<AnyField>& fields, const std::string& name,
                      const Case& values, const std::string& key) {
  std::vector<std::string> names;
  for (const AnyField& field : fields) {
    if (field.name() == name) return field;
    names.push_back(field.name());
  }
  throw values.error(key, "unknown field " + name, "the fields are " + joined(names),
                     did_you_mean(nearest_name(name, names)));
}

std::vector<AnyField> listed(const std::vector<AnyField>& fields, const Case& values,
                             const std::string& key) {
  if (!values.has(key)) return fields;
  std::vector<AnyField> chosen;
  for (const std::string& name : values.texts(key)) {
    chosen.push_back(named(fields, name, values, key));
  }
  return chosen;
}

void check_component(const AnyField& field, const Case& row) {
  const Index component = row.integer("component");
  if (component >= field.record()->components) {
    throw row.error("component", "component " + std::to_string(component) + " is out of range",
                    field.name() + " has " + std::to_string(field.record()->components),
                    "they are numbered from 0");
  }
}

/// Whether a coordinate lies within the grid; its upper end belongs to it.
bool is_inside(const Grid& grid, int axis, double position) {
  const double low = grid.origin()[axis];
  const double length = static_cast<double>(grid.cells()[axis]) * grid.spacing()[axis];
  return position >= low && position <= low + length;
}

void check_position(const std::optional<double>& position, Axis axis, const Case& row,
                    const Grid& grid, const std::string& what) {
  if (!position || is_inside(grid, index_of(axis), *position)) return;
  throw row.error("position", "the " + what + " lies outside the grid",
                  "see grid.origin, grid.cells and grid.spacing");
}

PictureOptions picture_options(const Case& row, const Grid& grid,
                               const std::vector<AnyField>& fields) {
  auto options = row.read<PictureOptions>();
  const int a = index_of(options.axis);
  check_position(options.position, options.axis, row, grid, "picture's plane");
  if (options.index && *options.index >= grid.cells()[a]) {
    throw row.error(
        "index", "the picture's plane lies outside the grid",
        "there are " + std::to_string(grid.cells()[a]) + " cells along " + row.choice("axis"));
  }
  const std::string& range = row.word("range");
  options.one_range = range != "picture";
  if (range.empty()) {
    options.range = {row.reals("range")[0], row.reals("range")[1]};
    if (options.range->first >= options.range->second) {
      throw row.error("range", "the range of the colour bar is empty", "low must be below high");
    }
  }
  if (row.has("outline")) options.outline = named(fields, row.text("outline"), row, "outline");
  if (row.has("mask")) options.mask = named(fields, row.text("mask"), row, "mask");
  if (options.mask_value && !options.mask)
    throw row.error("mask_value", "there is no mask", "name a field in mask");
  return options;
}

/// A point that a row names.
Position point_of(const Case& row, const std::string& key, const Grid& grid,
                  const std::string& what) {
  const Real3 at = row.real3(key);
  for (int a = 0; a < 3; ++a) {
    if (!is_inside(grid, a, at[a])) {
      throw row.error(key, "the " + what + " lies outside the grid",
                      "see grid.origin, grid.cells and grid.spacing");
    }
  }
  return {at[0], at[1], at[2]};
}

void add_probe(Simulation& simulation, const Case& row, const std::vector<AnyField>& fields) {
  const Position at = point_of(row, "position", simulation.grid(), "probe");
  const auto column = row.boolean("interpolate") ? interpolated_at : value_at;
  std::vector<Column> columns;
  for (const AnyField& field : listed(fields, row, "fields")) {
    for (int c = 0; c < field.record()->components; ++c) columns.push_back(column(field, at, c));
  }
  When when = schedule_of(row, "");
  if (!has_moments(row, "")) when = when | every(1);
  simulation.series("probe_" + row.text("name"), std::move(columns), when);
}

void add_line(Simulation& simulation, const Case& row, const std::vector<AnyField>& fields) {
  auto options = row.read<LineOptions>();
  options.from = point_of(row, "from", simulation.grid(), "line");
  options.to = point_of(row, "to", simulation.grid(), "line");
  if (row.real3("from") == row.real3("to")) {
    throw row.error("to", "the line has no length", "it ends where it begins");
  }
  simulation.line("line_" + row.text("name"), listed(fields, row, "fields"), options,
                  schedule_of(row, ""));
}

void add_plane(Simulation& simulation, const Case& row, const std::vector<AnyField>& fields) {
  const auto options = row.read<PlaneOptions>();
  check_position(options.position, options.axis, row, simulation.grid(), "plane");
  simulation.plane("plane_" + row.text("name"), listed(fields, row, "fields"), options,
                   schedule_of(row, ""));
}

When samples_of(const Case& values, const std::string& section) {
  const std::string time = dotted(section, "every_time");
  return values.has(time) ? every_time(values.real(time))
                          : every(values.integer(dotted(section, "every")));
}

void add_averages(Simulation& simulation, const Case& row, const std::vector<AnyField>& fields) {
  auto options = row.read<AverageOptions>();
  options.from = row.real("from");
  for (const std::string& pair : row.texts("covariances")) {
    const auto space = pair.find(' ');
    if (space == std::string::npos) {
      throw row.error("covariances", "'" + pair + "' is no pair", "a space stands between two",
                      "write \"velocity[0] velocity[1]\"");
    }
    options.covariances.emplace_back(pair.substr(0, space), pair.substr(space + 1));
  }
  simulation.averages("averages_" + row.text("name"), listed(fields, row, "fields"), options,
                      samples_of(row, ""));
}

/// Fields that are named are wanted: at the end where nothing says when.
void add_snapshots(Simulation& simulation, const Case& values, const std::vector<AnyField>& shown) {
  const std::string section = "output.snapshots";
  When when = schedule_of(values, section);
  if (!is_scheduled(values, section)) {
    if (!values.given(section + ".fields")) return;
    if (values.given(section + ".at_end")) {
      throw values.error(section + ".at_end", "the snapshots would never be written",
                         "no other key says when", "write every = 100, or at_end = true");
    }
    when = at_end();
  }
  if (!shown.empty()) simulation.output(shown, when);
}

When times_of_checkpoints(const Case& values, const std::string& section) {
  When when;
  if (values.has(section + ".every")) when = when | every(values.integer(section + ".every"));
  const std::string wall = section + ".every_wall", word = values.word(wall);
  if (word == "auto") when = when | automatically();
  if (word.empty()) when = when | every_wall(values.real(wall));
  return when;
}

NodeCheckpoints node_checkpoints(const Case& values) {
  auto nodes = values.read<NodeCheckpoints>();
  std::string scheduled;  // a key that says when
  const auto times = [&](const std::string& level) {
    for (const char* key : {"every", "every_wall"}) {
      if (values.given(level + "." + key)) scheduled = level + "." + key;
    }
    return times_of_checkpoints(values, level);
  };
  nodes.local = times("checkpoint.local");
  nodes.copies = times("checkpoint.copies");
  nodes.parity = times("checkpoint.parity");
  const std::string folder = "checkpoint.local.folder";
  if (nodes.folder.empty() != scheduled.empty()) {
    throw nodes.folder.empty()
        ? values.error(scheduled, "there is no place on the nodes to save to",
                       folder + " is not given", "give it")
        : values.error(folder, "nothing would be saved on the nodes", "no key says when",
                       "write checkpoint.local.every = 100");
  }
  return nodes;
}

/// run.conserved
void set_conserved(std::vector<Column>& columns, const Case& values) {
  for (const std::string& name : values.texts("run.conserved")) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw values.error("run.conserved", "unknown number " + name,
                         "those of output.series are " + joined(names),
                         did_you_mean(nearest_name(name, names)));
    }
    columns[static_cast<std::size_t>(found - names.begin())].conserved_within =
        values.real("run.conserved_within");
  }
}

void add_checkpoints(Simulation& simulation, const Case& values) {
  auto policy = values.read<CheckpointPolicy>();
  policy.nodes = node_checkpoints(values);
  simulation.checkpoint(times_of_checkpoints(values, "checkpoint"), policy);
}

}  // namespace

double stable_time_step(const Case& values, double largest) {
  if (values.has("time.dt")) {
    const double dt = values.real("time.dt");
    if (dt > largest) {
      throw values.error("time.dt", fmt::format("time.dt = {} s is refused", dt),
                         fmt::format("the scheme is stable up to {} s", largest),
                         "leave it out to have it chosen");
    }
    return dt;
  }
  const double dt = values.real("scheme.stability") * largest;
  const double end = values.has("time.end") ? values.real("time.end") : 0;
  return end == 0 ? dt : end / std::ceil(end / dt);
}

SimulationOptions simulation_options(const Case& values) {
  auto options = values.read<SimulationOptions>();
  if (values.has("time.dt")) options.dt = values.real("time.dt");
  options.name = values.name();
  options.case_text = resolved_toml(values);
  options.case_values = case_values(values);
  options.case_files = case_files(values);
  options.length_unit = heading_unit(values, "grid.spacing");
  options.time_unit = heading_unit(values, "time.end");
  return options;
}

When schedule_of(const Case& values, const std::string& section) {
  const auto key = [&](const char* name) { return dotted(section, name); };
  When when;
  if (values.has(key("every"))) when = when | every(values.integer(key("every")));
  if (values.has(key("every_time"))) when = when | every_time(values.real(key("every_time")));
  if (values.has(key("every_wall"))) when = when | every_wall(values.real(key("every_wall")));
  if (values.has(key("at"))) when = when | at_times(values.reals(key("at")));
  if (values.boolean(key("at_end"))) when = when | at_end();
  return when;
}

void add_outputs(Simulation& simulation, const Case& values, const std::vector<AnyField>& fields,
                 std::vector<Column> columns) {
  simulation.shows(fields);
  add_snapshots(simulation, values, listed(fields, values, "output.snapshots.fields"));
  for (const Case& row : values.list("output.picture")) {
    const AnyField& field = named(fields, row.text("field"), row, "field");
    check_component(field, row);
    simulation.picture(field, picture_options(row, simulation.grid(), fields),
                       schedule_of(row, ""));
  }
  set_conserved(columns, values);
  if (!columns.empty()) {
    When when = schedule_of(values, "output.series");
    if (!has_moments(values, "output.series")) when = when | every(steps_between_rows);
    simulation.series("series", std::move(columns), when);
  }
  for (const Case& row : values.list("output.probe")) add_probe(simulation, row, fields);
  for (const Case& row : values.list("output.line")) add_line(simulation, row, fields);
  for (const Case& row : values.list("output.plane")) add_plane(simulation, row, fields);
  for (const Case& row : values.list("output.averages")) add_averages(simulation, row, fields);
  for (const std::string& name : values.texts("output.statistics.fields")) {
    simulation.statistics(named(fields, name, values, "output.statistics.fields"),
                          samples_of(values, "output.statistics"),
                          values.real("output.statistics.from"));
  }
  add_checkpoints(simulation, values);
}

void add_results(Simulation& simulation, const std::vector<Column>& columns) {
  std::map<std::string, std::string> units;
  for (const Column& column : columns) {
    if (!column.unit.empty()) units[column.name] = column.unit;
  }
  simulation.results(
      [columns](nlohmann::ordered_json& results) {
        for (const Column& column : columns) results[column.name] = column.value();
      },
      units);
}

}  // namespace goban
