#include "goban/simulation/report/run_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/instruction_set.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/build_info.hpp"
#include "goban/checkpoint/nodes/texts.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/memory_refusal.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/performance/model/machine_rates.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/simulation/checkpointer/memory_of_checkpoints.hpp"

namespace goban {
namespace {

const Settings& settings_of(const RunPlan& plan) { return plan.grid.state()->context->settings(); }

std::string describe(const FieldRecord& field) {
  std::string text = fmt::format("{} {}", field.name, name_of(field.type));
  if (field.components > 1) text += fmt::format(" x {}", field.components);
  return text;
}

/// Names of all ranks, in their order.
std::vector<std::string> names_of_all(Communicator& ranks, const std::vector<std::string>& mine) {
  std::istringstream lines(text_of_all(ranks, fmt::format("{}\n", fmt::join(mine, "\n"))));
  std::vector<std::string> all;
  for (std::string name; std::getline(lines, name);) {
    if (!name.empty()) all.push_back(name);
  }
  return all;
}

/// Settings that would act on messages between processes.
std::vector<std::string> settings_of_messages(const Settings& settings) {
  std::vector<std::string> all;
  if (settings.transport != Transport::automatic) {
    all.push_back(fmt::format("transport {}", name_of(settings.transport)));
  }
  if (settings.halo_precision != HaloPrecision::full) {
    all.push_back(fmt::format("halo_precision {}", name_of(settings.halo_precision)));
  }
  return all;
}

}  // namespace

RunFacts facts_of(const RunPlan& plan, Engines& engines) {
  GridState& grid = *plan.grid.state();
  const Settings& settings = settings_of(plan);
  const Machine machine = inspect_machine();
  Engine& step = engines.step();
  RunFacts facts;
  facts.app = plan.app();
  facts.name = plan.name();
  facts.title = plan.options.title;
  for (char& c : facts.title) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  facts.cells = grid.cells;
  if (grid.active) facts.box = grid.active->box();
  facts.spacing = grid.spacing;
  facts.length_unit = plan.options.length_unit;
  facts.time_unit = plan.options.time_unit;
  update_patches(facts, grid);
  facts.backend = settings.backend;
  facts.halo_precision = settings.halo_precision;
  facts.subnormals = settings.subnormals;
  Communicator& ranks = *plan.communicator();
  facts.ranks = ranks.size();
  const Index ranks_with_patches = product(decomposition_of(grid).ranks);
  facts.idle_ranks = facts.ranks - static_cast<int>(ranks_with_patches);
  if (ranks_with_patches == 1) facts.unused = settings_of_messages(settings);
  facts.machines = 1 + *std::max_element(ranks.nodes().begin(), ranks.nodes().end());
  facts.threads = settings.threads;
  facts.cores = ThreadTeam::logical_cores();
  facts.processor = machine.processor;
  facts.instruction_set = target_instructions().name;
  Index free_of_gpus = 0;
  for (Executor* executor : domain_of(grid).executors()) {
    if (!executor->device_memory() && !executor->is_helper()) continue;
    facts.gpus.push_back(executor->name());
    free_of_gpus += static_cast<Index>(executor->bytes_free());
  }
  Index needed = engines.bytes_needed();  // decides on the steps per exchange, too
  for (const auto& output : plan.outputs) needed += output->bytes_needed();
  needed += memory_of_checkpoints(plan, engines);
  std::array<Index, 3> here{needed, engines.bytes_allocated() + free_of_gpus, 1};
  sum_over_machine(ranks, here);
  if (facts.gpus.empty()) here[1] += machine.memory_available;
  facts.needed_here = here[0];
  facts.available_here = here[1];
  const bool is_measured = plan.options.measure_bandwidth && facts.gpus.empty();
  // What stays in the caches has nothing to do with the bandwidth of the memory.
  const Index to_measure = is_measured && here[0] > machine.last_level_cache_bytes()
                               ? memory_of_copy_bandwidth(here[0] / 2)
                               : 0;
  // Every rank has its share of what its machine has.
  std::array<std::uint64_t, 3> all{static_cast<std::uint64_t>(needed),
                                   static_cast<std::uint64_t>(here[1] / here[2]),
                                   static_cast<std::uint64_t>(to_measure / here[2])};
  ranks.sum(all);
  facts.bytes_needed = static_cast<Index>(all[0]);
  facts.bytes_available = static_cast<Index>(all[1]);
  facts.bytes_to_measure = static_cast<Index>(all[2]);
  facts.gpus = names_of_all(ranks, facts.gpus);
  facts.steps_per_exchange = step.steps_per_exchange();
  facts.steps_per_pass = step.steps_per_pass();
  facts.overlap = step.overlap();
  facts.pass_refusal = step.pass_refusal();
  const SweepWork work = step.work_per_update();
  facts.bytes_per_update = work.bytes;
  facts.flops_per_update = work.flops;
  const bool is_compiled = settings.backend == Backend::cpu ||
                           settings.backend == Backend::emulated ||
                           settings.backend == Backend::cuda;
  for (const auto& stage : step.sweeps()) {
    facts.stages.push_back({stage->name, is_compiled});
  }
  for (const auto& field : step.fields()) facts.fields.push_back(describe(*field));
  for (const auto& output : plan.outputs) {
    facts.schedules.emplace_back(output->describe(), output->when().describe(facts.time_unit));
  }
  if (plan.checkpoints) {
    const When& when = *plan.checkpoints;
    facts.schedules.emplace_back(
        "checkpoint",
        (plan.checkpoint_policy.at_end ? when | at_end() : when).describe(facts.time_unit));
  }
  const NodeCheckpoints& nodes = plan.checkpoint_policy.nodes;
  const auto add_on_nodes = [&](const char* what, const When& when) {
    if (nodes.folder.empty() || when.is_never()) return;
    facts.schedules.emplace_back(what, when.describe(facts.time_unit));
  };
  add_on_nodes("checkpoint on nodes", nodes.local);
  add_on_nodes("checkpoint on nodes, with copies", nodes.copies);
  add_on_nodes("checkpoint on nodes, with parity", nodes.parity);
  for (const StopRule& rule : plan.stops) {
    facts.schedules.emplace_back("stop when " + rule.describe(),
                                 fmt::format("every {} steps", rule.every));
  }
  const MachineRates& rates = grid.context->machine();
  facts.rates = rates.is_quick ? "a quick calibration" : rates.name;
  facts.rates_are_of_this_host = !rates.host.empty() && !rates.is_quick;
  facts.result_units = plan.result_units;
  facts.directory = plan.directory();
  return facts;
}

void update_patches(RunFacts& facts, GridState& grid) {
  const Decomposition& decomposition = decomposition_of(grid);
  facts.patches = decomposition.process_grid();
  if (const ListCut* const cut = domain_of(grid).list_cut(grid.number)) facts.list = *cut;
  facts.predicted_halo_share = predicted_step(grid, decomposition).halo_share();
}

std::vector<std::pair<std::string, std::string>> provenance_of(const RunPlan& plan) {
  const BuildInfo& build = build_info();
  return {{"goban", fmt::format("{} ({})", build.version, build.commit)},
          {"compiler", std::string(build.compiler)},
          {"instruction_set", target_instructions().name},
          {"processor", inspect_machine().processor},
          {"seed", std::to_string(settings_of(plan).seed)}};
}

void check_memory(const RunFacts& facts, Communicator& ranks) {
  agree(ranks, [&] {
    if (facts.available_here <= 0 || facts.needed_here <= facts.available_here) return;
    throw memory_refusal(facts.cells, facts.needed_here, facts.available_here,
                         name_of_machine(ranks));
  });
}

}  // namespace goban
