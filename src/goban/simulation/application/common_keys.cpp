#include "goban/simulation/application/common_keys.hpp"

#include "goban/io/case/place.hpp"
#include "goban/simulation/options.hpp"

namespace goban {
namespace {

constexpr Named<std::optional<Colormap>> colors[] = {
    {"auto", std::nullopt},         {"sequential", Colormap::sequential},
    {"thermal", Colormap::thermal}, {"diverging", Colormap::diverging},
    {"grey", Colormap::grey},       {"stones", Colormap::stones}};

/// A key that a member of a struct is, whose own value says that nothing is given.
template <class Record, class Member>
CaseKey& optional_key(CaseSchema& schema, std::string name, Member Record::*member) {
  return schema.key(std::move(name), member).optional();
}

void declare_grid(CaseSchema& schema, const CommonChoices& choices) {
  schema.section("grid", "the grid: two of cells, spacing and size, and its place");
  schema.integers("grid.cells")
      .length(3)
      .or_one_for_all()
      .at_least(1)
      .optional()
      .doc("cells along x, y, z; default: they follow from size and spacing");
  schema.reals("grid.spacing", std::vector<double>{1, 1, 1})
      .length(3)
      .or_one_for_all()
      .positive()
      .unit(choices.length_unit)
      .doc("edge lengths of a cell, or one for cubes; default: it follows from size and cells");
  schema.reals("grid.size")
      .length(3)
      .or_one_for_all()
      .at_least(0)
      .unit(choices.length_unit)
      .optional()
      .doc("edge lengths of the grid" + choices.size_excludes +
           "; 0: one cell along that axis; refined by changing spacing or cells alone");
  schema.grid_layers(choices.layers);
  schema.reals("grid.origin", std::vector<double>{0, 0, 0})
      .length(3)
      .unit(choices.length_unit)
      .doc("lower corner of cell 0, 0, 0");
}

void declare_time(CaseSchema& schema, const CommonChoices& choices) {
  schema.section("time", "the length of the run: steps or end, whichever comes first");
  optional_key(schema, "time.steps", &SimulationOptions::steps)
      .at_least(0)
      .doc("time steps to take");
  optional_key(schema, "time.end", &SimulationOptions::end)
      .at_least(0)
      .unit(choices.time_unit)
      .doc("simulated time to reach");
  schema.real("time.dt").positive().unit(choices.time_unit).optional().doc("time step");
}

void declare_run(CaseSchema& schema, const CommonChoices& choices) {
  declare_machine(schema, "how it is computed; only precisions change results");
  schema.choice("run.precision", choices.precisions, choices.precisions.front())
      .doc(
          "number format of the fields; float32 rounds by 6e-8 of a value, half by 5e-4: changes "
          "in a step that are smaller than this are lost");
  schema.choice("run.layout", choices.layouts, choices.layouts.front())
      .doc("memory order of the axes, fastest first");
  declare_settings(schema);
  schema.key("run.nan_check", &SimulationOptions::nan_check)
      .at_least(0)
      .doc(
          "steps between checks for NaN and infinity; 0: only when something is saved, and at the "
          "end");
  schema.texts("run.conserved", std::vector<std::string>{})
      .doc("columns of output.series that do not change, unless memory or a processor errs");
  schema.real("run.conserved_within", 1e-4)
      .positive()
      .doc("largest change of these columns, as a share of their first values");
}

void declare_picture(CaseSchema& schema, const CommonChoices& choices) {
  CaseSchema& picture = schema.tables("output.picture", "a slice of a field as a picture");
  picture.text("field").doc("name of the field");
  picture.key("component", &PictureOptions::component).at_least(0).doc("component of the field");
  picture.key("magnitude", &PictureOptions::magnitude)
      .doc("magnitude of all components, in place of one component");
  picture.key("axis", &PictureOptions::axis, axis_names).doc("normal of the slice");
  picture.key("position", &PictureOptions::position)
      .unit(choices.length_unit)
      .doc("place of the slice on its axis; the middle when neither this nor index is given");
  picture.key("index", &PictureOptions::index).at_least(0).doc("cell layer of the slice");
  picture.reals("range")
      .length(2)
      .or_words({"run", "picture"})
      .doc(
          "values at the ends of the colour bar; picture: those of each picture; run: one range "
          "for all pictures of the run");
  picture.key("colors", &PictureOptions::colors, colors).doc("colour map");
  picture.text("outline").optional().doc(
      "name of a field; lines are drawn where its values change");
  picture.text("mask").optional().doc(
      "name of a field; cells where it is not 0, such as those of bodies, are grey");
  picture.key("mask_value", &PictureOptions::mask_value)
      .doc("value of the mask whose cells are grey, in place of all that are not 0");
  picture.key("vertical_exaggeration", &PictureOptions::vertical_exaggeration)
      .positive()
      .doc(
          "factor of lengths upwards; pictures more than ten times as wide as high are limited to "
          "that");
  picture
      .key("format", &PictureOptions::format,
           {{"png", PictureFormat::png}, {"svg", PictureFormat::svg}, {"pdf", PictureFormat::pdf}})
      .doc("kind of file; SVG and PDF can be scaled");
  picture.key("pixels_per_cell", &PictureOptions::pixels_per_cell)
      .between(1, 64)
      .or_auto()
      .doc("pixels along the shorter side of a cell");
  picture.key("smooth", &PictureOptions::smooth).doc("interpolate colours between cells");
  optional_key(picture, "title", &PictureOptions::title).doc("heading of the picture");
  optional_key(picture, "name", &PictureOptions::name)
      .in_file_name()
      .doc("beginning of the file name");
  declare_schedule(picture, "", choices.time_unit, true);
}

/// When samples of means over time are taken.
void declare_samples(CaseSchema& schema, const std::string& section, const std::string& time_unit) {
  schema.integer(dotted(section, "every"), 10)
      .at_least(1)
      .doc("steps between samples, if every_time is not given");
  schema.real(dotted(section, "every_time"))
      .positive()
      .unit(time_unit)
      .optional()
      .doc("simulated time between samples");
  schema.real(dotted(section, "from"), 0.0)
      .at_least(0)
      .unit(time_unit)
      .doc("simulated time of the first sample");
}

void declare_output(CaseSchema& schema, const CommonChoices& choices) {
  schema.section("output", "files that are written");
  schema
      .key("output.if_unwritable", &SimulationOptions::file_trouble,
           {{"stop", FileTrouble::stop}, {"warn", FileTrouble::warn}})
      .doc("what happens when a file cannot be written, as on a full disk");
  schema.section("output.snapshots", "whole fields, as VTKHDF with an XDMF index");
  schema.texts("output.snapshots.fields")
      .optional()
      .doc(
          "names of fields; default: all results. Without a schedule a snapshot is written at the "
          "end");
  declare_schedule(schema, "output.snapshots", choices.time_unit, false);
  declare_picture(schema, choices);
  schema.section("output.series",
                 "numbers over time, as CSV; every 100 steps when nothing is given");
  declare_schedule(schema, "output.series", choices.time_unit, true);
  CaseSchema& probe = schema.tables(
      "output.probe", "fields at a point over time, as CSV; every step when nothing is given");
  probe.text("name").in_file_name().doc("name of the probe, in the file name");
  probe.texts("fields").optional().doc("names of fields; default: all results");
  probe.reals("position").length(3).unit(choices.length_unit).doc("position of the probe");
  probe.boolean("interpolate", true)
      .doc("interpolate linearly between cells; otherwise take the value of the cell");
  declare_schedule(probe, "", choices.time_unit, true);
  CaseSchema& line =
      schema.tables("output.line", "fields along a line, interpolated between cells, as CSV files");
  line.text("name").in_file_name().doc("name in the file names");
  line.texts("fields").optional().doc("names of fields; default: all results");
  line.reals("from").length(3).unit(choices.length_unit).doc("beginning of the line");
  line.reals("to").length(3).unit(choices.length_unit).doc("end of the line");
  line.key("points", &LineOptions::points)
      .between(2, 1000000)
      .or_auto()
      .doc(
          "number of points, ends included; auto: one for each cell along its longest side, and "
          "one more");
  declare_schedule(line, "", choices.time_unit, true);
  CaseSchema& plane = schema.tables(
      "output.plane", "fields on a plane, interpolated between cells, in files as of snapshots");
  plane.text("name").in_file_name().doc("name in the file names");
  plane.texts("fields").optional().doc("names of fields; default: all results");
  plane.key("axis", &PlaneOptions::axis, axis_names).doc("normal of the plane");
  plane.key("position", &PlaneOptions::position)
      .unit(choices.length_unit)
      .doc("place of the plane on its axis; default: the middle");
  declare_schedule(plane, "", choices.time_unit, true);
  CaseSchema& averages = schema.tables(
      "output.averages", "profiles along an axis, averaged over planes and time, as CSV files");
  averages.text("name").in_file_name().doc("name in the file names");
  averages.texts("fields").doc("names of fields, all at the same place along the axis");
  averages.key("axis", &AverageOptions::axis, axis_names)
      .doc("normal of the planes over which means are taken");
  averages.texts("covariances", std::vector<std::string>{})
      .doc("pairs of components, as \"velocity[0] velocity[1]\"; variances are always written");
  declare_samples(averages, "", choices.time_unit);
  schema.section("output.statistics", "mean, variance and extrema over time of every cell");
  schema.texts("output.statistics.fields", std::vector<std::string>{})
      .doc("names of fields; default: none");
  declare_samples(schema, "output.statistics", choices.time_unit);
}

void declare_node_checkpoints(CaseSchema& schema) {
  const auto declare_level = [&](const std::string& level, const std::string& doc) {
    schema.section("checkpoint." + level, doc);
    schema.integer("checkpoint." + level + ".every")
        .at_least(1)
        .optional()
        .doc("steps between checkpoints");
    schema.real("checkpoint." + level + ".every_wall")
        .positive()
        .unit("s")
        .or_words({"never", "auto"})
        .doc("wall time between checkpoints; auto: as their cost and mtbf make it pay");
  };
  declare_level("local",
                "saved states on the nodes, each rank's on its own: see docs/checkpoints.md");
  optional_key(schema, "checkpoint.local.folder", &NodeCheckpoints::folder)
      .doc("folder of each node, on its disk or in memory; {node} and {rank} stand for numbers");
  declare_level("copies", "the same with a copy on the next node");
  declare_level("parity", "the same with parity over groups of nodes");
  schema.key("checkpoint.parity.group", &NodeCheckpoints::group)
      .between(2, 255)
      .doc("number of nodes that share parity; one more if the nodes are divided evenly then");
  schema.key("checkpoint.parity.lost", &NodeCheckpoints::lost)
      .between(1, 254)
      .doc("number of nodes of a group that may be lost");
}

void declare_checkpoint(CaseSchema& schema) {
  schema.section("checkpoint", "saved states to restart from");
  schema.integer("checkpoint.every").at_least(1).optional().doc("steps between checkpoints");
  schema.real("checkpoint.every_wall")
      .positive()
      .unit("s")
      .or_words({"never", "auto"})
      .doc("wall time between checkpoints; auto: as their cost and mtbf make it pay");
  schema.key("checkpoint.keep", &CheckpointPolicy::keep)
      .between(1, 1000000000)
      .doc("number of newest checkpoints that are kept");
  schema.key("checkpoint.at_end", &CheckpointPolicy::at_end)
      .doc("write a checkpoint when the run is over, so that it can be continued");
  optional_key(schema, "checkpoint.archive_every", &CheckpointPolicy::archive_every)
      .at_least(1)
      .doc("steps between checkpoints that are kept for ever");
  schema.key("checkpoint.background", &CheckpointPolicy::background)
      .doc("let a thread save beside the run, from copies of two states in memory");
  schema.key("checkpoint.compress", &CheckpointPolicy::compress)
      .doc("compress without loss, by zstd");
  optional_key(schema, "checkpoint.mtbf", &CheckpointPolicy::mtbf)
      .positive()
      .unit("s")
      .doc(
          "mean time between failures, for auto; default: as failures came so far, at first a day");
  declare_node_checkpoints(schema);
}

}  // namespace

std::string dotted(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

void declare_common(CaseSchema& schema, const CommonChoices& choices) {
  schema.key("app", &SimulationOptions::app).required().doc("the application that runs the case");
  schema.key("title", &SimulationOptions::title)
      .doc("what the case is, for the banner and pictures");
  declare_grid(schema, choices);
  declare_time(schema, choices);
  declare_run(schema, choices);
  declare_output(schema, choices);
  declare_checkpoint(schema);
}

void declare_schedule(CaseSchema& schema, const std::string& section, const std::string& time_unit,
                      bool at_end) {
  schema.integer(dotted(section, "every")).at_least(1).optional().doc("steps between two outputs");
  schema.real(dotted(section, "every_time"))
      .positive()
      .unit(time_unit)
      .optional()
      .doc("simulated time between two outputs");
  schema.real(dotted(section, "every_wall"))
      .positive()
      .unit("s")
      .optional()
      .doc("wall time between two outputs");
  schema.reals(dotted(section, "at"))
      .at_least(0)
      .unit(time_unit)
      .optional()
      .doc("simulated times of outputs");
  schema.boolean(dotted(section, "at_end"), at_end).doc("write once more when the run ends");
}

void declare_stability(CaseSchema& schema, double fallback) {
  schema.real("scheme.stability", fallback)
      .positive()
      .at_most(1)
      .doc("time step as a fraction of the largest stable one, unless time.dt gives it");
}

GridOptions grid_options(const Case& values, const BoundarySet& boundary) {
  return {.cells = values.integer3("grid.cells"),
          .spacing = values.real3("grid.spacing"),
          .origin = values.real3("grid.origin"),
          .boundary = boundary};
}

}  // namespace goban
