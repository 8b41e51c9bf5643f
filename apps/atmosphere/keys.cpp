// The keys of a case: names, units, ranges and what they mean.

#include "atmosphere/keys.hpp"

#include "goban/cases/side_keys.hpp"
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
      .doc("of what momentum differs from the base state by");
  schema.key("air.heat_diffusivity", &Model::heat_diffusivity)
      .at_least(0)
      .unit("m2/s")
      .doc("the same of theta and water; default: air.diffusivity");
  schema.key("air.smagorinsky", &Model::smagorinsky)
      .between(0, 1)
      .doc(
          "c of Smagorinsky's eddies, of the size c (dx dy dz)^(1/3), weaker in stable air; 0: "
          "none; usual: 0.18");
  schema.key("air.eddies_of", &Model::spreads_all, {{"deviations", false}, {"all", true}})
      .doc("what eddies spread: deviations from the base state alone, or all there is");

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
  schema.key("base.wind", &Model::wind)
      .unit("m/s")
      .doc("of the air at first, along x and y; that of base.sounding is added");
  schema.path("base.sounding", "")
      .doc(
          "theta and wind by height, in place of base.theta and base.stability: WRF's "
          "input_sounding, or a table with headings z, theta and, as it has them, qv or rh, u, v");

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

void declare_initial(CaseSchema& schema) {
  schema.section("initial", "fields of the air at first that files give");
  const auto file = [&](const std::string& name, const std::string& what) {
    schema.path("initial." + name, "").doc(what);
  };
  const std::string as_large = "; NPY, NRRD, TIFF, raw, as large as the grid, values in cells";
  file("theta", "potential temperature, K; in place of the base state's" + as_large);
  file("pressure", "Pa, likewise; default: in balance with theta from the ground up");
  file("u", "wind along x, m/s, likewise");
  file("v", "wind along y, m/s, likewise");
  file("w", "wind upward, m/s, likewise; default: 0 but for what follows the ground");
  file("vapor", "mixing ratio, kg/kg of dry air, likewise, with moisture.base");
  file("cloud", "mixing ratio, kg/kg, likewise; default: 0 unless air is saturated");
  file("rain", "mixing ratio, kg/kg, likewise; default: 0");
  schema.key("initial.noise_theta", &Noise::theta)
      .at_least(0)
      .unit("K")
      .doc("random differences of theta up to this, of equal probability; run.seed says which");
  schema.key("initial.noise_vapor", &Noise::vapor)
      .at_least(0)
      .unit("kg/kg")
      .doc("the same of the mixing ratio of vapour");
  schema.key("initial.noise_height", &Noise::height)
      .positive()
      .unit("m")
      .doc("up to where there are such differences");
  schema.section("vortex", "a warm-cored vortex in balance in the air at first");
  schema.key("vortex.drop", &Vortex::drop)
      .at_least(0)
      .unit("Pa")
      .doc("by which pressure is lower in its middle where z = 0; 0: there is none");
  schema.key("vortex.radius", &Vortex::radius)
      .positive()
      .unit("m")
      .doc("pressure rises outward as 1 - exp(-(r / radius)^1.5)");
  schema.key("vortex.height", &Vortex::height)
      .positive()
      .unit("m")
      .doc("upward it ends as exp(-(z / height)^2)");
  schema.key("vortex.center", &Vortex::center).unit("m").doc("x and y of its axis");
  schema.section("forcing", "what happens in the air around, of which the grid is a small part");
  schema.path("forcing.profile", "")
      .doc(
          "a table by height with headings z and, as it has them, w (m/s, below 0: air sinks), "
          "theta_rate (K/s), qv_rate (1/s), ug, vg (geostrophic wind, m/s)");
}

void declare_humidity(CaseSchema& schema) {
  schema.section("moisture", "vapour, cloud and rain");
  using Kind = Humidity::Kind;
  schema
      .key("moisture.base", &Humidity::kind,
           {{"none", Kind::none},
            {"relative", Kind::relative},
            {"saturated", Kind::saturated},
            {"sounding", Kind::sounding}})
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
  using Rain = Humidity::Rain;
  schema
      .key("moisture.rain", &Humidity::rain,
           {{"kessler", Rain::kessler}, {"wsm6", Rain::wsm6}, {"none", Rain::none}})
      .doc(
          "what becomes of cloud: warm rain, or rain, cloud ice, snow and graupel; none: it "
          "condenses and evaporates only");
  schema.key("output.storms", &Model::shows_storms)
      .doc(
          "keep fields reflectivity, composite_reflectivity, cape and cin of moist air, computed "
          "when an output shows them");
}

void declare_around(CaseSchema& schema) {
  declare_sides(schema,
                "low and high side, as [\"open\", \"wall\"]: periodic, open (waves leave), wall, "
                "base (the wind of the base state), larger (that of sides.larger)",
                false, 2);
  schema.section("sides", "air beside open sides and those of the base state");
  schema.key("sides.depth", &LateralSides::depth)
      .at_least(0)
      .unit("m")
      .doc("up to where air goes back to the base state; 0: nowhere");
  schema.key("sides.rate", &LateralSides::rate)
      .positive()
      .unit("1/s")
      .doc("at which it does at the side; it falls as (1 - distance / depth)^2");
  schema.key("sides.wave_speed", &LateralSides::wave_speed)
      .at_least(0)
      .unit("m/s")
      .doc("with which waves leave through open sides, beside that of the wind");
  schema.path("sides.larger", "")
      .doc(
          "a larger model, to which air beside sides \"larger\" goes back in place of the base "
          "state: a table of times with NPY files beside it, or the index (.xdmf) of snapshots of "
          "a "
          "coarser run of the same base state");
  schema.section("surface", "what ground or sea exchange with the lowest level");
  using Kind = Surface::Kind;
  schema
      .key("surface.kind", &Surface::kind,
           {{"none", Kind::none},
            {"sea", Kind::sea},
            {"land", Kind::land},
            {"fluxes", Kind::fluxes}})
      .doc(
          "none: nothing; momentum, heat and vapour by bulk formulas; fluxes: those of the keys "
          "that "
          "follow");
  schema.key("surface.heat_flux", &Surface::heat_flux)
      .unit("K m/s")
      .doc("upward, of potential temperature, over density times heat capacity");
  schema.key("surface.vapor_flux", &Surface::vapor_flux)
      .unit("m/s")
      .doc("upward, of the mixing ratio of vapour, over density");
  schema.key("surface.friction_velocity", &Surface::friction_velocity)
      .at_least(0)
      .unit("m/s")
      .doc("u*, the root of stress over density");
  schema.key("surface.boundary_layer", &Surface::mixes)
      .doc(
          "mix wind, heat and water with C_D |v| z of the lowest level up to 850 hPa, where cells "
          "are "
          "too large for eddies");
  schema.key("surface.temperature", &Surface::temperature)
      .positive()
      .unit("K")
      .doc("of ground or sea");
  schema.key("surface.roughness", &Surface::roughness)
      .positive()
      .unit("m")
      .doc("of land, z_0: drag is (0.4 / ln(z / z_0))^2");
  schema.key("surface.wetness", &Surface::wetness)
      .between(0, 1)
      .doc("of land: vapour that leaves it over that of a sea");
  schema.path("surface.temperature_file", "")
      .doc("K, of each column, in the format of terrain.file, in place of surface.temperature");
  schema.path("surface.roughness_file", "").doc("m, likewise; where it is 0 there is sea");
  schema.path("surface.wetness_file", "").doc("likewise");
}

void declare_grid(CaseSchema& schema) {
  schema.section("terrain", "the ground, which levels follow");
  using Shape = Terrain::Shape;
  schema
      .key("terrain.shape", &Terrain::shape,
           {{"none", Shape::none},
            {"bell", Shape::bell},
            {"schaer", Shape::schaer},
            {"file", Shape::file}})
      .doc(
          "h / (1 + (x/a)^2 + (y/b)^2), h exp(-(x/a)^2 - (y/b)^2) cos^2(pi x / wavelength), or "
          "terrain.file");
  schema.path("terrain.file", "")
      .doc(
          "heights of the ground, m: NPY, TIFF, PNG, or a table (.csv, .txt), the last axis or a "
          "row along x; as many columns as the grid, or both times one factor");
  schema.key("terrain.steepest", &Terrain::steepest)
      .positive()
      .doc("a file's ground is smoothed until neighbours differ by this many levels at most");
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
          "at the lid, of the vertical velocity; default: 1.5 N^2 a / U in a wind over a bell or "
          "schaer, which sends least of its waves back, else 0.2");
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"float64", "float32"}, .layouts = {"ijk"}});
  declare_base(schema);
  declare_initial(schema);
  declare_humidity(schema);
  declare_grid(schema);
  declare_around(schema);
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

}  // namespace goban::atmosphere
