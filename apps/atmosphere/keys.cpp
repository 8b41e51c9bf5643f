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
  key("air.gas_constant", &Model::gas_constant, "J/(kg K)", "gas constant R", positive);
  key("air.heat_capacity", &Model::heat_capacity, "J/(kg K)",
      "heat capacity at constant pressure; more than the gas constant", positive);
  key("air.gravity", &Model::gravity, "m/s2", "gravity, downward", not_negative);
  key("air.rotation", &Model::rotation, "1/s",
      "Coriolis parameter f on a plane; the wind of [base] is in balance with it");
  key("air.diffusivity", &Model::diffusivity, "m2/s",
      "diffusivity of momentum, of its deviation from the base state", not_negative);
  key("air.heat_diffusivity", &Model::heat_diffusivity, "m2/s",
      "diffusivity of theta and water; default: air.diffusivity", not_negative);
  key("air.smagorinsky", &Model::smagorinsky, "",
      "Smagorinsky's c: eddies have the size c (dx dy dz)^(1/3) and are weaker in stable "
      "air; 0: no eddies; usual: 0.18",
      {0, 1});
  key("air.eddies_of", &Model::spreads_all, {{"deviations", false}, {"all", true}},
      "quantities that eddies spread: deviations from the base state, or all of the air");

  schema.section("base", "the base state, from which deviations are computed, and the initial air");
  key("base.pressure", &Model::surface_pressure, "Pa", "pressure at z = 0", positive);
  key("base.theta", &Model::surface_theta, "K", "potential temperature at z = 0", positive);
  key("base.stability", &Model::stability, "1/s",
      "buoyancy frequency N: theta grows as exp(N^2 z / g)", not_negative);
  key("base.warmer", &Model::warmer, "K",
      "temperature by which the air at the beginning, at rest and in balance, is warmer than the "
      "base state");
  key("base.wind", &Model::wind, "m/s",
      "wind at the beginning, along x and y; that of base.sounding is added");
  key.path("base.sounding",
           "theta and wind by height, in place of base.theta and base.stability: WRF's "
           "input_sounding, or a table with headings z, theta and, as it has them, qv or rh, u, v");

  const Keys of_bubble{schema.tables("bubble", "air that is warmer or colder at first")};
  of_bubble("shape", &Bubble::shape,
            {{"cosine", Bubble::Shape::cosine}, {"ridge", Bubble::Shape::ridge}},
            "(1 + cos(pi L)) / 2 within L = 1, or sin(pi z / lid) / (1 + (x / radius)^2)");
  of_bubble("amplitude", &Bubble::amplitude, "K", "largest deviation in the bubble").required();
  using Of = Bubble::Of;
  of_bubble("of", &Bubble::of,
            {{"theta", Of::theta}, {"temperature", Of::temperature}, {"buoyancy", Of::buoyancy}},
            "quantity that the amplitude is of (buoyancy: over g as over 300 K); the pressure is "
            "that of the air around, and theta that of moist air");
  of_bubble("center", &Bubble::center, "m", "centre of the bubble, z above the lowest level")
      .required();
  of_bubble("radius", &Bubble::radius, "m",
            "radius, where L = 1, along each axis; 0: the bubble does not depend on this axis")
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
  key("map.latitude", &Map::latitude, "deg", "latitude north at x = y = 0", {-90, 90});
  key("map.longitude", &Map::longitude, "deg", "longitude east at x = y = 0", {-360, 360});
  key("map.true_latitudes", &Map::true_latitudes, "deg",
      "latitudes at which lengths are those on the earth: two for Lambert's map, twice the same "
      "for others; default: map.latitude");
  key("map.radius", &Map::radius, "m", "radius of the earth", positive);
  key("map.earth_rotation", &Map::earth_rotation, "1/s",
      "rotation of the earth; f = 2 earth_rotation sin(latitude)");
}

void declare_initial(CaseSchema& schema) {
  const Keys key{schema};
  schema.section("initial", "initial fields of the air from files");
  key.path("initial.theta",
           "file of the potential temperature, K, in place of the base state's: NPY, NRRD, TIFF, "
           "raw, as large as the grid, values in cells");
  key.path("initial.pressure",
           "file of the pressure, Pa, likewise; default: in balance with theta from the ground up");
  key.path("initial.u", "file of the wind along x, m/s, likewise");
  key.path("initial.v", "file of the wind along y, m/s, likewise");
  key.path("initial.w",
           "file of the wind upward, m/s, likewise; default: 0, except that it follows the ground");
  key.path("initial.vapor",
           "file of the mixing ratio of vapour, kg/kg of dry air, likewise, with moisture.base");
  key.path(
      "initial.cloud",
      "file of the mixing ratio of cloud, kg/kg, likewise; default: 0 unless air is saturated");
  key.path("initial.rain", "file of the mixing ratio of rain, kg/kg, likewise; default: 0");
  key("initial.larger", &LateralSides::begins_as_larger, "",
      "begin with what sides.larger says at sides.larger_time, in place of the base state");
  key("initial.noise_theta", &Noise::theta, "K",
      "largest random difference of theta, of equal probability; run.seed chooses them",
      not_negative);
  key("initial.noise_vapor", &Noise::vapor, "kg/kg",
      "largest random difference of the mixing ratio of vapour", not_negative);
  key("initial.noise_height", &Noise::height, "m", "height up to which there are such differences",
      positive);
  schema.section("vortex", "a warm-cored vortex in balance in the air at first");
  key("vortex.drop", &Vortex::drop, "Pa",
      "pressure drop in the middle of the vortex at z = 0; 0: no vortex", not_negative);
  key("vortex.radius", &Vortex::radius, "m",
      "radius: pressure rises outward as 1 - exp(-(r / radius)^1.5)", positive);
  key("vortex.height", &Vortex::height, "m",
      "height: the vortex decays upward as exp(-(z / height)^2)", positive);
  key("vortex.center", &Vortex::center, "m", "x and y of the vortex's axis");
  schema.section("forcing",
                 "large-scale forcing by the air around, of which the grid is a small part");
  key.path("forcing.profile",
           "a table by height with headings z and, as it has them, w (m/s, below 0: air sinks), "
           "theta_rate (K/s), qv_rate (1/s), ug, vg (geostrophic wind, m/s), theta_eq (K)");
  key("forcing.cooling_time", &Model::cooling_time, "s",
      "time of Newtonian cooling, in which the difference of theta from theta_eq of the profile, "
      "or from the base state, falls to 1/e; 0: no cooling",
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
      "water of the air at the beginning; none: dry air throughout");
  key("moisture.ground", &Humidity::ground, "", "relative humidity at z = 0", {0, 1});
  key("moisture.aloft", &Humidity::aloft, "", "relative humidity at moisture.height and above",
      {0, 1});
  key("moisture.height", &Humidity::height, "m", "height up to which the relative humidity falls",
      positive);
  key("moisture.exponent", &Humidity::exponent, "",
      "exponent: the relative humidity falls as (z / height)^exponent", positive);
  key("moisture.largest", &Humidity::largest, "kg/kg",
      "largest mixing ratio of vapour at the beginning", positive);
  key("moisture.total_water", &Humidity::total_water, "kg/kg",
      "mixing ratio of vapour and cloud in saturated air", {0, 0.1});
  key("moisture.equivalent_theta", &Humidity::equivalent_theta, "K",
      "equivalent potential temperature of saturated air at z = 0", {200, 450});
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
      "distance from the side within which air is relaxed to the base state; 0: none",
      not_negative);
  key("sides.rate", &LateralSides::rate, "1/s",
      "rate of relaxation at the side; it falls as (1 - distance / depth)^2", positive);
  key("sides.wave_speed", &LateralSides::wave_speed, "m/s",
      "speed at which waves leave through open sides, in addition to the wind", not_negative);
  key.path("sides.larger",
           "a larger model, to which air beside sides \"larger\" goes back in place of the base "
           "state: a table of times with NPY files beside it, or the index (.xdmf) of snapshots of "
           "a coarser run of the same base state");
  key("sides.larger_time", &LateralSides::larger_time, "s",
      "time of the larger model at which this run begins");
  schema.section("surface", "exchange of ground or sea with the lowest level");
  using Kind = Surface::Kind;
  key("surface.kind", &Surface::kind,
      {{"none", Kind::none}, {"sea", Kind::sea}, {"land", Kind::land}, {"fluxes", Kind::fluxes}},
      "none: no exchange; sea, land: momentum, heat and vapour by bulk formulas; fluxes: those of "
      "the next keys");
  key("surface.heat_flux", &Surface::heat_flux, "K m/s",
      "upward flux of potential temperature: the heat flux over density times heat capacity");
  key("surface.vapor_flux", &Surface::vapor_flux, "m/s",
      "upward flux of the mixing ratio of vapour, over density");
  key("surface.friction_velocity", &Surface::friction_velocity, "m/s",
      "friction velocity u*, the root of stress over density", not_negative);
  key("surface.boundary_layer", &Surface::mixes, "",
      "mix wind, heat and water with C_D |v| z of the lowest level up to 850 hPa, where cells are "
      "too large for eddies");
  key("surface.temperature", &Surface::temperature, "K", "temperature of ground or sea", positive);
  key("surface.lapse_rate", &Surface::lapse_rate, "K/m",
      "lapse rate: a metre of height makes the ground colder by this than surface.temperature or "
      "its file say");
  key("surface.roughness", &Surface::roughness, "m",
      "roughness z_0 of land: drag is (0.4 / ln(z / z_0))^2", positive);
  key("surface.wetness", &Surface::wetness, "",
      "wetness of land: vapour that leaves it, as a share of what leaves a sea", {0, 1});
  key.path("surface.temperature_file",
           "file of the temperature of each column, K, in the format of terrain.file");
  key.path("surface.roughness_file",
           "file of the roughness, m, likewise; where it is 0 there is sea");
  key.path("surface.wetness_file", "file of the wetness, likewise");
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
           "file of the heights of the ground, m: NPY, TIFF, PNG, or a table (.csv, .txt), the "
           "last axis or a row along x; as many columns as the grid, or both times one factor");
  key("terrain.steepest", &Terrain::steepest, "",
      "largest difference of neighbours in levels, to which the ground of a file is "
      "smoothed",
      positive);
  key("terrain.height", &Terrain::height, "m", "height h of the hill", not_negative);
  key("terrain.half_width", &Terrain::half_width, "m", "half width a along x", positive);
  key("terrain.width_y", &Terrain::width_y, "m", "half width b along y; 0: a ridge", not_negative);
  key("terrain.wavelength", &Terrain::wavelength, "m", "wavelength of schaer", positive);
  key("terrain.center_x", &Terrain::center_x, "m", "x of the hill's middle");
  key("terrain.center_y", &Terrain::center_y, "m", "y of the hill's middle");

  schema.section("levels", "surfaces of which the lowest is the ground and the highest the lid");
  key("levels.decay", &Model::terrain_decay, "m",
      "height over which levels flatten, as sinh((lid - z) / decay); 0: linearly", not_negative);
  key("levels.lowest", &Model::lowest_level, "",
      "distance of the two lowest levels over grid.spacing along z, the mean distance", {0.05, 1});
  schema.section("sponge", "damping of waves below the lid");
  key("sponge.depth", &Model::sponge_depth, "m", "depth of the sponge below the lid; 0: no sponge",
      not_negative);
  key("sponge.rate", &Model::sponge_rate, "1/s",
      "damping rate of the vertical velocity at the lid; default: 1.5 N^2 a / U in a wind over a "
      "bell or schaer, which sends least of its waves back, else 0.2",
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
      .doc(
          "number of short steps in a step, even; default: so many that sound crosses less than "
          "half a cell in one");
  key("scheme.ahead", &Model::ahead, "", "weight of the end of a short step in its implicit terms",
      {0.5, 1});
  key("scheme.divergence_damping", &Model::divergence_damping, "",
      "share of the last change of pressure that is added to it", {0, 0.5});
  key("scheme.limiter", &Model::limits_theta, {{"koren", true}, {"none", false}},
      "limiter of advected potential temperature; momentum has none");
  declare_stability(schema, 0.8);
}

}  // namespace goban::atmosphere
