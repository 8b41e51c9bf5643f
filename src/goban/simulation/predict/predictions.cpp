#include "goban/simulation/predict/predictions.hpp"

#include <fmt/format.h>

#include <utility>

#include "goban/base/error.hpp"
#include "goban/simulation/report/progress.hpp"

namespace goban {
namespace {

/// More have no machine, and take minutes.
constexpr Index most_devices = 1000000;

/// How a list of active cells is cut.
std::string list_text(const ScalingPoint& point) {
  if (!point.list) return "";
  return fmt::format(
      ", the largest patch {:+.2g} %, {:.2g} % of the cells read of others",
      100 * point.list->imbalance,
      100 * static_cast<double>(point.list->read) / static_cast<double>(product(point.cells)));
}

std::string flops_text(const ScalingPoint& point, const std::optional<ToldWork>& work) {
  if (!work) return "";
  const double rate = work->flops * point.updates_per_second();
  return fmt::format(" {:>11}", rate < 9.9995e11 ? fmt::format("{:.4g} GFlops", 1e-9 * rate)
                                                 : fmt::format("{:.4g} TFlops", 1e-12 * rate));
}

std::string header(const PredictionRequest& request) {
  return fmt::format("{:>7}  {:<16} {:<10} {:<18} {:>10} {:>12}{} {:>6} {:>8}  {}\n", "devices",
                     request.grown ? "cells" : "patch", "pieces", "plan", "a step", "rate",
                     request.work ? fmt::format(" {:>11}", "operations") : "", "eff.", "halos",
                     "limited by");
}

std::string row_of(const PredictionRequest& request, double memory, const ScalingPoint& point,
                   const ScalingPoint& of_one) {
  Index3 patch;
  for (int a = 0; a < 3; ++a) patch[a] = (point.cells[a] + point.pieces[a] - 1) / point.pieces[a];
  return fmt::format(
      "{:>7}  {:<16} {:<10} {:<18} {:>10} {:>12}{} {:>5.0f}% {:>7.1f}%  {}{}{}\n", point.devices,
      cells_text(request.grown ? point.cells : patch), cells_text(point.pieces),
      text_of(point.plan), step_time_text(point.step.seconds),
      format_rate(point.updates_per_second()), flops_text(point, request.work),
      100 * efficiency(point, of_one), 100 * point.step.exposed() / point.step.seconds,
      point.limit(), list_text(point),
      memory > 0 && point.bytes_per_device > memory ? ", TOO LARGE for its memory" : "");
}

std::string cost_text(const MachineRates& machine, const PredictedRun& run,
                      const std::vector<ScalingPoint>& points) {
  if (run.steps <= 0) return "";
  std::string text = fmt::format("\n{} steps\n", run.steps);
  const auto long_text = [](double seconds) {
    return seconds < 60 ? step_time_text(seconds) : format_duration(seconds);
  };
  for (const ScalingPoint& point : points) {
    const double loop = static_cast<double>(run.steps) * point.step.seconds;
    text += fmt::format("{:>7}  {}", point.devices, long_text(loop));
    double seconds = loop;
    const double share = static_cast<double>(product(point.cells)) /
                         static_cast<double>(product(run.grid().cells)) /
                         static_cast<double>(point.nodes);
    for (const auto& [what, kind] :
         {std::pair{"outputs", run.files.outputs}, {"checkpoints", run.files.checkpoints}}) {
      const double taken = seconds_of_files(machine, kind.times, share * kind.bytes);
      if (taken > 0) text += fmt::format(", {} {}", what, long_text(taken));
      seconds += taken;
    }
    const double hours = seconds / 3600;
    if (machine.device.watts > 0) {
      text += fmt::format(", {:.3g} kWh",
                          1e-3 * machine.device.watts * static_cast<double>(point.devices) * hours);
    }
    if (machine.price_per_node_hour > 0) {
      text += fmt::format(", price {:.3g}",
                          machine.price_per_node_hour * static_cast<double>(point.nodes) * hours);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string cells_text(Index3 cells) {
  return fmt::format("{}x{}x{}", cells[0], cells[1], cells[2]);
}

std::string step_time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
         : seconds < 1  ? fmt::format("{:.3g} ms", 1e3 * seconds)
                        : fmt::format("{:.3g} s", seconds);
}

Predictions predict(const PredictedRun& run, const MachineRates& machine,
                    const PredictionRequest& request) {
  for (const Index devices : request.devices) {
    require(devices > 0 && devices <= most_devices, fmt::format("{} devices are refused", devices),
            fmt::format("there are 1 to {}", most_devices));
  }
  const ScalingPoint of_one = predict_strategies({run.runs, machine, true}, 1).front();
  Predictions found;
  found.title = fmt::format("{} on {}, {}", run.name, machine.name, request.growth);
  found.text = fmt::format("{}\n{}, {}\n\n{}", found.title, machine.device.name, machine.source,
                           header(request));
  std::optional<Error> refusal;
  for (const Index devices : request.devices) {
    try {
      const ScalingQuestion question{
          request.grown && devices > 1 ? request.grown(devices) : run.runs, machine};
      const auto strategies = predict_strategies(question, devices);
      found.best.push_back(strategies.front());
      for (const ScalingPoint& point : strategies) {
        found.rows.push_back(point);
        found.text += row_of(request, machine.device.memory, point, of_one);
        if (!request.every_plan) break;
      }
    } catch (const Error& error) {
      refusal = error;
      const std::string all = error.what();
      found.text += fmt::format("{:>7}  {}\n", devices, all.substr(0, all.find('\n')));
    }
  }
  if (found.best.empty()) throw Error(*refusal);
  found.text += cost_text(machine, run, found.best);
  return found;
}

}  // namespace goban
