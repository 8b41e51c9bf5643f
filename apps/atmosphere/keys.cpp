// The keys of a case: names, units, ranges and what they mean.

#include "atmosphere/keys.hpp"

#include "goban/cases/side_keys.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban::atmosphere {
namespace {

constexpr KeyRange positive{.low = 0, .low_open = true}, not_negative{.low = 0};

/// Declares keys that are members of structs.
struct Keys {
  CaseSchema& schema;

  template <class Record, class Member>
  CaseKey& operator()(const char* name, Member Record::*member, const char* unit, const char* doc,
                      const KeyRange& range = {}) const {
    CaseKey& key = schema.key(name, member).unit(unit).doc(doc);
    key.at_least(range.low).at_most(range.high);
    return range.low_open ? key.more_than(range.low) : key;
  }
  template <class Record, class Member>
  CaseKey& operator()(const char* name, Member Record::*member,
                      std::initializer_list<Named<std::type_identity_t<Member>>> names,
                      const char* doc) const {
    return schema.key(name, member, names).doc(doc);
  }
  void path(const char* name, const char* doc) const { schema.path(name, "").doc(doc); }
};

void declare_base(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("air", "an ideal gas on a plane that may turn");
  key("air.gas_constant", &Model::gas_constant, "J/(kg K)", "R", positive);
  key("air.heat_capacity", &Model::heat_capacity, "J/(kg K)",
      "at constant pressure; more than the gas constant", positive);
  key("air.gravity", &Model::gravity, "m/s2", "downward", not_negative);
  key("air.rotation", &Model::rotation, "1/s",
      "f of the Coriolis force on a plane; the wind of [base] is in balance with it");
  key("air.diffusivity", &Model::diffusivity, "m2/s",
      "of what momentum differs from the base state by", not_negative);
  key("air.heat_diffusivity", &Model::heat_diffusivity, "m2/s",
      "the same of theta and water; default: air.diffusivity", not_negative);
  key("air.smagorinsky", &Model::smagorinsky, "",
      "c of Smagorinsky's eddies, of the size c (dx dy dz)^(1/3), weaker in stable air; 0: none; "
      "usual: 0.18",
      {0, 1});
  key("air.eddies_of", &Model::spreads_all, {{"deviations", false}, {"all", true}},
      "what eddies spread: deviations from the base state alone, or all there is");

  schema.section("base", "the state from which deviations are computed, and the air at first");
  key("base.pressure", &Model::surface_pressure, "Pa", "where z = 0", positive);
  key("base.theta", &Model::surface_theta, "K", "potential temperature where z = 0", positive);
  key("base.stability", &Model::stability, "1/s",
      "N, the frequency of buoyancy: theta grows as exp(N^2 z / g)", not_negative);
  key("base.warmer", &Model::warmer, "K",
      "the air at first, at rest and in balance, than the base state");
  key("base.wind", &Model::wind, "m/s",
      "of the air at first, along x and y; that of base.sounding is added");
  key.path("base.sounding",
           "theta and wind by height, in place of base.theta and base.stability: WRF's "
           "input_sounding, or a table with headings z, theta and, as it has them, qv or rh, u, v");

  const Keys of_bubble{schema.tables("bubble", "air that is warmer or colder at first")};
  of_bubble("shape", &Bubble::shape,
            {{"cosine", Bubble::Shape::cosine}, {"ridge", Bubble::Shape::ridge}},
            "(1 + cos(pi L)) / 2 within L = 1, or sin(pi z / lid) / (1 + (x / radius)^2)");
  of_bubble("amplitude", &Bubble::amplitude, "K", "its largest").required();
  using Of = Bubble::Of;
  of_bubble("of", &Bubble::of,
            {{"theta", Of::theta}, {"temperature", Of::temperature}, {"buoyancy", Of::buoyancy}},
            "what the amplitude is of (buoyancy: over g as over 300 K); the pressure is that of "
            "the air around, and theta that of moist air");
  of_bubble("center", &Bubble::center, "m", "z above the lowest level").required();
  of_bubble("radius", &Bubble::radius, "m",
            "where L = 1, along each axis; 0: the same for all places along it")
      .required();
}

void declare_map(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("map",
                 "a conformal map of the earth, on which the grid lies; x, y and "
                 "grid.spacing are lengths on it");
  using Kind = Map::Kind;
  key("map.kind", &Map::kind,
      {{"none", Kind::none},
       {"mercator", Kind::mercator},
       {"lambert", Kind::lambert},
       {"polar", Kind::polar}},
      "none: a plane; Mercator's, Lambert's conic or the polar stereographic map, f being that of "
      "each latitude");
  key("map.latitude", &Map::latitude, "deg", "north, where x = y = 0", {-90, 90});
  key("map.longitude", &Map::longitude, "deg", "east, where x = y = 0", {-360, 360});
  key("map.true_latitudes", &Map::true_latitudes, "deg",
      "where lengths are those on the earth: two of Lambert's map, of others twice the same; "
      "default: map.latitude");
  key("map.radius", &Map::radius, "m", "of the earth", positive);
  key("map.earth_rotation", &Map::earth_rotation, "1/s", "f = 2 earth_rotation sin(latitude)");
}

void declare_initial(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("initial", "fields of the air at first that files give");
  key.path("initial.theta",
           "potential temperature, K; in place of the base state's; NPY, NRRD, TIFF, raw, as large "
           "as the grid, values in cells");
  key.path("initial.pressure", "Pa, likewise; default: in balance with theta from the ground up");
  key.path("initial.u", "wind along x, m/s, likewise");
  key.path("initial.v", "wind along y, m/s, likewise");
  key.path("initial.w", "wind upward, m/s, likewise; default: 0 but for what follows the ground");
  key.path("initial.vapor", "mixing ratio, kg/kg of dry air, likewise, with moisture.base");
  key.path("initial.cloud", "mixing ratio, kg/kg, likewise; default: 0 unless air is saturated");
  key.path("initial.rain", "mixing ratio, kg/kg, likewise; default: 0");
  key("initial.larger", &LateralSides::begins_as_larger, "",
      "begin with what sides.larger says at sides.larger_time, in place of the base state");
  key("initial.noise_theta", &Noise::theta, "K",
      "random differences of theta up to this, of equal probability; run.seed says which",
      not_negative);
  key("initial.noise_vapor", &Noise::vapor, "kg/kg", "the same of the mixing ratio of vapour",
      not_negative);
  key("initial.noise_height", &Noise::height, "m", "up to where there are such differences",
      positive);
  schema.section("vortex", "a warm-cored vortex in balance in the air at first");
  key("vortex.drop", &Vortex::drop, "Pa",
      "by which pressure is lower in its middle where z = 0; 0: there is none", not_negative);
  key("vortex.radius", &Vortex::radius, "m", "pressure rises outward as 1 - exp(-(r / radius)^1.5)",
      positive);
  key("vortex.height", &Vortex::height, "m", "upward it ends as exp(-(z / height)^2)", positive);
  key("vortex.center", &Vortex::center, "m", "x and y of its axis");
  schema.section("forcing", "what happens in the air around, of which the grid is a small part");
  key.path("forcing.profile",
           "a table by height with headings z and, as it has them, w (m/s, below 0: air sinks), "
           "theta_rate (K/s), qv_rate (1/s), ug, vg (geostrophic wind, m/s), theta_eq (K)");
  key("forcing.cooling_time", &Model::cooling_time, "s",
      "Newtonian cooling: in which theta goes to 1/e of what it differs by from theta_eq of the "
      "profile, without one from the base state; 0: there is none",
      not_negative);
}

void declare_humidity(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("moisture", "vapour, cloud and rain");
  using Kind = Humidity::Kind;
  key("moisture.base", &Humidity::kind,
      {{"none", Kind::none},
       {"relative", Kind::relative},
       {"saturated", Kind::saturated},
       {"sounding", Kind::sounding}},
      "water of the air at first; none: dry air, now and later");
  key("moisture.ground", &Humidity::ground, "", "relative humidity where z = 0", {0, 1});
  key("moisture.aloft", &Humidity::aloft, "", "relative humidity at moisture.height and above",
      {0, 1});
  key("moisture.height", &Humidity::height, "m", "where it ends to fall", positive);
  key("moisture.exponent", &Humidity::exponent, "", "it falls as (z / height)^exponent", positive);
  key("moisture.largest", &Humidity::largest, "kg/kg", "mixing ratio of vapour at first", positive);
  key("moisture.total_water", &Humidity::total_water, "kg/kg",
      "mixing ratio of vapour and cloud in saturated air", {0, 0.1});
  key("moisture.equivalent_theta", &Humidity::equivalent_theta, "K",
      "equivalent potential temperature of saturated air where z = 0", {200, 450});
  using Rain = Humidity::Rain;
  key("moisture.rain", &Humidity::rain,
      {{"kessler", Rain::kessler}, {"wsm6", Rain::wsm6}, {"none", Rain::none}},
      "what becomes of cloud: warm rain, or rain, cloud ice, snow and graupel; none: it condenses "
      "and evaporates only");
  key("output.storms", &Model::shows_storms, "",
      "keep fields reflectivity, composite_reflectivity, cape and cin of moist air, computed when "
      "an output shows them");
}

void declare_around(CaseSchema& schema) {
  const Keys key{schema};
  declare_sides(schema,
                "low and high side, as [\"open\", \"wall\"]: periodic, open (waves leave), wall, "
                "base (the wind of the base state), larger (that of sides.larger)",
                false, 2);
  schema.section("sides", "air beside open sides and those of the base state");
  key("sides.depth", &LateralSides::depth, "m",
      "up to where air goes back to the base state; 0: nowhere", not_negative);
  key("sides.rate", &LateralSides::rate, "1/s",
      "at which it does at the side; it falls as (1 - distance / depth)^2", positive);
  key("sides.wave_speed", &LateralSides::wave_speed, "m/s",
      "with which waves leave through open sides, beside that of the wind", not_negative);
  key.path("sides.larger",
           "a larger model, to which air beside sides \"larger\" goes back in place of the base "
           "state: a table of times with NPY files beside it, or the index (.xdmf) of snapshots of "
           "a coarser run of the same base state");
  key("sides.larger_time", &LateralSides::larger_time, "s",
      "of the larger model, at which this run begins");
  schema.section("surface", "what ground or sea exchange with the lowest level");
  using Kind = Surface::Kind;
  key("surface.kind", &Surface::kind,
      {{"none", Kind::none}, {"sea", Kind::sea}, {"land", Kind::land}, {"fluxes", Kind::fluxes}},
      "none: nothing; momentum, heat and vapour by bulk formulas; fluxes: those of the keys that "
      "follow");
  key("surface.heat_flux", &Surface::heat_flux, "K m/s",
      "upward, of potential temperature, over density times heat capacity");
  key("surface.vapor_flux", &Surface::vapor_flux, "m/s",
      "upward, of the mixing ratio of vapour, over density");
  key("surface.friction_velocity", &Surface::friction_velocity, "m/s",
      "u*, the root of stress over density", not_negative);
  key("surface.boundary_layer", &Surface::mixes, "",
      "mix wind, heat and water with C_D |v| z of the lowest level up to 850 hPa, where cells are "
      "too large for eddies");
  key("surface.temperature", &Surface::temperature, "K", "of ground or sea", positive);
  key("surface.lapse_rate", &Surface::lapse_rate, "K/m",
      "by which ground is colder than surface.temperature, or that of its file, a metre of height");
  key("surface.roughness", &Surface::roughness, "m", "of land, z_0: drag is (0.4 / ln(z / z_0))^2",
      positive);
  key("surface.wetness", &Surface::wetness, "", "of land: vapour that leaves it over that of a sea",
      {0, 1});
  key.path("surface.temperature_file",
           "K, of each column, in the format of terrain.file, in place of surface.temperature");
  key.path("surface.roughness_file", "m, likewise; where it is 0 there is sea");
  key.path("surface.wetness_file", "likewise");
}

void declare_grid(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("terrain", "the ground, which levels follow");
  using Shape = Terrain::Shape;
  key("terrain.shape", &Terrain::shape,
      {{"none", Shape::none},
       {"bell", Shape::bell},
       {"schaer", Shape::schaer},
       {"file", Shape::file}},
      "h / (1 + (x/a)^2 + (y/b)^2), h exp(-(x/a)^2 - (y/b)^2) cos^2(pi x / wavelength), or "
      "terrain.file");
  key.path("terrain.file",
           "heights of the ground, m: NPY, TIFF, PNG, or a table (.csv, .txt), the last axis or a "
           "row along x; as many columns as the grid, or both times one factor");
  key("terrain.steepest", &Terrain::steepest, "",
      "a file's ground is smoothed until neighbours differ by this many levels at most", positive);
  key("terrain.height", &Terrain::height, "m", "h", not_negative);
  key("terrain.half_width", &Terrain::half_width, "m", "a, along x", positive);
  key("terrain.width_y", &Terrain::width_y, "m", "b, along y; 0: a ridge", not_negative);
  key("terrain.wavelength", &Terrain::wavelength, "m", "of schaer", positive);
  key("terrain.center_x", &Terrain::center_x, "m", "where its middle lies");
  key("terrain.center_y", &Terrain::center_y, "m", "where its middle lies");

  schema.section("levels", "surfaces of which the lowest is the ground and the highest the lid");
  key("levels.decay", &Model::terrain_decay, "m",
      "they flatten as sinh((lid - z) / decay); 0: linearly", not_negative);
  key("levels.lowest", &Model::lowest_level, "",
      "distance of the two lowest over grid.spacing along z, the mean", {0.05, 1});
  schema.section("sponge", "waves are damped below the lid");
  key("sponge.depth", &Model::sponge_depth, "m", "0: none", not_negative);
  key("sponge.rate", &Model::sponge_rate, "1/s",
      "at the lid, of the vertical velocity; default: 1.5 N^2 a / U in a wind over a bell or "
      "schaer, which sends least of its waves back, else 0.2",
      not_negative)
      .optional();
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  const Keys key{schema};
  declare_common(schema, {.precisions = {"float64", "float32"}, .layouts = {"ijk"}});
  declare_base(schema);
  declare_map(schema);
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
  key("scheme.ahead", &Model::ahead, "", "share of the end of a short step in its implicit terms",
      {0.5, 1});
  key("scheme.divergence_damping", &Model::divergence_damping, "",
      "share of the last change of pressure that is added to it", {0, 0.5});
  key("scheme.limiter", &Model::limits_theta, {{"koren", true}, {"none", false}},
      "of advected potential temperature; momentum has none");
  declare_stability(schema, 0.8);
}

}  // namespace goban::atmosphere
