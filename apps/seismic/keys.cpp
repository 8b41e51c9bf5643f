#include "seismic/keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "goban/cases/side_keys.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/place.hpp"
#include "goban/io/case/table.hpp"
#include "goban/io/case/units.hpp"
#include "seismic/double_couple.hpp"
#include "seismic/rock_keys.hpp"
#include "seismic/sac.hpp"

namespace goban::seismic {
namespace {

const std::vector<std::string>& start_field_names() {
  static const std::vector<std::string> names = {"velocity_x", "velocity_y", "velocity_z",
                                                 "normal_xx",  "normal_yy",  "normal_zz",
                                                 "shear_xy",   "shear_xz",   "shear_yz"};
  return names;
}

void declare_sources(CaseSchema& schema) {
  CaseSchema& source = schema.tables("source", "a point that pushes or slips");
  source.key("position", &Source::position)
      .required()
      .unit("m")
      .doc("position of the source, z being the depth; not in an absorbing layer");
  source.key("force", &Source::force)
      .unit("N")
      .doc("point force; with a time function of area 1 it is an impulse in N s");
  source.key("moment", &Source::moment)
      .optional()
      .unit("N m")
      .doc("moment tensor xx yy zz xy xz yz; the time function is its rate");
  source.reals("strike_dip_rake")
      .length(3)
      .unit("deg")
      .optional()
      .doc(
          "slip on a fault, in place of a moment tensor: angles from north (x) to east (y), from "
          "the horizontal, from strike upwards");
  source.real("seismic_moment")
      .positive()
      .unit("N m")
      .optional()
      .doc("moment of the slip; or give its magnitude");
  source.real("magnitude")
      .optional()
      .doc("magnitude M_w of the slip: the moment is 10^(1.5 M_w + 9.1) N m");
  source
      .key("time", &TimeFunction::shape,
           {{"ricker", TimeFunction::Shape::ricker},
            {"gaussian", TimeFunction::Shape::gaussian},
            {"brune", TimeFunction::Shape::brune},
            {"bump", TimeFunction::Shape::bump},
            {"file", TimeFunction::Shape::table}})
      .doc("function of time; gaussian, brune and bump have the area 1");
  source.key("duration", &TimeFunction::duration)
      .positive()
      .unit("s")
      .doc("ricker: dominant period; gaussian: standard deviation; brune: T; bump: duration");
  source.key("start", &TimeFunction::start)
      .unit("s")
      .doc("time at which the source begins; a Gaussian peaks 6 deviations later");
  source.path("file", "")
      .doc("time = \"file\": table of times (s, or as headed) and values in its first columns");
}

void declare_output(CaseSchema& schema) {
  CaseSchema& receiver = schema.tables("receiver", "a point whose motion is written");
  receiver.key("name", &Receiver::name)
      .required()
      .in_file_name()
      .doc("name of the receiver, in the name of its file");
  receiver.key("position", &Receiver::position)
      .required()
      .unit("m")
      .doc("position of the receiver; not in an absorbing layer");
  schema.section("output.seismograms", "velocity and displacement at receivers");
  schema.integer("output.seismograms.every", 1)
      .at_least(1)
      .unit("steps")
      .doc("interval between samples");
  schema.texts("output.seismograms.formats", std::vector<std::string>{"csv"})
      .doc(
          "csv: a file for each receiver, row by row; sac: one for each component; segy: one for "
          "each component of all receivers");
  schema.section("output.surface", "values at a free surface");
  schema.key("output.surface.peak_velocity", &Model::peak_velocity)
      .doc("keep the largest speed at the surface as the field peak_velocity, layer 0 along z");
  schema.key("output.displacement", &Model::displacement)
      .doc("keep fields displacement_x ..., the integral of the velocity over time");
  CaseSchema& reference = schema.tables(
      "reference", "traces to compare a receiver with; misfits are among the results");
  reference.path("file", "")
      .doc("table with headings; times in s, values in m/s or m unless these say otherwise");
  reference.text("receiver").doc("name of the receiver");
  reference.texts("quantities").doc("quantities to compare: velocity_x ... displacement_z");
  reference.texts("columns").doc("columns of the file, one for each quantity");
  reference.text("time", "t").doc("column of the file with the times");
  reference.real("low_pass", 0.0)
      .at_least(0)
      .unit("Hz")
      .doc("frequency of a low-pass filter for both traces; 0: no filter");
}

void read_edges(Model& model, const Case& values) {
  constexpr Named<Edge> names[] = {
      {"periodic", Edge::periodic}, {"absorbing", Edge::absorbing}, {"free", Edge::free}};
  model.edges = read_sides(values, names);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (model.edges[a][side] != Edge::free || (a == 2 && side == 0)) continue;
      throw values.error(key_of_sides(a), "a free surface is refused here",
                         "z points down: the surface is the low side of z");
    }
  }
}

/// An impulse of area 1 has the unit 1/s, a factor of a force none.
std::string rate_unit(const UserTable& table, Index column) {
  const std::optional<Unit> unit = parse_unit(table.unit(column));
  return unit && unit->dimension == parse_unit("1/s")->dimension ? "1/s" : "";
}

TimeFunction read_time(const Case& row) {
  using Shape = TimeFunction::Shape;
  auto time = row.read<TimeFunction>();
  if ((time.shape == Shape::table) == row.path("file").empty()) {
    throw row.error("time", "the source has no time function",
                    "time = \"file\" and file = \"...\" belong together");
  }
  if (time.shape != Shape::table) return time;
  const UserTable table = read_table(row.path("file"));
  if (table.rows() < 2) {
    throw row.error("file", row.path("file").string() + " is no function of time",
                    "two rows at least are needed");
  }
  const std::vector<double> times = table.times(0), values = table.in(1, rate_unit(table, 1));
  for (std::size_t r = 0; r < times.size(); ++r) time.table.emplace_back(times[r], values[r]);
  return time;
}

/// Error: it lies outside of the grid, or where waves are damped.
void check_place(const Case& row, const std::string& what, Real3 position, const Model& model,
                 const GridPlace& grid) {
  if (!grid.contains(position)) {
    throw row.error("position", "the " + what + " lies outside the grid",
                    "see grid.origin, grid.cells and grid.spacing");
  }
  for (int a = 0; a < 3; ++a) {
    if (grid.cells[a] == 1) continue;  // nothing varies along it
    const double width = model.absorber.width * grid.spacing[a];
    constexpr double rounding = 1e-9;
    const double low = (position[a] - grid.lower[a]) / width + rounding;
    const double high = (grid.upper[a] - position[a]) / width + rounding;
    const bool is_low = model.absorbs(all_axes[a], Side::low) && low < 1;
    const bool is_high = model.absorbs(all_axes[a], Side::high) && high < 1;
    if (!is_low && !is_high) continue;
    throw row.error("position", "the " + what + " lies in an absorbing layer",
                    fmt::format("{} cells along the {} side of {} damp all waves",
                                model.absorber.width, is_low ? "low" : "high", "xyz"[a]),
                    "move it inwards or make the grid larger");
  }
}

/// N m, of slip.
double scalar_moment(const Case& row) {
  if (row.has("seismic_moment") == row.has("magnitude")) {
    throw row.error("strike_dip_rake", "the slip has neither a moment nor a magnitude, or both", "",
                    "give seismic_moment = \"1e15 N m\" or magnitude = 4.0");
  }
  return row.has("magnitude") ? moment_of_magnitude(row.real("magnitude"))
                              : row.real("seismic_moment");
}

std::vector<Source> read_sources(const Case& values, const Model& model) {
  const GridPlace grid(values);
  std::vector<Source> sources;
  for (const Case& row : values.list("source")) {
    auto source = row.read<Source>();
    check_place(row, "source", source.position, model, grid);
    const bool is_slip = row.has("strike_dip_rake"), is_moment = row.has("moment") || is_slip;
    if (row.has("force") + row.has("moment") + is_slip != 1) {
      throw row.error("position", "the source is neither a force nor a moment, or both", "",
                      "give force = [0, 0, 1], moment = [...] or strike_dip_rake = [...]");
    }
    if (is_slip) source.moment = double_couple(row.real3("strike_dip_rake"), scalar_moment(row));
    for (const char* key : {"seismic_moment", "magnitude"}) {
      if (row.has(key) && !is_slip) {
        throw row.error(key, std::string(key) + " is refused", "it is that of slip on a fault",
                        "give strike_dip_rake");
      }
    }
    const double depth = (source.position[2] - grid.lower[2]) / grid.spacing[2];
    if (is_moment && model.has_surface() && depth < 6) {
      throw row.error("position", "a moment so near to the surface is refused",
                      fmt::format("it lies {:.3g} cells deep, of the 6 that the differences at "
                                  "the surface need",
                                  depth),
                      "make grid.spacing smaller");
    }
    // Angles in degrees leave a plane by round-off.
    const auto& m = source.moment;
    const double in_plane = std::abs(m[0]) + std::abs(m[2]) + std::abs(m[4]);
    const double beside = std::abs(m[1]) + std::abs(m[3]) + std::abs(m[5]);
    const bool leaves_plane =
        source.force ? (*source.force)[1] != 0 : beside > (is_slip ? 1e-12 * in_plane : 0);
    if (model.dimensions == 2 && leaves_plane) {
      throw row.error("position", "the source leaves the plane",
                      "in two dimensions nothing acts along y");
    }
    source.time = read_time(row);
    sources.push_back(source);
  }
  return sources;
}

void read_start(Model& model, const Case& values) {
  const std::string& wave = values.choice("initial.wave");
  if (wave == "none") return;
  auto start = values.read<PlaneWave>();
  start.kind = wave == "p" ? PlaneWave::Kind::p : PlaneWave::Kind::s;
  double square = 0, across = 0, along = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto k = static_cast<double>(start.waves[a]);
    square += k * k;
    along += k * start.direction[a];
    across += start.direction[a] * start.direction[a];
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (model.edges[a][0] != Edge::periodic || !model.medium.is_uniform()) {
      throw values.error("initial.wave", "a plane wave is refused",
                         "it fills a uniform medium that is periodic along all axes");
    }
  }
  if (square == 0) {
    throw values.error("initial.waves", "the wave has no direction", "all its numbers are 0");
  }
  if (start.kind == PlaneWave::Kind::s &&
      across * square - along * along < 1e-12 * across * square) {
    throw values.error("initial.direction", "an S wave moves across its way",
                       "the direction is 0 or that of initial.waves");
  }
  if (model.dimensions == 2 && (start.waves[1] != 0 || start.direction[1] != 0)) {
    throw values.error("initial.waves", "the wave leaves the plane",
                       "in two dimensions nothing acts along y");
  }
  model.start = start;
}

/// Cells of absorbing layers.
int read_width(const Case& values, int width) {
  if (!values.has("absorber.thickness")) return width;
  if (values.given("absorber.width")) {
    throw values.error("absorber.thickness", "absorber.thickness is refused",
                       "absorber.width says it otherwise", "leave one of them out");
  }
  const Real3 h = values.real3("grid.spacing");
  const double cells = values.real("absorber.thickness") / *std::min_element(h.begin(), h.end());
  constexpr double most = 1e6, rounding = 1e-6;
  return static_cast<int>(std::clamp(std::ceil(cells - rounding), 1.0, most));
}

/// Fields of files; those of stress are half a step later.
void read_start_fields(Model& model, const Case& values) {
  for (const std::string& name : start_field_names()) {
    const std::string key = "initial." + name;
    if (values.path(key).empty()) continue;
    if (model.start) {
      throw values.error(key, key + " is refused", "initial.wave says what moves");
    }
    if (model.dimensions == 2 && name.find('y', name.find('_') + 1) != std::string::npos) {
      throw values.error(key, key + " is refused", "in two dimensions nothing acts along y");
    }
    model.start_fields[name] = image_of(values, key);
  }
}

/// What has to fit into the grid.
void check(const Case& values, const Model& model) {
  const Index3 cells = values.integer3("grid.cells");
  if (model.dimensions == 2 && (cells[1] != 1 || model.edges[1][0] != Edge::periodic)) {
    throw values.error("scheme.dimensions", "two dimensions are refused",
                       "waves in the plane of x and z have one cell along y, periodic",
                       "set grid.cells = [..., 1, ...] or scheme.dimensions = 3");
  }
  for (std::size_t a = 0; a < 3; ++a) {
    Index needed = 0;
    for (const Side side : both_sides) {
      if (model.absorbs(all_axes[a], side)) needed += model.absorber.width;
    }
    if (a == 2 && model.has_surface()) needed += model.order + 1;
    if (cells[a] < needed) {
      throw values.error("grid.cells",
                         fmt::format("{} cells along {} are too few", cells[a], "xyz"[a]),
                         fmt::format("absorbing layers and the surface need {}", needed),
                         "make absorber.width smaller");
    }
  }
  for (const auto& body : model.medium.layers) {
    const double depth = values.real3("grid.origin")[2] +
                         static_cast<double>(cells[2]) * values.real3("grid.spacing")[2] - body.top;
    const Rock deepest{body.rock.vp + depth * body.per_metre.vp,
                       body.rock.vs + depth * body.per_metre.vs,
                       body.rock.density + depth * body.per_metre.density};
    if (!deepest.exists()) {
      throw values.error("layer", "the gradients of a layer are refused",
                         "at the bottom of the grid the rock would be none");
    }
  }
  if (model.peak_velocity && !model.has_surface()) {
    throw values.error("output.surface.peak_velocity", "the surface has no peak velocity",
                       "there is no free surface", "set boundary.z = [\"free\", \"absorbing\"]");
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.layouts = {"ijk"}});
  declare_rock_keys(schema);
  schema.section("scheme", "staggered differences, leapfrog");
  schema.key("scheme.order", &Model::order)
      .between(2, 8)
      .doc("order of differences in space: 2, 4 or 8");
  schema.key("scheme.dimensions", &Model::dimensions)
      .between(2, 3)
      .doc("number of dimensions; 2: P and SV waves in the plane of x and z, one cell along y");
  declare_stability(schema, 0.9);
  schema.section("boundary",
                 "each side: periodic, absorbing, or free (the low side of z, which points down)");
  declare_sides(schema, "low and high side, as [\"free\", \"absorbing\"]");
  schema.section("absorber", "layers along absorbing sides, part of the grid");
  schema
      .key("absorber.kind", &Absorber::kind,
           {{"pml", Absorber::Kind::pml}, {"sponge", Absorber::Kind::sponge}})
      .doc("pml: convolutional perfectly matched layer; sponge: damping");
  schema.key("absorber.width", &Absorber::width)
      .at_least(1)
      .unit("cells")
      .doc("width of the layer");
  schema.real("absorber.thickness")
      .positive()
      .unit("m")
      .optional()
      .doc(
          "least thickness of the layer, in place of a width in cells, so that the cells follow "
          "when the grid is refined");
  schema.key("absorber.reflection", &Absorber::reflection)
      .positive()
      .less_than(1)
      .doc("pml: theoretical reflection of waves that go straight in and back");
  schema.key("absorber.frequency", &Absorber::frequency)
      .at_least(0)
      .unit("Hz")
      .doc("pml: frequency, about the dominant one; much slower waves are absorbed less");
  schema.key("absorber.strength", &Absorber::strength)
      .positive()
      .doc("sponge: strength per cell; each step multiplies by exp(-(strength depth)^2)");
  schema.section("initial", "the motion at the beginning");
  schema.choice("initial.wave", {"none", "p", "s"}, "none")
      .doc("none: rest; p, s: a plane wave everywhere");
  schema.key("initial.waves", &PlaneWave::waves)
      .doc("number of periods of the wave over the grid along x, y, z");
  schema.key("initial.direction", &PlaneWave::direction)
      .doc("s: direction of the motion; its part along the wave is left out");
  schema.key("initial.amplitude", &PlaneWave::amplitude)
      .unit("m/s")
      .doc("amplitude of the velocity");
  for (const std::string& name : start_field_names()) {
    schema.path("initial." + name, "")
        .doc(name.starts_with("velocity")
                 ? "file of velocities, m/s: NPY, NRRD, TIFF, PNG, raw, as large as the grid; on "
                   "the lower faces of the cells"
             : name.starts_with("normal")
                 ? "file of stresses, Pa, likewise; in the cells, half a step later"
                 : "file of stresses, Pa, likewise; on the lower edges, half a step later");
  }
  declare_sources(schema);
  declare_output(schema);
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  if (model.order != 2 && model.order != 4 && model.order != 8) {
    throw values.error("scheme.order", "scheme.order is refused", "it is 2, 4 or 8");
  }
  model.medium = read_medium(values);
  model.band = read_band(values, model.medium);
  read_edges(model, values);
  model.absorber = values.read<Absorber>();
  model.absorber.width = read_width(values, model.absorber.width);
  model.sources = read_sources(values, model);
  read_start(model, values);
  read_start_fields(model, values);
  check(values, model);
  return model;
}

std::vector<Receiver> read_receivers(const Case& values, const Model& model) {
  const GridPlace grid(values);
  std::vector<Receiver> receivers;
  for (const Case& row : values.list("receiver")) {
    const auto receiver = row.read<Receiver>();
    check_place(row, "receiver", receiver.position, model, grid);
    const bool is_twice = std::any_of(receivers.begin(), receivers.end(),
                                      [&](const Receiver& r) { return r.name == receiver.name; });
    if (is_twice) throw row.error("name", "two receivers are called " + receiver.name);
    receivers.push_back(receiver);
  }
  return receivers;
}

SeismogramFormats read_formats(const Case& values) {
  SeismogramFormats formats{.csv = false, .sac = false, .segy = false};
  const std::string key = "output.seismograms.formats";
  const std::vector<std::string> known = {"csv", "sac", "segy"};
  for (const std::string& format : values.texts(key)) {
    if (std::find(known.begin(), known.end(), format) == known.end()) {
      throw values.error(key, "unknown format " + format, "the formats are " + joined(known),
                         did_you_mean(nearest_name(format, known)));
    }
    (format == "csv" ? formats.csv : format == "sac" ? formats.sac : formats.segy) = true;
  }
  if (!formats.csv && !formats.are_whole() && !values.list("receiver").empty()) {
    throw values.error(key, "seismograms have no format", "the formats are " + joined(known),
                       "leave the receivers out if nothing is to be written");
  }
  if (formats.sac) {
    std::map<std::string, std::string> stations;
    for (const Case& row : values.list("receiver")) {
      const std::string& name = row.text("name");
      const auto [at, is_new] = stations.emplace(sac_station(name), name);
      if (is_new || at->second == name) continue;
      throw row.error("name", fmt::format("SAC cannot tell {} and {} apart", at->second, name),
                      "it keeps 8 characters of a name", "make them differ in these");
    }
  }
  return formats;
}

namespace {

void read_comparison(const Case& row, const Case& values, std::vector<Comparison>& all) {
  if (row.path("file").empty()) return;  // may be named on the command line
  const std::string& receiver = row.text("receiver");
  const auto& quantities = row.texts("quantities");
  const auto& columns = row.texts("columns");
  std::vector<std::string> names;
  for (const Case& other : values.list("receiver")) names.push_back(other.text("name"));
  if (std::find(names.begin(), names.end(), receiver) == names.end()) {
    throw row.error(
        "receiver", "there is no receiver \"" + receiver + "\"",
        names.empty() ? "the case has none" : "the receivers are " + joined(names),
        names.empty() ? "add [[receiver]]" : did_you_mean(nearest_name(receiver, names)));
  }
  if (quantities.empty() || quantities.size() != columns.size()) {
    throw row.error("columns", "columns and quantities do not match",
                    fmt::format("there are {} and {}", columns.size(), quantities.size()));
  }
  const bool is_flat = values.integer("scheme.dimensions") == 2;
  std::vector<std::string> known;
  for (const char* quantity : {"velocity_", "displacement_"}) {
    for (const char* axis : {"x", "y", "z"}) {
      if (!is_flat || *axis != 'y') known.push_back(std::string(quantity) + axis);
    }
  }
  const UserTable table = read_table(row.path("file"));
  for (std::size_t n = 0; n < columns.size(); ++n) {
    if (std::find(known.begin(), known.end(), quantities[n]) == known.end()) {
      throw row.error("quantities", "unknown quantity " + quantities[n],
                      "the quantities are " + joined(known),
                      did_you_mean(nearest_name(quantities[n], known)));
    }
    const std::string unit = quantities[n].starts_with("velocity") ? "m/s" : "m";
    all.push_back(
        {receiver,
         quantities[n],
         {table.times(table.find(row.text("time"))), table.in(table.find(columns[n]), unit)},
         row.real("low_pass")});
  }
}

}  // namespace

std::vector<Comparison> read_comparisons(const Case& values) {
  std::vector<Comparison> all;
  for (const Case& row : values.list("reference")) read_comparison(row, values, all);
  return all;
}

}  // namespace goban::seismic
