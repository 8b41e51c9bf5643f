#include "goban/simulation/plan/run_plan.hpp"

#include <algorithm>
#include <cmath>

#include "goban/io/file/file.hpp"
#include "goban/simulation/live/live_address.hpp"

namespace goban {

std::string RunPlan::directory() const {
  std::string folder = grid.state()->context->settings().out;
  if (!folder.empty()) {
    const std::string_view word = "{name}";
    const std::string own = (std::filesystem::path(own_directory()) / "").parent_path().filename();
    for (auto at = folder.find(word); at != std::string::npos; at = folder.find(word, at)) {
      folder.replace(at, word.size(), own);
      at += own.size();
    }
    return folder;
  }
  const bool has_files = checkpoints || !live().empty() || !options.directory.empty() ||
                         std::any_of(outputs.begin(), outputs.end(),
                                     [](const auto& output) { return output->makes_files(); });
  return has_files ? own_directory() : "";
}

std::string RunPlan::own_directory() const {
  return options.directory.empty() ? "out/" + name() : options.directory;
}

const std::string& RunPlan::live() const {
  const std::string& word = grid.state()->context->settings().live;
  return word.empty() ? options.live : word;
}

Restart RunPlan::restart() const {
  const std::string& word = grid.state()->context->settings().restart;
  return word.empty() ? options.restart : restart_named(word);
}

void RunPlan::check() const {
  const bool has_deadline = std::isfinite(options.max_time);
  const bool ends =
      options.steps >= 0 || std::isfinite(options.end) || !stops.empty() || has_deadline;
  require(ends, "the run would never end", "it has neither steps nor an end nor a stop condition",
          options.case_text.empty() ? "set .steps, .end or stop_when()"
                                    : "give time.steps or time.end");
  require(!has_deadline || !directory().empty(), "max_time is refused",
          "a run without files has nothing to go on from", "set .steps, or .directory");
  require(!std::isnan(options.end) && !std::isnan(options.max_time),
          "the end of the run is not a number");
  require(options.dt.parameter || options.dt.value > 0,
          "dt = " + std::to_string(options.dt.value) + " is refused", "time goes forward");
  require(options.nan_check >= 0,
          "nan_check = " + std::to_string(options.nan_check) + " is refused", "it counts steps",
          "0 is at the end alone");
  if (!live().empty()) live_address(live());
  Index open_files = 0;
  for (const auto& output : outputs) open_files += output->open_files();
  require_open_files(open_files);
}

std::shared_ptr<Communicator> RunPlan::communicator() const {
  return grid.state()->context->communicator();
}

}  // namespace goban
