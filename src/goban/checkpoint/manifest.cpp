#include "goban/checkpoint/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <set>

#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "goban checkpoint";
constexpr std::string_view before_hash = ",\n  \"hash\": \"";
constexpr std::string_view after_hash = "\"\n}\n";
constexpr Index least_block = 1024, largest_block = Index{1} << 30;

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitCode::no_checkpoint, why); }

ElementType element_type(const std::string& name) {
  for (const ElementType type : {ElementType::uint8, ElementType::int32, ElementType::half,
                                 ElementType::float32, ElementType::float64}) {
    if (name == name_of(type)) return type;
  }
  refuse(fmt::format("its element type '{}' is unknown", name));
}

/// 0, 1, 0 of "0.1.0 (38a3262f1b2c)".
std::array<long, 3> numbers_of(std::string_view version) {
  std::array<long, 3> numbers{};
  const char *at = version.data(), *const end = at + version.size();
  for (long& number : numbers) {
    at = std::from_chars(at, end, number).ptr;
    if (at == end || *at != '.') break;
    ++at;
  }
  return numbers;
}

Json json_of(const StoredArray& array) {
  Json json = {{"name", array.name}};
  if (!array.file.empty()) json["file"] = array.file;
  json["type"] = name_of(array.type);
  json["extents"] = array.extents;
  json["components"] = array.components;
  json["optional"] = array.optional;
  json["bytes"] = array.bytes();
  if (array.file.empty()) return json;
  Json hashes = Json::array();
  for (const std::uint64_t hash : array.block_hashes) hashes.push_back(hex_of(hash));
  json["block_hashes"] = std::move(hashes);
  return json;
}

Json json_of(const StoredPart& part) {
  return {{"file", part.file}, {"bytes", part.bytes}, {"hash", hex_of(part.hash)}};
}

Json json_of(const StoredGroup& group) {
  Json parities = Json::array();
  for (const StoredPart& parity : group.parities) parities.push_back(json_of(parity));
  return {{"parts", group.parts}, {"parities", std::move(parities)}};
}

void check_name(const std::string& file) {
  if (file.empty() || file.find('/') != std::string::npos || file[0] == '.') {
    refuse(fmt::format("'{}' is no name of a file beside it", file));
  }
}

StoredArray array_of(const Json& json, Index block_bytes, bool has_parts) {
  StoredArray array;
  array.name = json.at("name");
  array.type = element_type(json.at("type"));
  array.extents = json.at("extents");
  array.components = json.at("components");
  array.optional = json.at("optional");
  if (!has_parts) {
    array.file = json.at("file");
    for (const Json& hash : json.at("block_hashes")) {
      array.block_hashes.push_back(from_hex(hash.get<std::string>()));
    }
  }
  constexpr Index most = Index{1} << 40;
  const auto& n = array.extents;
  const bool sane = std::all_of(n.begin(), n.end(), [](Index e) { return e > 0 && e < most; }) &&
                    array.components > 0 && n[0] <= most / n[1] &&
                    n[0] * n[1] <= (Index{1} << 58) / n[2] / array.components / 8 &&
                    array.bytes() == json.at("bytes").get<Index>();
  if (!sane) refuse(fmt::format("the size of '{}' cannot be", array.name));
  if (has_parts) return array;
  check_name(array.file);
  if (array.block_hashes.size() !=
      blocks_of(array.extents, array.bytes_per_cell(), block_bytes).size()) {
    refuse(fmt::format("'{}' has the wrong number of block hashes", array.name));
  }
  return array;
}

StoredPart part_of(const Json& json) {
  StoredPart part{json.at("file"), json.at("bytes"), from_hex(json.at("hash").get<std::string>())};
  check_name(part.file);
  if (part.bytes < 0) refuse(fmt::format("the size of '{}' cannot be", part.file));
  return part;
}

void read_parts(const Json& json, Manifest& manifest) {
  for (const Json& part : json.at("parts")) manifest.parts.push_back(part_of(part));
  manifest.has_copies = json.at("copies");
  manifest.parity = json.at("parity");
  for (const Json& group : json.at("groups")) {
    StoredGroup& stored = manifest.groups.emplace_back();
    stored.parts = group.at("parts").get<std::vector<int>>();
    for (const Json& parity : group.at("parities")) stored.parities.push_back(part_of(parity));
    const auto count = static_cast<int>(manifest.parts.size());
    const bool is_sane = stored.parts.size() == stored.parities.size() && manifest.parity > 0 &&
                         manifest.parity < static_cast<int>(stored.parts.size()) &&
                         stored.parts.size() <= 255 &&
                         std::all_of(stored.parts.begin(), stored.parts.end(),
                                     [&](int part) { return part >= -1 && part < count; });
    if (!is_sane) refuse("a group of its parity cannot be");
  }
}

Manifest manifest_of(const Json& json) {
  if (json.at("format") != format_name) refuse("it is not a goban checkpoint");
  const Json& version = json.at("version");
  if (!version.is_number_integer() || version < 1 || version > Manifest::newest_version) {
    refuse(fmt::format("its format is {}, this goban reads 1 to {}", version.dump(),
                       Manifest::newest_version));
  }
  if (json.at("byte_order") != "little") refuse("its byte order is not this machine's");
  Manifest manifest;
  manifest.goban = json.at("goban");
  if (numbers_of(manifest.goban) > numbers_of(build_info().version)) {
    refuse(fmt::format("it was written by goban {}, newer than this one, {}", manifest.goban,
                       build_info().version));
  }
  manifest.saved = json.at("saved");
  manifest.program = json.at("program");
  manifest.cells = json.at("cells");
  manifest.active = json.value("active", "");
  manifest.spacing = json.at("spacing");
  manifest.origin = json.at("origin");
  manifest.seed = json.at("seed");
  manifest.block_bytes = json.at("block_bytes");
  if (manifest.block_bytes < least_block || manifest.block_bytes > largest_block) {
    refuse("its block size cannot be");
  }
  const bool has_parts = version > 1;
  for (const Json& array : json.at("arrays")) {
    manifest.arrays.push_back(array_of(array, manifest.block_bytes, has_parts));
  }
  if (has_parts) read_parts(json, manifest);
  manifest.life = json.value("life", "");
  manifest.state.step = json.at("step");
  manifest.state.time = json.at("time");
  manifest.state.details = json.at("state");
  return manifest;
}

void check_same(bool same, const std::string& what, const std::string& stored,
                const std::string& wanted) {
  if (!same) refuse(fmt::format("its {} is {}, this run has {}", what, stored, wanted));
}

std::string describe(ElementType type, int components, Index3 extents) {
  return fmt::format("{} x {} on {}", name_of(type), components, fmt::join(extents, " x "));
}

}  // namespace

Index Manifest::bytes() const {
  Index all = 0;
  for (const StoredArray& array : arrays) all += array.bytes();
  return all;
}

Manifest manifest_for(const CheckpointSubject& subject, const CheckpointState& state) {
  Manifest manifest;
  manifest.goban = fmt::format("{} ({})", build_info().version, build_info().commit);
  manifest.saved = date_text();
  manifest.program = subject.program;
  manifest.cells = subject.cells;
  manifest.active = subject.active;
  manifest.spacing = subject.spacing;
  manifest.origin = subject.origin;
  manifest.seed = subject.seed;
  manifest.state = state;
  return manifest;
}

std::string text_of(const Manifest& manifest) {
  static_assert(std::endian::native == std::endian::little);
  Json arrays = Json::array();
  for (const StoredArray& array : manifest.arrays) arrays.push_back(json_of(array));
  Json json = {{"format", format_name},           {"version", manifest.parts.empty() ? 1 : 2},
               {"goban", manifest.goban},         {"saved", manifest.saved},
               {"byte_order", "little"},          {"program", manifest.program},
               {"cells", manifest.cells},         {"spacing", manifest.spacing},
               {"origin", manifest.origin},       {"seed", manifest.seed},
               {"step", manifest.state.step},     {"time", manifest.state.time},
               {"state", manifest.state.details}, {"block_bytes", manifest.block_bytes},
               {"arrays", std::move(arrays)}};
  if (!manifest.parts.empty()) {
    json["parts"] = Json::array();
    for (const StoredPart& part : manifest.parts) json["parts"].push_back(json_of(part));
    json["copies"] = manifest.has_copies;
    json["parity"] = manifest.parity;
    json["groups"] = Json::array();
    for (const StoredGroup& group : manifest.groups) json["groups"].push_back(json_of(group));
  }
  if (!manifest.life.empty()) json["life"] = manifest.life;
  if (!manifest.active.empty()) json["active"] = manifest.active;
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}"
  const std::string hash = hex_of(hash_of(text));
  text.append(before_hash).append(hash).append(after_hash);
  if (static_cast<Index>(text.size()) > Manifest::most_bytes) {
    throw Error(
        ExitCode::files, "cannot save a checkpoint",
        fmt::format("what outputs keep takes {}, {} can be read again",
                    byte_text(static_cast<Index>(text.size())), byte_text(Manifest::most_bytes)),
        "sample fewer points, or less often");
  }
  return text;
}

Manifest parse_manifest(std::string_view text) {
  const std::size_t tail = before_hash.size() + 16 + after_hash.size();
  const bool complete = text.size() > tail && text.ends_with(after_hash) &&
                        text.substr(text.size() - tail).starts_with(before_hash);
  if (!complete) refuse("its manifest is incomplete");
  const std::string_view body = text.substr(0, text.size() - tail);
  if (from_hex(text.substr(body.size() + before_hash.size(), 16)) != hash_of(body)) {
    refuse("its manifest is damaged: the hash does not match");
  }
  if (is_too_deep(text)) refuse("its manifest cannot be understood: its lists lie too deep");
  try {
    return manifest_of(Json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    refuse(fmt::format("its manifest cannot be understood: {}", error.what()));
  }
}

void check_fits(const Manifest& manifest, const CheckpointSubject& subject) {
  const auto joined = [](const auto& three) { return fmt::format("{}", fmt::join(three, " x ")); };
  check_same(manifest.program == subject.program, "program", "'" + manifest.program + "'",
             "'" + subject.program + "'");
  check_same(manifest.cells == subject.cells, "grid", joined(manifest.cells) + " cells",
             joined(subject.cells) + " cells");
  check_same(manifest.active == subject.active, "geometry", "of other active cells", "its own");
  check_same(manifest.spacing == subject.spacing, "spacing", joined(manifest.spacing),
             joined(subject.spacing));
  check_same(manifest.origin == subject.origin, "origin", joined(manifest.origin),
             joined(subject.origin));
  check_same(manifest.seed == subject.seed, "seed of random numbers", std::to_string(manifest.seed),
             std::to_string(subject.seed));
  std::set<std::string> known;
  for (const CheckpointArray& array : subject.arrays) {
    known.insert(array.name);
    const auto stored =
        std::find_if(manifest.arrays.begin(), manifest.arrays.end(),
                     [&](const StoredArray& other) { return other.name == array.name; });
    if (stored == manifest.arrays.end()) {
      if (array.optional) continue;
      refuse(fmt::format("it has no field '{}'", array.name));
    }
    Index3 extents = array.extents;
    if (array.grows) extents[1] = stored->extents[1];
    check_same(stored->type == array.type && stored->components == array.components &&
                   stored->extents == extents,
               "'" + array.name + "'", describe(stored->type, stored->components, stored->extents),
               describe(array.type, array.components, array.extents));
  }
  for (const StoredArray& stored : manifest.arrays) {
    if (!stored.optional && known.count(stored.name) == 0) {
      refuse(fmt::format("its field '{}' is unknown to this run", stored.name));
    }
  }
}

}  // namespace goban
