#pragma once
// What `goban tune` has found fastest, for the runs to come.

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "goban/grid/settings.hpp"

namespace goban {

class Runtime;

/// Settings that were measured to be fastest for one program on one machine.
struct Tuned {
  Index3 patches{1, 1, 1};
  int steps_per_exchange = 1, steps_per_pass = 1;
  Overlap overlap = Overlap::none;
  bool has_plan = true;  ///< the three before: the step is one straight run of stages
  Transport transport = Transport::automatic;
  double seconds = 0;          ///< a step
  double seconds_untuned = 0;  ///< a step with what a run begins with otherwise
  std::string date;            ///< when it was measured
};

void to_json(nlohmann::json& json, const Tuned& tuned);
void from_json(const nlohmann::json& json, Tuned& tuned);

/// "2 x 1 x 1 patches, R = 2, one-kernel: 1.2 ms a step, 1.3 times as fast as untuned (goban tune,
/// 2026-11-24)".
std::string text_of(const Tuned& tuned);

/// What settings are tuned for: processor, GPUs, threads, ranks and machines. Collective.
std::string tuned_for(Runtime& runtime);

/// Sets what `settings` leave open.
void use(const Tuned& tuned, Settings& settings);

/// Settings that are not left open, as " patches=2,1,1 overlap=none": what was tuned under others
/// is not used.
std::string fixed_settings(const Settings& settings);
/// Why there is nothing to tune with such settings; empty if there is.
std::string tuning_refusal(const Settings& settings);

/// Remembers settings by machine and program, in a file that belongs to one build of goban: a file
/// of another build, or one that cannot be read, counts as empty.
class TuneMemory {
 public:
  explicit TuneMemory(std::filesystem::path file);

  std::optional<Tuned> find(const std::string& machine, const std::string& program) const;
  /// Whether a program whose name begins so is known of any machine.
  bool has_any(const std::string& beginning) const;
  /// Writes the file. Error (files).
  void remember(const std::string& machine, const std::string& program, const Tuned& tuned);

 private:
  using Entries = std::map<std::string, std::map<std::string, Tuned>>;
  std::filesystem::path file_;
  Entries entries_;
};

/// tuned.json in goban's folder of the cache; empty if there is none.
std::filesystem::path tuned_file();

}  // namespace goban
