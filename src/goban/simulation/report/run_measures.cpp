#include "goban/simulation/report/run_measures.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/host/mirrored_memory.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"

namespace goban {

double RunMeasures::updates_per_second(const RunFacts& facts, const RunReport& report) const {
  const auto steps = static_cast<double>(report.last_step - report.first_step);
  return loop_seconds > 0 ? facts.cell_count() * steps / loop_seconds : 0;
}

namespace {

/// The spread of a value over all ranks, summed up in multiples of `unit`.
Spread spread_over(Communicator& ranks, double value, double unit) {
  const auto number = static_cast<std::int64_t>(value / unit);
  std::array<std::uint64_t, 1> total{static_cast<std::uint64_t>(number)};
  ranks.sum(total);
  std::array<std::int64_t, 2> ends{number, -number};
  ranks.maximum(ends);
  std::array<std::int64_t, 1> who{number == ends[0] ? ranks.rank() : ranks.size()};
  ranks.minimum(who);
  return {unit * static_cast<double>(-ends[1]), unit * static_cast<double>(total[0]) / ranks.size(),
          unit * static_cast<double>(ends[0]), static_cast<int>(who[0])};
}

/// The most memory of the machine that this process ever had, bytes.
double peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss) -
         static_cast<double>(MirroredMemory::most_counted_twice());
}

TransportCounts transports_of(Communicator& ranks, const HaloChannels& channels) {
  constexpr std::array all{Transport::peer, Transport::nccl, Transport::mpi, Transport::host};
  std::array<std::uint64_t, all.size()> counts{};
  for (const auto& [rank, transport] : channels.neighbors()) {
    const auto at = std::find(all.begin(), all.end(), transport);
    if (rank > ranks.rank()) ++counts[static_cast<std::size_t>(at - all.begin())];
  }
  ranks.sum(counts);
  return {static_cast<Index>(counts[0]), static_cast<Index>(counts[1]),
          static_cast<Index>(counts[2]), static_cast<Index>(counts[3])};
}

}  // namespace

StepPrediction predicted_step(Engine& step, GridState& grid, double copy_bandwidth) {
  Domain& domain = domain_of(grid);
  if (domain.is_mixed()) return {};
  Communicator& ranks = domain.communicator();
  MachineRates machine = grid.context->machine();
  if (copy_bandwidth > 0 && (machine.host.empty() || machine.is_quick)) {
    const std::size_t devices = machine.device.is_gpu ? domain.executors().size() : 1;
    machine.device.levels.back().bandwidth =
        copy_bandwidth / static_cast<double>(ranks.size() * static_cast<int>(devices));
  }
  StepPrediction prediction = step.predicted_step(machine);
  constexpr double picosecond = 1e-12;
  std::array<std::int64_t, 1> longest{static_cast<std::int64_t>(prediction.seconds / picosecond)};
  ranks.maximum(longest);
  prediction.seconds = picosecond * static_cast<double>(longest[0]);
  return prediction;
}

void complete(RunMeasures& measures, const RunPlan& plan, const Engines& engines) {
  const TimeSplit split = engines.time_split();
  measures.compute_seconds = split.compute;
  measures.halo_seconds = split.halo;
  Communicator& ranks = *plan.communicator();
  constexpr double nanosecond = 1e-9;
  measures.compute = spread_over(ranks, measures.compute_seconds, nanosecond);
  measures.halo = spread_over(ranks, measures.halo_seconds, nanosecond);
  measures.output = spread_over(ranks, measures.output_seconds, nanosecond);
  measures.checkpoint = spread_over(ranks, measures.checkpoint_seconds, nanosecond);
  measures.peak_memory = spread_over(ranks, peak_memory(), 1);
  measures.transports = transports_of(ranks, domain_of(*plan.grid.state()).channels());
  if (GpuBackend* const gpus = loaded_gpu_backend()) measures.kernels = gpus->compiled_kernels();
  const cpu::CodeStatistics code = cpu::code_statistics();
  measures.kernels.compiled += code.compiled;
  measures.kernels.loaded += code.loaded;
  measures.kernels.seconds += code.seconds;
  std::map<std::string, int> uses;  // fields of several grids may share a name
  for (const LiveField& field : engines.live_fields()) {
    const std::string& name = field.record->name;
    const int n = ++uses[name];
    measures.checksums.emplace_back(n == 1 ? name : fmt::format("{} {}", name, n),
                                    field.grid->storage().checksum(*field.record));
  }
  for (const BalanceReport* report : engines.balance()) measures.balance.push_back(*report);
  for (const auto& output : plan.outputs) {
    for (const auto& file : output->files()) {
      measures.files.push_back(file.lexically_relative(plan.directory()).string());
    }
  }
}

namespace {

/// `processes` on this machine are asked at the same time.
double bandwidth_of_cpu(const RunFacts& facts, int processes) {
  try {
    ThreadTeam team(facts.threads);
    return copy_bandwidth(team, processes, facts.needed_here / 2).best;
  } catch (const Error&) {  // too little memory: reports do without
    return 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

double bandwidth_of_rank(GridState& grid, const RunFacts& facts, int processes) {
  double of_gpus = 0;
  for (Executor* executor : domain_of(grid).executors()) {
    if (DeviceMemory* device = executor->device_memory()) of_gpus += device->copy_bandwidth();
  }
  if (of_gpus > 0 && !domain_of(grid).is_mixed()) return of_gpus;
  return of_gpus + bandwidth_of_cpu(facts, processes);
}

}  // namespace

double measured_copy_bandwidth(GridState& grid, const RunFacts& facts) {
  Communicator& ranks = *grid.context->communicator();
  std::array<Index, 1> processes{1};
  sum_over_machine(ranks, processes);
  ranks.barrier();
  const double of_rank = bandwidth_of_rank(grid, facts, static_cast<int>(processes[0]));
  std::array<std::uint64_t, 1> bytes{static_cast<std::uint64_t>(of_rank)};
  ranks.sum(bytes);
  return static_cast<double>(bytes[0]);
}

}  // namespace goban
