#include "goban/simulation/report/reports.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "goban/base/quantity_text.hpp"
#include "goban/io/file/file.hpp"
#include "goban/simulation/report/progress.hpp"
#include "goban/simulation/report/run_measures.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

std::string size_text(double bytes) { return byte_text(static_cast<Index>(bytes)); }

/// The disk has them that the run's folder is or will be on; negative where that is not known.
double bytes_free(const fs::path& directory) {
  std::error_code error;
  fs::path place = fs::absolute(directory, error);
  while (!error && !fs::exists(place, error) && place.has_parent_path() &&
         place != place.root_path()) {
    place = place.parent_path();
  }
  const fs::space_info space = fs::space(place, error);
  return error ? -1 : static_cast<double>(space.available);
}

std::string steps_line(const RunPlan& plan, const RunFacts& facts, Index steps) {
  const double dt = plan.options.dt.current();
  const bool is_fixed = !plan.options.dt.parameter && !plan.options.dt_limit;
  std::string text = steps < 0 ? "steps until the run is stopped" : fmt::format("{}", steps);
  if (!plan.stops.empty() && steps >= 0) text = "at most " + text;
  if (facts.time_unit == "iterations") return text + " iterations";
  if (steps >= 0) text += steps == 1 ? " step" : " steps";
  if (!is_fixed) return text + " of a size that changes";
  text += " of " + quantity_text(dt, facts.time_unit);
  if (steps >= 0) {
    text += ", to t = " + quantity_text(static_cast<double>(steps) * dt, facts.time_unit);
  }
  return text;
}

/// The bytes that one checkpoint takes.
double checkpoint_bytes(const Engines& engines) {
  double bytes = 0;
  for (const LiveField& field : engines.live_fields()) {
    if (!field.needed) continue;
    const double values =
        static_cast<double>(product(field.grid->cells)) * field.record->components;
    bytes += values * static_cast<double>(field.record->element_size());
  }
  return bytes;
}

/// The text and the bytes of one kind of output.
struct Share {
  std::string text;
  double bytes = 0;
};

std::string disk_line(const RunPlan& plan, const Engines& engines, const RunFacts& facts,
                      Index steps) {
  std::vector<Share> shares;
  std::vector<std::string> open;  // nobody knows how often
  const auto add = [&](const std::string& what, Index times, double bytes) {
    if (bytes <= 0 || times <= 0) return;
    const double all = static_cast<double>(times) * bytes;
    shares.push_back({times == 1 ? fmt::format("{} {}", what, size_text(all))
                                 : fmt::format("{} {} x {}", what, times, size_text(bytes)),
                      all});
  };
  const double dt = plan.options.dt.current();
  for (const auto& output : plan.outputs) {
    const When& when = output->when();
    if (steps >= 0) add(output->name(), output->writes(steps, dt), output->bytes_per_write());
    const bool is_counted = steps >= 0 && !when.has_wall_time();
    if (output->bytes_per_write() > 0 && !is_counted) {
      open.push_back(fmt::format("{} {} {}", output->name(), size_text(output->bytes_per_write()),
                                 when.describe(facts.time_unit)));
    }
  }
  if (plan.checkpoints) {
    const Index due = steps < 0 ? 1 : plan.checkpoints->times_due(steps, dt);
    const CheckpointPolicy& policy = plan.checkpoint_policy;
    const bool has_any = due > 0 || policy.at_end || plan.checkpoints->has_wall_time();
    const Index archived = policy.archive_every > 0 && steps > 0 ? steps / policy.archive_every : 0;
    // While one is written those that are kept are still there.
    if (has_any) add("checkpoints", policy.keep + 1 + archived, checkpoint_bytes(engines));
  }
  double all = 0;
  std::string parts;
  for (const Share& share : shares) {
    all += share.bytes;
    parts += (parts.empty() ? "" : ", ") + share.text;
  }
  for (const std::string& text : open) parts += (parts.empty() ? "" : ", ") + text;
  const double free = bytes_free(plan.directory());
  std::string text = "about " + size_text(all);
  if (!parts.empty()) text += " (" + parts + ")";
  if (free >= 0) {
    text += fmt::format("{} {} free", all > free ? ", MORE THAN the" : " of", size_text(free));
  }
  return text;
}

}  // namespace

Index steps_to_take(const RunPlan& plan) {
  constexpr double round_off = 1e-6;
  const double dt = plan.options.dt.current();
  Index steps = plan.options.steps;
  if (std::isfinite(plan.options.end) && dt > 0) {
    const double by_time = std::max(0.0, std::ceil(plan.options.end / dt - round_off));
    if (by_time < 0x1p62 && (steps < 0 || by_time < static_cast<double>(steps))) {
      steps = static_cast<Index>(by_time);
    }
  }
  return steps;
}

FilesWritten files_written(const RunPlan& plan, const Engines& engines, Index steps) {
  FilesWritten files;
  if (steps < 0) return files;
  const double dt = plan.options.dt.current();
  for (const auto& output : plan.outputs) {
    const double bytes = output->bytes_per_write();
    if (bytes <= 0) continue;
    const auto times = static_cast<double>(output->writes(steps, dt));
    files.outputs.times += times;
    files.outputs.bytes += times * bytes;
  }
  if (plan.checkpoints) {
    files.checkpoints.times = static_cast<double>(plan.checkpoints->times_due(steps, dt) +
                                                  (plan.checkpoint_policy.at_end ? 1 : 0));
    files.checkpoints.bytes = files.checkpoints.times * checkpoint_bytes(engines);
  }
  return files;
}

std::string forecast(const RunPlan& plan, Engines& engines, const RunFacts& facts,
                     double copy_bandwidth) {
  const Index steps = steps_to_take(plan);
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  line("steps", steps_line(plan, facts, steps));
  if (steps >= 0) {
    const double seconds =
        static_cast<double>(steps) *
        predicted_step(engines.step(), *plan.grid.state(), copy_bandwidth).seconds;
    if (seconds > 0) {
      const auto text_of = [](double s) {
        return s < 60 ? fmt::format("{:.3g} s", s) : format_duration(s);
      };
      const FilesWritten files = files_written(plan, engines, steps);
      const MachineRates& machine = plan.grid.state()->context->machine();
      std::string duration = text_of(seconds) + " predicted";
      if (copy_bandwidth > 0) {
        duration += fmt::format(", at the copy bandwidth of {:.3g} GB/s", copy_bandwidth * 1e-9);
      }
      for (const auto& [what, kind] :
           {std::pair{"outputs", files.outputs}, {"checkpoints", files.checkpoints}}) {
        const double taken = seconds_of_files(machine, kind.times, kind.bytes);
        if (taken > 0) duration += fmt::format(", {} {}", what, text_of(taken));
      }
      line("duration", duration);
    }
  }
  if (!plan.directory().empty()) line("disk", disk_line(plan, engines, facts, steps));
  return text;
}

}  // namespace goban
