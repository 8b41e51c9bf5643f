#include "options.hpp"

#include <fmt/ranges.h>

#include <initializer_list>

namespace goban::python {
namespace {

Restart restart_of(const Json& options) {
  std::string word;
  read(options, "restart", word);
  return word.empty() ? Restart{} : restart_named(word);
}

/// The number of the word among the names, which are in the order of the enumerators.
template <class Enum>
Enum choice(const Json& json, const char* key, std::initializer_list<const char*> names) {
  const std::string chosen = json.at(key);
  int n = 0;
  for (const char* name : names) {
    if (chosen == name) return static_cast<Enum>(n);
    ++n;
  }
  throw Error(ExitCode::usage, std::string(key) + " '" + chosen + "' is refused", "",
              fmt::format("one of '{}'", fmt::join(names, "', '")));
}

}  // namespace

When when_of(const Json& schedule) {
  When when;
  const auto add = [&](Trigger trigger) { when = when | When(std::move(trigger)); };
  for (const auto& [key, value] : schedule.items()) {
    if (key == "every") add(every(value.get<Index>()));
    if (key == "every_time") add(every_time(value.get<double>()));
    if (key == "seconds") add(every_wall(value.get<double>()));
    if (key == "at_steps") add(at_steps(value.get<std::vector<Index>>()));
    if (key == "at_times") add(at_times(value.get<std::vector<double>>()));
    if (key == "automatically") add(automatically());
    if (key == "at_end") when = when | at_end();
  }
  return when;
}

AnyField field_of(const Json& named, void* const* objects) {
  const auto* field = static_cast<const FieldHandle*>(objects[named.at("field").get<Index>()]);
  return field->with_unit(named.value("unit", ""));
}

std::vector<AnyField> fields_of(const Json& named, void* const* objects) {
  std::vector<AnyField> fields;
  for (const Json& one : named) fields.push_back(field_of(one, objects));
  return fields;
}

SimulationOptions simulation_options(const Json& options) {
  SimulationOptions all;
  read(options, "steps", all.steps);
  read(options, "end", all.end);
  read(options, "dt", all.dt.value);
  read(options, "directory", all.directory);
  read(options, "name", all.name);
  read(options, "title", all.title);
  read(options, "length_unit", all.length_unit);
  read(options, "time_unit", all.time_unit);
  all.restart = restart_of(options);
  read(options, "allow_changes", all.allow_changes);
  read(options, "max_time", all.max_time);
  read(options, "nan_check", all.nan_check);
  read(options, "advice_on_divergence", all.advice_on_divergence);
  read(options, "measure_bandwidth", all.measure_bandwidth);
  bool goes_on_without_files = false;
  read(options, "warn_of_files", goes_on_without_files);
  if (goes_on_without_files) all.file_trouble = FileTrouble::warn;
  for (const auto& [key, value] : options.at("case_values").items()) {
    all.case_values.emplace_back(key, value.get<std::string>());
  }
  return all;
}

PictureOptions picture_options(const Json& options, void* const* objects) {
  PictureOptions all;
  all.axis = static_cast<Axis>(options.at("axis").get<int>());
  read(options, "position", all.position);
  read(options, "index", all.index);
  read(options, "component", all.component);
  read(options, "magnitude", all.magnitude);
  read(options, "range", all.range);
  read(options, "one_range", all.one_range);
  if (const std::string name = options.at("colors"); !name.empty()) {
    all.colors = colormap_named(name);
    require(all.colors.has_value(), "colors = " + name + " are not known", "",
            "sequential, thermal, diverging, grey or stones");
  }
  if (options.contains("outline")) all.outline = field_of(options.at("outline"), objects);
  if (options.contains("mask")) all.mask = field_of(options.at("mask"), objects);
  read(options, "mask_value", all.mask_value);
  all.format = picture_format_named(options.at("format").get<std::string>()).value();
  read(options, "vertical_exaggeration", all.vertical_exaggeration);
  read(options, "pixels_per_cell", all.pixels_per_cell);
  read(options, "smooth", all.smooth);
  read(options, "title", all.title);
  read(options, "name", all.name);
  return all;
}

CheckpointPolicy checkpoint_policy(const Json& options) {
  CheckpointPolicy all;
  read(options, "keep", all.keep);
  read(options, "archive_every", all.archive_every);
  read(options, "at_end", all.at_end);
  read(options, "background", all.background);
  read(options, "compress", all.compress);
  read(options, "mtbf", all.mtbf);
  return all;
}

FourierOptions fourier_options(const Json& json) {
  FourierOptions options;
  options.transforms =
      choice<FourierTransforms>(json, "transforms", {"automatic", "host", "device"});
  read(json, "most_imbalance", options.most_imbalance);
  return options;
}

MultigridOptions multigrid_options(const Json& json) {
  MultigridOptions options;
  options.cycle = choice<MultigridCycle>(json, "cycle", {"v", "f"});
  options.smoother = choice<Smoother>(json, "smoother", {"chebyshev", "jacobi", "red_black"});
  options.bottom = choice<MultigridBottom>(json, "bottom", {"relaxation", "conjugate_gradients"});
  read(json, "sweeps_before", options.sweeps_before);
  read(json, "sweeps_after", options.sweeps_after);
  read(json, "weight", options.weight);
  read(json, "coarsest", options.coarsest);
  read(json, "most_levels", options.most_levels);
  read(json, "conductances_hold_h2", options.conductances_hold_h2);
  read(json, "single_precision", options.single_precision);
  read(json, "gathered_cells", options.gathered_cells);
  read(json, "most_imbalance", options.most_imbalance);
  return options;
}

Position position_of(const Json& coordinates) {
  return {coordinates.at(0), coordinates.at(1), coordinates.at(2)};
}

}  // namespace goban::python
