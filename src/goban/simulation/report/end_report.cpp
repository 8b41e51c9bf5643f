#include "goban/simulation/report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "goban/base/mix.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/file/file.hpp"
#include "goban/simulation/checkpointer/checkpoint_measures.hpp"
#include "goban/simulation/report/progress.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

std::string seconds_text(double value) { return fmt::format("{:.3g} s", value); }

/// "8.2 s (91 %)".
std::string percentage(double part, double whole) {
  return fmt::format("{} ({:.0f} %)", seconds_text(part), whole > 0 ? 100 * part / whole : 0);
}

/// "3.4 s: fields 1.2 s, copy bandwidth 0.31 s": what took a hundredth of it or more.
std::string start_text(const StartTimes& start) {
  std::string parts;
  for (const Preparation what : preparations) {
    const double seconds = start.of[static_cast<std::size_t>(what)];
    if (seconds <= 0.01 * start.total) continue;
    parts +=
        fmt::format("{}{} {}", parts.empty() ? ": " : ", ", name_of(what), seconds_text(seconds));
  }
  return seconds_text(start.total) + parts;
}

/// What a step takes, or a part of it.
struct ComparedPart {
  const char* name;
  double predicted, measured;
};

/// Steps after all trials, if there were any, else all.
std::vector<ComparedPart> parts_of(const RunFacts& facts, const RunMeasures& measures,
                                   double steps) {
  const SteadySteps& steady = measures.steady;
  const bool is_steady = steady.steps > 0;
  const auto part = [&](const char* name, double of_steady, double of_all, double predicted) {
    const double measured =
        is_steady ? of_steady / static_cast<double>(steady.steps) : of_all / std::max(steps, 1.0);
    return ComparedPart{name, predicted, measured};
  };
  const StepPrediction& model = measures.predicted;
  std::vector<ComparedPart> parts{
      part("step", steady.seconds, measures.loop_seconds, model.seconds)};
  if (facts.gpus.empty()) {  // the calling thread does not see what GPUs do
    parts.push_back(
        part("compute", steady.split.compute, measures.compute_seconds, model.computes()));
    parts.push_back(part("halo", steady.split.halo, measures.halo_seconds, model.exposed()));
  }
  if (is_steady) parts.push_back(part("solver", steady.split.solver, 0, model.solver));
  return parts;
}

/// "+3 %", "4.5 times as long", "less than a tenth".
std::string deviation(double measured, double predicted) {
  const double ratio = measured / predicted;
  if (ratio > 10) return "over 10 times as long";
  if (ratio > 3) return fmt::format("{:.2g} times as long", ratio);
  if (ratio < 0.1) return "less than a tenth";
  return fmt::format("{:+.0f} %", 100 * (ratio - 1));
}

/// "1.2 ms a step predicted, 1.3 ms measured (+3 %)", and the parts in which the two differ by
/// much.
std::string model_text(const RunFacts& facts, const RunMeasures& measures, Index steps) {
  constexpr double much = 0.2;
  const std::vector<ComparedPart> parts = parts_of(facts, measures, static_cast<double>(steps));
  const ComparedPart step = parts.front();
  const auto seconds = [](double value) { return quantity_text(value, "s", 3); };
  std::string text =
      fmt::format("{} a step predicted, {} measured ({}{})", seconds(step.predicted),
                  seconds(step.measured), deviation(step.measured, step.predicted),
                  measures.steady.steps > 0 ? "" : ", with what was tried and compiled");
  if (!facts.rates_are_of_this_host) {
    return text +
           fmt::format("; rates of {}: goban calibrate measures this machine's", facts.rates);
  }
  const auto differ = [](double predicted, double measured, double whole) {
    const double difference = std::abs(measured - predicted);
    return difference > much * predicted && difference > much / 4 * whole;
  };
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (!differ(part->predicted, part->measured, step.predicted)) continue;
    text += fmt::format("; {} {} instead of {}", part->name, seconds(part->measured),
                        seconds(part->predicted));
  }
  const double files = measures.predicted_output_seconds, output = measures.output_seconds;
  if (files > 0 && differ(files, output, measures.loop_seconds)) {
    text += fmt::format("; output {} instead of {}", seconds(output), seconds(files));
  }
  return text;
}

/// "Curvature<Divergence, 0> to Swap" is "Curvature to Swap": a user knows stages by their
/// functors.
std::string without_template_arguments(const std::string& name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '>') --depth;
    if (depth == 0 && c != '<' && c != '>') text += c;
    if (c == '<') ++depth;
  }
  return text;
}

/// "pressure to residual, 64 x 64 x 64 cells, 12.5 times: 1.3 ms a step, 1.2 ms predicted (+8 %)".
std::string text_of_part(const PredictedPart& part, double measured) {
  std::string text = fmt::format("{}, {} cells", without_template_arguments(part.stages),
                                 fmt::join(part.cells, " x "));
  if (part.times != 1) text += fmt::format(", {:.3g} times", part.times);
  return text + fmt::format(": {} a step, {} predicted ({})", quantity_text(measured, "s", 3),
                            quantity_text(part.seconds, "s", 3), deviation(measured, part.seconds));
}

/// Parts of a step that take a fiftieth of it or more, the longest first.
std::vector<std::string> texts_of_parts(const RunFacts& facts, const RunMeasures& measures) {
  constexpr double least = 0.02;
  constexpr std::size_t most = 4;
  const std::vector<PredictedPart>& parts = measures.predicted.parts;
  if (!facts.gpus.empty() || measures.steady.steps == 0 || parts.size() < 2) return {};
  std::vector<std::pair<double, std::size_t>> longest;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const double seconds = std::max(measures.steady.seconds_of_part(n), parts[n].seconds);
    if (seconds >= least * measures.predicted.seconds) longest.emplace_back(-seconds, n);
  }
  std::sort(longest.begin(), longest.end());
  std::vector<std::string> texts;
  for (const auto& [seconds, n] : longest) {
    if (texts.size() == most) {
      texts.push_back(
          fmt::format("and {} more; all of them in summary.json", longest.size() - most));
      break;
    }
    texts.push_back(text_of_part(parts[n], measures.steady.seconds_of_part(n)));
  }
  return texts;
}

/// "2.5", "[1, 2, 3]", "[[1, 2], [3, 4]]".
std::string short_text(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& part : value) text += (text.empty() ? "" : ", ") + short_text(part);
  return "[" + text + "]";
}

/// What fits on a line beside its name.
bool is_short(const Json& value) { return !value.is_object() && value.flatten().size() <= 9; }

using Checksums = std::vector<std::pair<std::string, std::uint64_t>>;

/// One checksum for all: equal if each of them is.
std::uint64_t joined_checksums(const Checksums& checksums) {
  std::uint64_t all = 0;
  for (const auto& [name, sum] : checksums) all = mix(all ^ sum);
  return all;
}

/// More checksums than this nobody compares one by one.
constexpr std::size_t most_checksums = 4;

}  // namespace

std::string end_report(const RunFacts& facts, const RunReport& report, const RunMeasures& measures,
                       const Json& results) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  const Index steps = report.last_step - report.first_step;
  const double rate = measures.updates_per_second(facts, report);
  const bool counts_steps = report.time == static_cast<double>(report.last_step);
  line("ended by",
       fmt::format("{} at step {}{}", report.ended_by, report.last_step,
                   counts_steps ? "" : ", t = " + quantity_text(report.time, facts.time_unit)));
  line("start", start_text(measures.start));
  line("time", fmt::format("{} in all, {} for {} steps", seconds_text(report.wall_seconds),
                           seconds_text(measures.loop_seconds), steps));
  if (steps > 0) {
    std::string speed =
        fmt::format("{}, {:.3g} GB/s", format_rate(rate), rate * facts.bytes_per_update * 1e-9);
    if (measures.copy_bandwidth > 0) {
      speed += fmt::format(
          ", {:.0f} % of the copy bandwidth of {:.3g} GB/s, at which these steps take {}",
          100 * rate * facts.bytes_per_update / measures.copy_bandwidth,
          measures.copy_bandwidth * 1e-9,
          seconds_text(facts.cell_count() * static_cast<double>(steps) * facts.bytes_per_update /
                       measures.copy_bandwidth));
    }
    line("speed", speed);
    if (measures.predicted.seconds > 0) line("model", model_text(facts, measures, steps));
    for (const std::string& part : texts_of_parts(facts, measures)) line("part", part);
    if (!measures.plans.empty()) line("plans", text_of(measures.plans));
  }
  line("spent on", fmt::format("compute {}, halo {}, output {}, checkpoint {}, results {}",
                               percentage(measures.compute_seconds, report.wall_seconds),
                               percentage(measures.halo_seconds, report.wall_seconds),
                               percentage(measures.output_seconds, report.wall_seconds),
                               percentage(measures.checkpoint_seconds, report.wall_seconds),
                               percentage(measures.results_seconds, report.wall_seconds)));
  if (const auto& kernels = measures.kernels; kernels.compiled + kernels.loaded > 0) {
    line("kernels", fmt::format("{} compiled, {} found compiled, in {}", kernels.compiled,
                                kernels.loaded, seconds_text(kernels.seconds)));
  }
  const Spread& memory = measures.peak_memory;
  const auto bytes = [](double value) { return byte_text(static_cast<Index>(value)); };
  line("memory", facts.ranks == 1
                     ? fmt::format("{} at most", bytes(memory.most))
                     : fmt::format("{} to {} at most on a rank (most on rank {}), {} in all",
                                   bytes(memory.least), bytes(memory.most), memory.rank_of_most,
                                   bytes(memory.mean * facts.ranks)));
  if (facts.ranks > 1) {
    const auto range = [](const Spread& s) {
      return fmt::format("{} to {} (most on rank {})", seconds_text(s.least), seconds_text(s.most),
                         s.rank_of_most);
    };
    line("on ranks",
         fmt::format("compute {}, halo {}", range(measures.compute), range(measures.halo)));
  }
  for (const BalanceReport& balance : measures.balance) line("balance", balance.outcome);
  for (const auto& [name, value] : results.items()) {
    if (!is_short(value)) continue;
    const auto found = facts.result_units.find(name);
    const std::string unit = found == facts.result_units.end() ? "" : found->second;
    line("result",
         name + " " +
             (value.is_number_float() ? quantity_text(value.get<double>(), unit)
                                      : short_text(value) + (unit.empty() ? "" : " ") + unit));
  }
  if (measures.checksums.size() > most_checksums) {
    line("checksum", fmt::format("{:016x} of all {} fields; each in summary.json",
                                 joined_checksums(measures.checksums), measures.checksums.size()));
  } else {
    for (const auto& [name, sum] : measures.checksums) {
      line("checksum", fmt::format("{} {:016x}", name, sum));
    }
  }
  for (const std::string& about : checkpoint_lines(measures.checkpoints, report.wall_seconds)) {
    line("checkpoint", about);
  }
  if (!measures.trace.empty()) line("trace", measures.trace);
  if (report.unwritten > 0) {
    line("lost", fmt::format("{} could not be written (see the warnings above)",
                             report.unwritten == 1
                                 ? "one output or checkpoint"
                                 : fmt::format("{} outputs or checkpoints", report.unwritten)));
  }
  if (!facts.directory.empty()) {
    line("files", fmt::format("{} in {}", measures.files.size(), facts.directory));
  }
  return text;
}

}  // namespace goban
