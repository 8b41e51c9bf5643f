#include "goban/simulation/checkpointer/checkpoint_measures.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

namespace goban {
namespace {

double overhead(const CheckpointMeasures& measures, double wall) {
  return wall > 0 ? measures.held / wall : 0;
}

}  // namespace

std::vector<std::string> checkpoint_lines(const CheckpointMeasures& measures, double wall) {
  std::vector<std::string> lines;
  if (std::accumulate(measures.saved.begin(), measures.saved.end(), Index{0}) == 0) return lines;
  std::string saved;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (measures.saved[n] == 0) continue;
    saved +=
        fmt::format("{}{} {}", saved.empty() ? "" : ", ", measures.saved[n], checkpoint_levels[n]);
  }
  saved += fmt::format(" saved, held the run up for {:.3g} s ({:.1f} %), {:.3g} s at most",
                       measures.held, 100 * overhead(measures, wall), measures.longest_held);
  if (measures.background > 0) {
    saved += fmt::format(", {:.3g} s of work beside it", measures.background);
  }
  lines.push_back(std::move(saved));
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (measures.intervals[n] == 0) continue;
    lines.push_back(fmt::format(
        "{} every {:.3g} s (Daly), a failure every {:.3g} s ({}), at a cost of {:.2g} % in all",
        checkpoint_levels[n], measures.intervals[n], measures.mtbf, measures.mtbf_source,
        100 * measures.waste));
  }
  if (measures.stored > 0 && measures.stored < measures.values) {
    const auto values = static_cast<double>(measures.values);
    lines.push_back(fmt::format("compressed {:.2f} times at {:.2g} GB/s",
                                values / static_cast<double>(measures.stored),
                                1e-9 * values / measures.compressing));
  }
  return lines;
}

nlohmann::ordered_json json_of(const CheckpointMeasures& measures, double wall) {
  nlohmann::ordered_json json = {{"saved", nlohmann::ordered_json::object()},
                                 {"held_seconds", measures.held},
                                 {"longest_held_seconds", measures.longest_held},
                                 {"last_held_seconds", measures.last_held},
                                 {"overhead", overhead(measures, wall)},
                                 {"background_seconds", measures.background},
                                 {"bytes", measures.values},
                                 {"stored_bytes", measures.stored},
                                 {"compressing_seconds", measures.compressing},
                                 {"mtbf", measures.mtbf},
                                 {"mtbf_source", measures.mtbf_source}};
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    json["saved"][checkpoint_levels[n]] = measures.saved[n];
    if (measures.intervals[n] > 0) json["intervals"][checkpoint_levels[n]] = measures.intervals[n];
  }
  return json;
}

}  // namespace goban
