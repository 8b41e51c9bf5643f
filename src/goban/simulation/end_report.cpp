#include "goban/simulation/end_report.hpp"

#include <fmt/format.h>

namespace goban {
namespace {

std::string seconds_text(double value) { return fmt::format("{:.3g} s", value); }

/// "8.2 s (91 %)".
std::string share(double part, double whole) {
  return fmt::format("{} ({:.0f} %)", seconds_text(part), whole > 0 ? 100 * part / whole : 0);
}

}  // namespace

std::string end_report(const RunFacts& facts, const RunReport& report,
                       const RunMeasures& measures) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  const Index steps = report.last_step - report.first_step;
  const double rate = measures.updates_per_second(facts, report);
  line("ended by", fmt::format("{} at step {}, t = {:.6g}{}", report.ended_by, report.last_step,
                               report.time, facts.time_unit.empty() ? "" : " " + facts.time_unit));
  line("time", fmt::format("{} in all, {} for {} steps", seconds_text(report.wall_seconds),
                           seconds_text(measures.loop_seconds), steps));
  if (steps > 0) {
    std::string speed = fmt::format("{:.3g} GLUP/s, {:.3g} GB/s", rate * 1e-9,
                                    rate * facts.bytes_per_update * 1e-9);
    if (measures.copy_bandwidth > 0) {
      speed += fmt::format(", {:.0f} % of the copy bandwidth of {:.3g} GB/s; predicted {}",
                           100 * rate * facts.bytes_per_update / measures.copy_bandwidth,
                           measures.copy_bandwidth * 1e-9,
                           seconds_text(measures.predicted_loop_seconds(facts, steps)));
    }
    line("speed", speed);
  }
  line("spent on", fmt::format("compute {}, halo {}, output {}, checkpoint {}",
                               share(measures.compute_seconds, report.wall_seconds),
                               share(measures.halo_seconds, report.wall_seconds),
                               share(measures.output_seconds, report.wall_seconds),
                               share(measures.checkpoint_seconds, report.wall_seconds)));
  for (const auto& [name, sum] : measures.checksums) {
    line("checksum", fmt::format("{} {:016x}", name, sum));
  }
  if (!facts.directory.empty()) {
    line("files", fmt::format("{} in {}", measures.files.size(), facts.directory));
  }
  return text;
}

}  // namespace goban
