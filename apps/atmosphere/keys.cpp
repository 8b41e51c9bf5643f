#include "atmosphere/keys.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "goban/io/case/place.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban::atmosphere {
namespace {

void declare_base(CaseSchema& schema) {
  schema.section("air", "an ideal gas on a plane that may turn");
  schema.key("air.gas_constant", &Model::gas_constant).positive().unit("J/(kg K)").doc("R");
  schema.key("air.heat_capacity", &Model::heat_capacity)
      .positive()
      .unit("J/(kg K)")
      .doc("at constant pressure; more than the gas constant");
  schema.key("air.gravity", &Model::gravity).at_least(0).unit("m/s2").doc("downward");
  schema.key("air.rotation", &Model::rotation)
      .unit("1/s")
      .doc("f of the Coriolis force; the wind of [base] is in balance with it");
  schema.key("air.diffusivity", &Model::diffusivity)
      .at_least(0)
      .unit("m2/s")
      .doc("of momentum and of what is warmer or colder than the base state");

  schema.section("base", "the state from which deviations are computed, and the air at first");
  schema.key("base.pressure", &Model::surface_pressure).positive().unit("Pa").doc("where z = 0");
  schema.key("base.theta", &Model::surface_theta)
      .positive()
      .unit("K")
      .doc("potential temperature where z = 0");
  schema.key("base.stability", &Model::stability)
      .at_least(0)
      .unit("1/s")
      .doc("N, the frequency of buoyancy: theta grows as exp(N^2 z / g)");
  schema.key("base.warmer", &Model::warmer)
      .unit("K")
      .doc("the air at first, at rest and in balance, than the base state");
  schema.key("base.wind", &Model::wind).unit("m/s").doc("of the air at first, along x and y");

  CaseSchema& bubble = schema.tables("bubble", "air that is warmer or colder at first");
  bubble
      .key("shape", &Bubble::shape,
           {{"cosine", Bubble::Shape::cosine}, {"ridge", Bubble::Shape::ridge}})
      .doc("(1 + cos(pi L)) / 2 within L = 1, or sin(pi z / lid) / (1 + (x / radius)^2)");
  bubble.key("amplitude", &Bubble::amplitude).required().unit("K").doc("its largest");
  using Of = Bubble::Of;
  bubble
      .key("of", &Bubble::of,
           {{"theta", Of::theta}, {"temperature", Of::temperature}, {"buoyancy", Of::buoyancy}})
      .doc(
          "what the amplitude is of (buoyancy: over g as over 300 K); the pressure is that of the "
          "air around, and theta that of moist air");
  bubble.key("center", &Bubble::center).required().unit("m").doc("z above the lowest level");
  bubble.key("radius", &Bubble::radius)
      .required()
      .unit("m")
      .doc("where L = 1, along each axis; 0: the same for all places along it");
}

void declare_humidity(CaseSchema& schema) {
  schema.section("moisture", "vapour, cloud and rain");
  using Kind = Humidity::Kind;
  schema
      .key("moisture.base", &Humidity::kind,
           {{"none", Kind::none}, {"relative", Kind::relative}, {"saturated", Kind::saturated}})
      .doc("water of the air at first; none: dry air, now and later");
  schema.key("moisture.ground", &Humidity::ground)
      .between(0, 1)
      .doc("relative humidity where z = 0");
  schema.key("moisture.aloft", &Humidity::aloft)
      .between(0, 1)
      .doc("relative humidity at moisture.height and above");
  schema.key("moisture.height", &Humidity::height)
      .positive()
      .unit("m")
      .doc("where it ends to fall");
  schema.key("moisture.exponent", &Humidity::exponent)
      .positive()
      .doc("it falls as (z / height)^exponent");
  schema.key("moisture.largest", &Humidity::largest)
      .positive()
      .unit("kg/kg")
      .doc("mixing ratio of vapour at first");
  schema.key("moisture.total_water", &Humidity::total_water)
      .between(0, 0.1)
      .unit("kg/kg")
      .doc("mixing ratio of vapour and cloud in saturated air");
  schema.key("moisture.equivalent_theta", &Humidity::equivalent_theta)
      .between(200, 450)
      .unit("K")
      .doc("equivalent potential temperature of saturated air where z = 0");
  schema.key("moisture.rain", &Humidity::rains, {{"kessler", true}, {"none", false}})
      .doc("what becomes of cloud; none: it condenses and evaporates only");
}

void declare_grid(CaseSchema& schema) {
  schema.section("terrain", "the ground, which levels follow");
  using Shape = Terrain::Shape;
  schema
      .key("terrain.shape", &Terrain::shape,
           {{"none", Shape::none}, {"bell", Shape::bell}, {"schaer", Shape::schaer}})
      .doc("h / (1 + (x/a)^2 + (y/b)^2), or h exp(-(x/a)^2 - (y/b)^2) cos^2(pi x / wavelength)");
  schema.key("terrain.height", &Terrain::height).at_least(0).unit("m").doc("h");
  schema.key("terrain.half_width", &Terrain::half_width).positive().unit("m").doc("a, along x");
  schema.key("terrain.width_y", &Terrain::width_y)
      .at_least(0)
      .unit("m")
      .doc("b, along y; 0: a ridge");
  schema.key("terrain.wavelength", &Terrain::wavelength).positive().unit("m").doc("of schaer");
  schema.key("terrain.center_x", &Terrain::center_x).unit("m").doc("where its middle lies");
  schema.key("terrain.center_y", &Terrain::center_y).unit("m").doc("where its middle lies");

  schema.section("levels", "surfaces of which the lowest is the ground and the highest the lid");
  schema.key("levels.decay", &Model::terrain_decay)
      .at_least(0)
      .unit("m")
      .doc("they flatten as sinh((lid - z) / decay); 0: linearly");
  schema.key("levels.lowest", &Model::lowest_level)
      .between(0.05, 1)
      .doc("distance of the two lowest over grid.spacing along z, the mean");
  schema.section("sponge", "waves are damped below the lid");
  schema.key("sponge.depth", &Model::sponge_depth).at_least(0).unit("m").doc("0: none");
  schema.key("sponge.rate", &Model::sponge_rate)
      .at_least(0)
      .unit("1/s")
      .optional()
      .doc(
          "at the lid, of the vertical velocity; default: 1.5 N^2 a / U in a wind over a hill, "
          "which "
          "sends least of its waves back, else 0.2");
}

void check(const Case& values, const Model& model) {
  if (model.heat_capacity <= model.gas_constant) {
    throw values.error("air.heat_capacity",
                       fmt::format("a heat capacity of {} is refused", model.heat_capacity),
                       fmt::format("the gas constant is {}", model.gas_constant),
                       "that of dry air is 1004 J/(kg K)");
  }
  if (values.real3("grid.origin")[2] != 0) {
    throw values.error("grid.origin", "an origin above or below z = 0 is refused",
                       "levels begin at the ground, whose height terrain gives",
                       "make its third number 0");
  }
  const Index3 cells = values.integer3("grid.cells");
  if (cells[2] < 4) {
    throw values.error("grid.cells", fmt::format("{} levels are too few", cells[2]),
                       "4 are the least");
  }
  if (cells[0] < 2) {
    throw values.error("grid.cells", "1 cell along x is too few", "differences reach two cells far",
                       "a slice has 1 cell along y");
  }
  const double lid = static_cast<double>(cells[2]) * values.real3("grid.spacing")[2];
  if (model.terrain.shape != Terrain::Shape::none && model.terrain.height > 0.5 * lid) {
    throw values.error("terrain.height",
                       fmt::format("ground {} m high is refused", model.terrain.height),
                       fmt::format("the lid lies at {} m", lid), "make it at most half as high");
  }
  if (model.sponge_depth >= lid) {
    throw values.error("sponge.depth",
                       fmt::format("a sponge {} m deep is refused", model.sponge_depth),
                       fmt::format("the lid lies at {} m", lid), "make it less deep");
  }
  if (model.humidity.has_water() && model.warmer != 0) {
    throw values.error("base.warmer", "moist air that is warmer than the base state is refused",
                       "its humidity is that of the base state", "leave it out");
  }
  if (model.theta(lid) + model.warmer <= 0 || !(model.pressure(lid, model.warmer) > 0)) {
    throw values.error("grid.cells", fmt::format("a lid at {} m is refused", lid),
                       "the pressure of the air would vanish below",
                       "make it lower or base.stability larger");
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"float64", "float32"}, .layouts = {"ijk"}});
  declare_base(schema);
  declare_humidity(schema);
  declare_grid(schema);
  schema.section("scheme",
                 "three stages a step, each with short steps for sound, implicit up and down");
  schema.integer("scheme.short_steps")
      .at_least(2)
      .at_most(100)
      .optional()
      .doc("of a whole step, even; default: sound crosses less than half a cell in one");
  schema.key("scheme.ahead", &Model::ahead)
      .between(0.5, 1)
      .doc("share of the end of a short step in its implicit terms");
  schema.key("scheme.divergence_damping", &Model::divergence_damping)
      .between(0, 0.5)
      .doc("share of the last change of pressure that is added to it");
  schema.key("scheme.limiter", &Model::limits_theta, {{"koren", true}, {"none", false}})
      .doc("of advected potential temperature; momentum has none");
  declare_stability(schema, 0.8);
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  model.terrain = values.read<Terrain>();
  model.humidity = values.read<Humidity>();
  if (!values.has("sponge.rate")) model.sponge_rate = model.usual_sponge_rate();
  const GridPlace grid(values);
  const Real3 hill{model.terrain.center_x, model.terrain.center_y, 0};
  model.terrain.center_y = grid.onto_plane(hill)[1];
  for (const Case& row : values.list("bubble")) {
    model.bubbles.push_back(row.read<Bubble>());
    Bubble& bubble = model.bubbles.back();
    bubble.center = grid.onto_plane(bubble.center);
    if (bubble.shape == Bubble::Shape::ridge && bubble.radius[0] <= 0) {
      throw row.error("radius", "a ridge without a radius along x is refused",
                      "its shape is 1 / (1 + (x / radius)^2)", "give radius = [5000, 0, 0]");
    }
  }
  check(values, model);
  const Real3 spacing = values.real3("grid.spacing");
  model.dt =
      stable_time_step(values, model.largest_time_step(values.integer3("grid.cells"), spacing));
  model.short_steps = model.usual_short_steps(model.dt, spacing);
  if (values.has("scheme.short_steps")) {
    const Index steps = values.integer("scheme.short_steps");
    if (steps % 2 != 0) {
      throw values.error("scheme.short_steps", fmt::format("{} short steps are refused", steps),
                         "the second stage takes half of them", "give an even number");
    }
    model.short_steps = static_cast<int>(steps);
  }
  return model;
}

}  // namespace goban::atmosphere
