#include "goban/simulation/case_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

/// Changes that a refusal names; there may be hundreds.
constexpr std::size_t most_named = 5;

bool leaves_bits(const std::string& key) {
  static const std::set<std::string> others = {"run.precision", "run.seed", "run.halo_precision",
                                               "run.subnormals"};
  return key.starts_with("run.") && !others.contains(key);
}

/// "the content of source.0.file": what a file's content is compared as.
constexpr std::string_view content_of = "the content of ";

std::string hash_of_file(const std::filesystem::path& path) {
  constexpr Index most = Index{1} << 22;
  const InputFile file(path);
  std::string hashes;
  std::vector<std::byte> bytes;
  for (Index at = 0; at < file.size(); at += most) {
    bytes.resize(static_cast<std::size_t>(std::min(most, file.size() - at)));
    file.read(at, bytes.data(), static_cast<Index>(bytes.size()));
    hashes += hex_of(hash_of(bytes.data(), bytes.size()));
  }
  return hex_of(hash_of(hashes));
}

/// Keys that checkpoints of earlier versions do not have, and what was done.
std::string before_there_was(const std::string& key) {
  return key == "run.subnormals" ? "keep" : "";
}

/// Whether `values` have the table that `key` belongs to: "output.picture.0." of its field.
bool has_table_of(const std::string& key, const Values& values) {
  const std::string table = key.substr(0, key.rfind('.') + 1);
  const auto found = values.lower_bound(table);
  return found != values.end() && found->first.starts_with(table);
}

bool is_free(const std::string& key, const Values& before, const Values& now) {
  static const std::set<std::string> ends = {"title", "time.steps", "time.end",
                                             "output.if_unwritable"};
  static const std::set<std::string> schedule = {"every", "every_time", "every_wall", "at",
                                                 "at_end"};
  if (ends.contains(key) || key.starts_with("checkpoint.")) return true;
  if (!key.starts_with("output.")) return false;
  if (!has_table_of(key, before) || !has_table_of(key, now)) return true;
  // Statistics are over all their samples.
  return schedule.contains(key.substr(key.rfind('.') + 1)) &&
         !key.starts_with("output.statistics.");
}

/// The time step where it does not change on the way.
void add_time_step(std::vector<CaseChange>& changes, const Json& saved, Index step,
                   const SimulationOptions& options) {
  if (options.dt.parameter) return;
  const auto before = std::bit_cast<double>(from_hex(saved.at("bits").get<std::string>()));
  if (before == options.dt.value) return;
  // The keys that it follows from are compared themselves.
  changes.push_back({step, "dt", fmt::format("{}", before), fmt::format("{}", options.dt.value),
                     !options.case_values.empty()});
}

}  // namespace

std::string hash_of_content(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return hash_of_file(path);
  std::map<std::string, std::string> hashes;
  for (const auto& entry : entries_below(path)) {
    if (!entry.is_regular_file()) continue;
    hashes[entry.path().lexically_relative(path).string()] = hash_of_file(entry.path());
  }
  std::string all;
  for (const auto& [name, hash] : hashes) all += name + '\0' + hash;
  return hex_of(hash_of(all));
}

void add_file_contents(SimulationOptions& options, Communicator& ranks) {
  if (options.case_files.empty()) return;
  const std::string hashes = text_of_first(ranks, [&] {
    Values all;  // an expression may name several
    for (const auto& [key, file] : options.case_files) all[key] += hash_of_content(file);
    return Json(all).dump();
  });
  for (const auto& [key, hash] : Json::parse(hashes).get<Values>()) {
    options.case_values.emplace_back(std::string(content_of) + key, "hash " + hash);
  }
}

std::string CaseChange::text() const {
  const std::string now = is.empty() ? key + " is not given" : key + " = " + is;
  return now + (was.empty() ? " (was not given)" : " (was " + was + ")");
}

std::vector<CaseChange> changes_since(const Json& details, Index step,
                                      const SimulationOptions& options) {
  const Values before = details.at("case").get<Values>();
  const Values now(options.case_values.begin(), options.case_values.end());
  std::set<std::string> keys;
  for (const Values* values : {&before, &now}) {
    for (const auto& [key, value] : *values) keys.insert(key);
  }
  const auto value_in = [](const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? before_there_was(key) : found->second;
  };
  std::vector<CaseChange> changes;
  for (const std::string& key : keys) {
    // Where only one of them names a file, the key itself is another.
    const bool is_content = key.starts_with(content_of);
    if (is_content && (!before.contains(key) || !now.contains(key))) continue;
    CaseChange change{step, key, value_in(before, key), value_in(now, key),
                      is_free(key, before, now)};
    if (change.was != change.is && !leaves_bits(key)) changes.push_back(std::move(change));
  }
  add_time_step(changes, details.at("dt"), step, options);
  return changes;
}

void require_allowed(const std::vector<CaseChange>& changes, const SimulationOptions& options) {
  if (options.allow_changes) return;
  std::string named;
  std::size_t count = 0;
  for (const CaseChange& change : changes) {
    if (change.is_free || ++count > most_named) continue;
    named += (named.empty() ? "" : ", ") + change.text();
  }
  if (count == 0) return;
  if (count > most_named) named += fmt::format(" and {} more", count - most_named);
  throw Error(ExitCode::usage, fmt::format("cannot go on from step {}", changes.front().step),
              "the case has changed: " + named,
              options.case_values.empty() ? "change it back, or set .allow_changes"
                                          : "change it back, or ask for it with --allow-changes");
}

Json json_of(const std::vector<CaseChange>& changes) {
  Json all = Json::array();
  for (const CaseChange& change : changes) {
    all.push_back(
        {{"step", change.step}, {"key", change.key}, {"was", change.was}, {"is", change.is}});
  }
  return all;
}

std::vector<CaseChange> changes_in(const Json& json) {
  std::vector<CaseChange> all;
  for (const Json& change : json) {
    all.push_back({change.at("step"), change.at("key"), change.at("was"), change.at("is")});
  }
  return all;
}

}  // namespace goban
