#include "seismic/rock_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "goban/io/case/place.hpp"
#include "seismic/attenuation.hpp"
#include "seismic/rock_files.hpp"

namespace goban::seismic {
namespace {

void declare_rock(CaseSchema& table) {
  table.key("vp", &Rock::vp).required().positive().unit("m/s").doc("speed of P waves");
  table.key("vs", &Rock::vs).required().at_least(0).unit("m/s").doc("speed of S waves; 0: a fluid");
  table.key("density", &Rock::density)
      .required()
      .positive()
      .unit("kg/m3")
      .doc("density of the rock");
  table.real("q_p", 0.0).at_least(0).doc("quality factor Q of P waves; 0: no attenuation");
  table.real("q_s", 0.0).at_least(0).doc("quality factor Q of S waves; 0: no attenuation");
}

void declare_medium(CaseSchema& schema) {
  CaseSchema& layer =
      schema.tables("layer", "rock from its top down to the next layer, in the order of depth");
  layer.key("top", &Layer::top)
      .unit("m")
      .doc("depth of the layer's top; the first layer reaches up to the surface");
  declare_rock(layer);
  layer.real("vp_gradient", 0.0).unit("1/s").doc("increase of vp per metre below the top");
  layer.real("vs_gradient", 0.0).unit("1/s").doc("increase of vs per metre");
  layer.real("density_gradient", 0.0).unit("kg/m4").doc("increase of the density per metre");
  CaseSchema& body = schema.tables("body", "a body of other rock; the last one counts");
  body.key("shape", &Body::shape,
           {{"ellipsoid", Body::Shape::ellipsoid}, {"box", Body::Shape::box}})
      .required()
      .doc("shape of the body");
  body.key("center", &Body::center).optional().unit("m").doc("centre of an ellipsoid");
  body.key("semi_axes", &Body::semi_axes)
      .optional()
      .positive()
      .unit("m")
      .doc("semi-axes of an ellipsoid");
  body.key("lower", &Body::lower).optional().unit("m").doc("lower corner of a box");
  body.key("upper", &Body::upper).optional().unit("m").doc("upper corner of a box");
  declare_rock(body);
  schema.section("medium", "rock cell by cell from files, instead of layers and bodies");
  for (const char* key : {"vp", "vs", "density"}) {
    schema.path(std::string("medium.") + key, "")
        .doc(
            "file as large as the grid: raw float32 (x fastest), NPY or SEG-Y; all three or "
            "none");
  }
  schema.integer("medium.inline_byte", 189)
      .at_least(1)
      .at_most(237)
      .doc("SEG-Y: byte of the trace headers with the inline number, which grows along y");
  schema.integer("medium.crossline_byte", 193)
      .at_least(1)
      .at_most(237)
      .doc("SEG-Y: byte of the trace headers with the crossline number, which grows along x");
}

void declare_attenuation(CaseSchema& schema) {
  schema.section("attenuation", "of rock that has a q_p: Q is constant over a band of frequencies");
  schema.reals("attenuation.band")
      .length(2)
      .positive()
      .unit("Hz")
      .optional()
      .doc("ends of the band, a factor of 2 to 50 apart");
  schema.real("attenuation.reference")
      .positive()
      .unit("Hz")
      .optional()
      .doc("frequency at which waves are as fast as vp and vs; default: the middle of the band");
}

Rock read_rock(const Case& row) {
  auto rock = row.read<Rock>();
  if (!rock.exists()) {
    throw row.error("vs", fmt::format("vs = {} m/s is refused", rock.vs),
                    fmt::format("with vp = {} m/s the rock would swell under pressure", rock.vp),
                    "vs is at most 0.866 vp");
  }
  for (const char* key : {"q_p", "q_s"}) {
    const double q = row.real(key);
    if (q > 0 && q < 10) {
      throw row.error(key, fmt::format("{} = {} is refused", key, q), "",
                      "Q is 10 at least, or 0 where waves lose nothing");
    }
    (key[2] == 'p' ? rock.p_loss : rock.s_loss) = q > 0 ? 1 / q : 0;
  }
  if (rock.vs == 0 && rock.s_loss > 0) {
    throw row.error("q_s", "a fluid has no q_s", "vs is 0", "leave it out");
  }
  if (bulk_loss(rock, 3) < -1e-12) {
    throw row.error("q_p", fmt::format("q_p = {} is refused", row.real("q_p")),
                    fmt::format("with q_s = {} the rock would gain energy when it is compressed",
                                row.real("q_s")),
                    fmt::format("q_p is at most {:.4g}", largest_q_p(rock)));
  }
  return rock;
}

void read_layers(Medium& medium, const Case& values) {
  medium.layers.clear();
  for (const Case& row : values.list("layer")) {
    auto layer = row.read<Layer>();
    layer.rock = read_rock(row);
    layer.per_metre = {row.real("vp_gradient"), row.real("vs_gradient"),
                       row.real("density_gradient")};
    if (!medium.layers.empty() && layer.top <= medium.layers.back().top) {
      throw row.error("top", "the layer is not below the one before it", "",
                      "list layers in the order of depth");
    }
    medium.layers.push_back(layer);
  }
  for (const Case& row : values.list("body")) {
    auto body = row.read<Body>();
    body.center = GridPlace(values).onto_plane(body.center);
    for (const char* key : body.shape == Body::Shape::box ? std::array{"lower", "upper"}
                                                          : std::array{"center", "semi_axes"}) {
      require_key(row, key, "[1, 2, 3]");
    }
    body.rock = read_rock(row);
    medium.bodies.push_back(body);
  }
}

}  // namespace

void declare_rock_keys(CaseSchema& schema) {
  declare_medium(schema);
  declare_attenuation(schema);
}

Medium read_medium(const Case& values) {
  Medium medium;
  const bool from_files = !values.path("medium.vp").empty() || !values.path("medium.vs").empty() ||
                          !values.path("medium.density").empty();
  const bool from_layers = !values.list("layer").empty();
  if (from_files == from_layers) {
    throw values.error(from_files ? "medium.vp" : "layer",
                       from_files ? "the medium is given twice" : "there is no rock",
                       "it comes from [[layer]] or from files",
                       from_files ? "leave one of them out" : "add a [[layer]]");
  }
  if (from_files) {
    if (!values.list("body").empty()) {
      throw values.error("body", "bodies are refused", "the medium comes from files");
    }
    medium.files = std::make_shared<RockFiles>(values);
  } else {
    read_layers(medium, values);
  }
  return medium;
}

std::optional<Band> read_band(const Case& values, const Medium& medium) {
  const auto loses = [](const auto& part) { return part.rock.p_loss > 0; };
  const bool is_lossy = std::any_of(medium.layers.begin(), medium.layers.end(), loses) ||
                        std::any_of(medium.bodies.begin(), medium.bodies.end(), loses);
  if (is_lossy != values.has("attenuation.band")) {
    throw values.error("attenuation.band",
                       is_lossy ? "attenuation has no band" : "the band is of nothing",
                       is_lossy ? "rock has a q_p" : "no rock has a q_p",
                       is_lossy ? "add attenuation.band = [0.2, 5]" : "leave it out");
  }
  if (!is_lossy && values.has("attenuation.reference")) {
    throw values.error("attenuation.reference", "the reference is of nothing", "no rock has a q_p",
                       "leave it out");
  }
  if (!is_lossy) return {};
  const auto& ends = values.reals("attenuation.band");
  if (ends[1] < 2 * ends[0] || ends[1] > Mechanisms::widest * ends[0]) {
    throw values.error("attenuation.band",
                       fmt::format("a band from {} to {} Hz is refused", ends[0], ends[1]),
                       "its ends are a factor of 2 to 50 apart");
  }
  Band band{ends[0], ends[1], std::sqrt(ends[0] * ends[1])};
  if (!values.has("attenuation.reference")) return band;
  band.reference = values.real("attenuation.reference");
  if (band.reference < ends[0] || band.reference > ends[1]) {
    throw values.error("attenuation.reference", fmt::format("{} Hz are refused", band.reference),
                       "the reference lies within the band");
  }
  return band;
}

}  // namespace goban::seismic
