#include "goban/runtime/tuned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/cache_folder.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/runtime/runtime.hpp"

namespace goban {
namespace {

using Json = nlohmann::json;

std::string build() {
  return std::string(build_info().version) + " " + std::string(build_info().commit);
}

template <class Enum>
Enum value_of(std::span<const Named<Enum>> names, const std::string& name) {
  for (const Named<Enum>& one : names) {
    if (one.name == name) return one.value;
  }
  throw Error(ExitCode::files, "no setting is called " + name);
}

}  // namespace

void to_json(Json& json, const Tuned& tuned) {
  json = {{"patches", tuned.patches},
          {"transport", name_of(tuned.transport)},
          {"seconds", tuned.seconds},
          {"seconds_untuned", tuned.seconds_untuned},
          {"date", tuned.date}};
  if (!tuned.has_plan) return;
  json["steps_per_exchange"] = tuned.steps_per_exchange;
  json["steps_per_pass"] = tuned.steps_per_pass;
  json["overlap"] = name_of(tuned.overlap);
}

void from_json(const Json& json, Tuned& tuned) {
  tuned.patches = json.at("patches").get<Index3>();
  tuned.transport = value_of<Transport>(transport_names, json.at("transport").get<std::string>());
  tuned.seconds = json.at("seconds").get<double>();
  tuned.seconds_untuned = json.at("seconds_untuned").get<double>();
  tuned.date = json.at("date").get<std::string>();
  tuned.has_plan = json.contains("overlap");
  if (tuned.has_plan) {
    tuned.steps_per_exchange = json.at("steps_per_exchange").get<int>();
    tuned.steps_per_pass = json.at("steps_per_pass").get<int>();
  }
  const auto& [x, y, z] = tuned.patches;
  if (std::min({x, y, z}) < 1 || std::min(tuned.steps_per_exchange, tuned.steps_per_pass) < 1) {
    throw Error(ExitCode::files, "settings that were tuned are no counts");
  }
  if (!tuned.has_plan) return;
  tuned.overlap = value_of<Overlap>(overlap_names, json.at("overlap").get<std::string>());
}

std::string text_of(const Tuned& tuned) {
  const auto& [x, y, z] = tuned.patches;
  std::string text = fmt::format("{} x {} x {} patches", x, y, z);
  if (tuned.has_plan) {
    text += ", " + text_of(StepPlan{tuned.steps_per_exchange, tuned.steps_per_pass, tuned.overlap});
  }
  if (tuned.transport != Transport::automatic) {
    text += fmt::format(", transport {}", name_of(tuned.transport));
  }
  return text + fmt::format(": {} a step, {:.2f} times as fast as untuned (goban tune, {})",
                            quantity_text(tuned.seconds, "s", 3),
                            tuned.seconds_untuned / tuned.seconds, tuned.date);
}

std::string tuned_for(Runtime& runtime) {
  Communicator& ranks = *runtime.communicator();
  const std::vector<int>& nodes = ranks.nodes();
  return text_of_first(ranks, [&] {
    const int machines = 1 + *std::max_element(nodes.begin(), nodes.end());
    return fmt::format("{}, {}, {} {} on {} {}", inspect_machine().processor, runtime.description(),
                       nodes.size(), nodes.size() == 1 ? "rank" : "ranks", machines,
                       machines == 1 ? "machine" : "machines");
  });
}

void use(const Tuned& tuned, Settings& settings) {
  settings.patches = tuned.patches;
  if (tuned.transport != Transport::automatic) settings.transport = tuned.transport;
  if (!tuned.has_plan) return;
  settings.steps_per_exchange = tuned.steps_per_exchange;
  settings.temporal_blocking = tuned.steps_per_pass > 1 ? tuned.steps_per_pass : 0;
  settings.overlap = tuned.overlap;
}

std::string tuning_refusal(const Settings& settings) {
  if (settings.backend == Backend::reference) return "the reference has no plans to choose from";
  if (is_mixed(settings)) return "cuts between CPU and GPUs follow their speed in every run";
  if (!settings.speeds.empty()) return "cuts follow the speeds of devices in every run";
  return {};
}

std::string fixed_settings(const Settings& settings) {
  const Settings open;
  std::string text;
  const auto add = [&](const char* name, auto value) {
    text += fmt::format(" {}={}", name, value);
  };
  if (settings.patches != open.patches) {
    const auto& [x, y, z] = settings.patches;
    add("patches", fmt::format("{},{},{}", x, y, z));
  }
  for (const std::string& cuts : settings.cuts) {
    if (!cuts.empty()) add("cuts", cuts);
  }
  if (settings.steps_per_exchange != open.steps_per_exchange) {
    add("steps_per_exchange", settings.steps_per_exchange);
  }
  if (settings.overlap != open.overlap) add("overlap", name_of(settings.overlap));
  if (settings.temporal_blocking != open.temporal_blocking) {
    add("temporal_blocking", settings.temporal_blocking);
  }
  if (settings.transport != open.transport) add("transport", name_of(settings.transport));
  if (settings.halo_precision != open.halo_precision) {
    add("halo_precision", name_of(settings.halo_precision));
  }
  if (settings.recompute) add("recompute", true);
  return text;
}

TuneMemory::TuneMemory(std::filesystem::path file) : file_(std::move(file)) {
  try {
    if (file_.empty() || !is_there(file_)) return;
    const Json content = read_json(file_);
    if (content.at("goban").get<std::string>() != build()) return;
    entries_ = content.at("tuned").get<Entries>();
  } catch (const Error&) {
    entries_.clear();
  } catch (const Json::exception&) {
    entries_.clear();
  }
}

std::optional<Tuned> TuneMemory::find(const std::string& machine,
                                      const std::string& program) const {
  const auto programs = entries_.find(machine);
  if (programs == entries_.end()) return {};
  const auto found = programs->second.find(program);
  if (found == programs->second.end()) return {};
  return found->second;
}

bool TuneMemory::has_any(const std::string& beginning) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& of_machine) {
    const auto next = of_machine.second.lower_bound(beginning);
    return next != of_machine.second.end() && next->first.starts_with(beginning);
  });
}

void TuneMemory::remember(const std::string& machine, const std::string& program,
                          const Tuned& tuned) {
  entries_ = TuneMemory(file_).entries_;  // with what other processes have added
  entries_[machine][program] = tuned;
  make_directory(file_.parent_path());
  write_json(file_, {{"goban", build()}, {"tuned", entries_}});
}

std::filesystem::path tuned_file() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "tuned.json";
}

}  // namespace goban
