#include "goban/simulation/report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/base/build_info.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

Json over_ranks(const Spread& spread) {
  return {{"min", spread.least},
          {"mean", spread.mean},
          {"max", spread.most},
          {"rank_of_max", spread.rank_of_most}};
}

/// How much longer the slowest rank computes than all do on average.
double imbalance(const Spread& compute) {
  return compute.mean > 0 ? compute.most / compute.mean - 1 : 0;
}

Json devices_of(const RunFacts& facts) {
  if (!facts.gpus.empty()) return facts.gpus;
  return Json::array(
      {fmt::format("{}: {}, {} {}, {}", name_of(facts.backend), facts.processor, facts.threads,
                   facts.threads == 1 ? "thread" : "threads", facts.instruction_set)});
}

Json start_of(const StartTimes& start) {
  Json seconds = {{"all", start.total}};
  for (const Preparation what : preparations) {
    std::string name = name_of(what);
    std::replace(name.begin(), name.end(), ' ', '_');
    seconds[name] = start.of[static_cast<std::size_t>(what)];
  }
  return seconds;
}

Json if_known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json predicted_parts(const StepPrediction& step) {
  if (step.seconds <= 0) return nullptr;
  return {{"seconds", step.seconds},      {"operations", step.busy.operations},
          {"bytes", step.busy.bytes},     {"launch", step.busy.launch},
          {"halo", step.busy.halo},       {"copy", step.busy.copy},
          {"message", step.busy.message}, {"reduction", step.busy.reduction},
          {"solver", step.solver}};
}

Json steady_of(const SteadySteps& steady) {
  if (steady.steps == 0) return nullptr;
  return {{"steps", steady.steps},     {"seconds", steady.seconds},
          {"fastest", steady.fastest}, {"compute", steady.split.compute},
          {"halo", steady.split.halo}, {"solver", steady.split.solver}};
}

/// The parts of a step; nobody sees how long those are that GPUs compute.
Json parts_of(const RunFacts& facts, const RunMeasures& measures) {
  Json all = Json::array();
  const SteadySteps& steady = measures.steady;
  for (std::size_t n = 0; n < measures.predicted.parts.size(); ++n) {
    const PredictedPart& part = measures.predicted.parts[n];
    const bool is_known = facts.gpus.empty() && steady.steps > 0;
    all.push_back({{"stages", part.stages},
                   {"cells", part.cells},
                   {"times", part.times},
                   {"predicted", part.seconds},
                   {"measured", is_known ? Json(steady.seconds_of_part(n)) : Json(nullptr)}});
  }
  return all;
}

Json plans_of(const std::vector<PlanReport>& plans) {
  Json all = Json::array();
  for (const PlanReport& one : plans) {
    all.push_back({{"steps_per_exchange", one.plan.steps_per_exchange},
                   {"steps_per_pass", one.plan.steps_per_pass},
                   {"overlap", name_of(one.plan.overlap)},
                   {"predicted", if_known(one.predicted)},
                   {"measured", if_known(one.measured)},
                   {"is_dropped", one.is_dropped}});
  }
  return all;
}

Json balance_of(const BalanceReport& report) {
  Json trials = Json::array();
  for (const auto& trial : report.trials) {
    Json cuts = Json::array();
    for (const auto& axis : trial.decomposition.cuts) {
      Json extents = Json::array();
      for (std::size_t n = 1; n < axis.size(); ++n) extents.push_back(axis[n] - axis[n - 1]);
      cuts.push_back(std::move(extents));
    }
    trials.push_back({{"extents", std::move(cuts)},
                      {"busy", trial.busy},
                      {"step", trial.step},
                      {"imbalance", trial.imbalance}});
  }
  return {{"outcome", report.outcome},
          {"trials", std::move(trials)},
          {"kept", report.kept},
          {"step_with_cpu", if_known(report.with_cpu)},
          {"step_without_cpu", if_known(report.without_cpu)}};
}

/// How a list of active cells is cut.
Json list_of(const RunFacts& facts) {
  if (!facts.list) return nullptr;
  return {{"imbalance", facts.list->imbalance},
          {"read_of_others", facts.list->read},
          {"read_by_a_patch", facts.list->most_read}};
}

}  // namespace

Json summary_of(const RunFacts& facts, const RunReport& report, const RunMeasures& measures,
                Json results) {
  const Index steps = report.last_step - report.first_step;
  const double rate = measures.updates_per_second(facts, report);
  const double bandwidth = rate * facts.bytes_per_update;
  Json vectorized = Json::object(), checksums = Json::object();
  for (const StageFacts& stage : facts.stages) vectorized[stage.name] = stage.vectorized;
  Json units = Json::object();
  for (const auto& [name, unit] : facts.result_units) {
    if (results.contains(name)) units[name] = unit;
  }
  for (const auto& [name, sum] : measures.checksums) checksums[name] = fmt::format("{:016x}", sum);
  Json summary = {
      {"goban", fmt::format("{} ({})", build_info().version, build_info().commit)},
      {"app", facts.app},
      {"case", facts.name},
      {"cells", facts.cells},
      {"fields", facts.fields},
      {"steps", steps},
      {"simulated_time", report.time},
      {"wall_seconds", report.wall_seconds},
      {"loop_seconds", measures.loop_seconds},
      {"start_seconds", start_of(measures.start)},
      {"results_seconds", measures.results_seconds},
      {"updates_per_second", rate},
      {"bytes_per_update", facts.bytes_per_update},
      {"flops_per_update", facts.flops_per_update},
      {"effective_bandwidth", bandwidth},
      {"copy_bandwidth", if_known(measures.copy_bandwidth)},
      {"roofline_fraction",
       measures.copy_bandwidth > 0 ? Json(bandwidth / measures.copy_bandwidth) : Json(nullptr)},
      {"predicted_loop_seconds", if_known(measures.predicted_loop_seconds(steps))},
      {"predicted_step", predicted_parts(measures.predicted)},
      {"steady", steady_of(measures.steady)},
      {"parts", parts_of(facts, measures)},
      {"predicted_output_seconds", if_known(measures.predicted_output_seconds)},
      {"plans", plans_of(measures.plans)},
      {"devices", devices_of(facts)},
      {"ranks", facts.ranks},
      {"machines", facts.machines},
      {"transports",
       {{"peer", measures.transports.peer},
        {"nccl", measures.transports.nccl},
        {"mpi", measures.transports.mpi},
        {"host", measures.transports.host}}},
      {"halo_precision", name_of(facts.halo_precision)},
      {"subnormals", name_of(facts.subnormals)},
      {"results_depend_on_ranks", facts.halo_precision != HaloPrecision::full},
      {"patches", facts.patches},
      {"list", list_of(facts)},
      {"steps_per_exchange", facts.steps_per_exchange},
      {"steps_per_pass", facts.steps_per_pass},
      {"overlap", name_of(facts.overlap)},
      {"vectorized", std::move(vectorized)},
      {"checksum", std::move(checksums)},
      {"results", std::move(results)},
      {"units", std::move(units)},
      {"outputs", measures.files},
      {"time_split",
       {{"compute", over_ranks(measures.compute)},
        {"halo", over_ranks(measures.halo)},
        {"output", over_ranks(measures.output)},
        {"checkpoint", over_ranks(measures.checkpoint)}}},
      {"predicted_halo_share", facts.predicted_halo_share},
      {"imbalance", imbalance(measures.compute)},
      {"peak_memory", over_ranks(measures.peak_memory)},
      {"ended_by", report.ended_by}};
  for (const auto& balance : measures.balance) summary["balance"].push_back(balance_of(balance));
  if (const auto& kernels = measures.kernels; kernels.compiled + kernels.loaded > 0) {
    summary["kernels"] = {
        {"compiled", kernels.compiled}, {"loaded", kernels.loaded}, {"seconds", kernels.seconds}};
  }
  summary["checkpoints"] = json_of(measures.checkpoints, report.wall_seconds);
  if (report.unwritten > 0) summary["unwritten"] = report.unwritten;
  if (report.restarted) summary["restarted_from"] = report.first_step;
  return summary;
}

}  // namespace goban
