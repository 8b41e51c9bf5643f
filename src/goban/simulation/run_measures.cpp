#include "goban/simulation/run_measures.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/domain.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"

namespace goban {

double RunMeasures::updates_per_second(const RunFacts& facts, const RunReport& report) const {
  const auto steps = static_cast<double>(report.last_step - report.first_step);
  return loop_seconds > 0 ? facts.cell_count() * steps / loop_seconds : 0;
}

double RunMeasures::predicted_loop_seconds(const RunFacts& facts, Index steps) const {
  const double bytes = facts.cell_count() * static_cast<double>(steps) * facts.bytes_per_update;
  return copy_bandwidth > 0 ? bytes / copy_bandwidth : 0;
}

namespace {

Spread spread_over(Communicator& ranks, double seconds) {
  const auto nanoseconds = static_cast<std::int64_t>(seconds * 1e9);
  std::array<std::uint64_t, 1> total{static_cast<std::uint64_t>(nanoseconds)};
  ranks.sum(total);
  std::array<std::int64_t, 2> ends{nanoseconds, -nanoseconds};
  ranks.maximum(ends);
  std::array<std::int64_t, 1> who{nanoseconds == ends[0] ? ranks.rank() : ranks.size()};
  ranks.minimum(who);
  return {-1e-9 * static_cast<double>(ends[1]), 1e-9 * static_cast<double>(total[0]) / ranks.size(),
          1e-9 * static_cast<double>(ends[0]), static_cast<int>(who[0])};
}

TransportCounts transports_of(Communicator& ranks, const PeerWays& ways) {
  std::array<std::uint64_t, 2> counts{};
  for (const auto& [rank, transport] : ways.neighbors()) {
    if (rank > ranks.rank()) ++counts[transport == Transport::peer ? 0 : 1];
  }
  ranks.sum(counts);
  return {static_cast<Index>(counts[0]), static_cast<Index>(counts[1])};
}

}  // namespace

void complete(RunMeasures& measures, const RunPlan& plan, const Engines& engines) {
  const TimeSplit split = engines.time_split();
  measures.compute_seconds = split.compute;
  measures.halo_seconds = split.halo;
  Communicator& ranks = *plan.communicator();
  measures.compute = spread_over(ranks, measures.compute_seconds);
  measures.halo = spread_over(ranks, measures.halo_seconds);
  measures.output = spread_over(ranks, measures.output_seconds);
  measures.checkpoint = spread_over(ranks, measures.checkpoint_seconds);
  measures.transports = transports_of(ranks, domain_of(*plan.grid.state()).ways());
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

double bandwidth_of_cpu(int threads) {
  try {
    ThreadTeam team(threads);
    return copy_bandwidth(team).best;
  } catch (const Error&) {  // too little memory: reports do without
    return 0;
  }
}

double bandwidth_of_rank(GridState& grid, int threads) {
  double of_gpus = 0;
  for (Executor* executor : domain_of(grid).executors()) {
    if (DeviceMemory* device = executor->device_memory()) of_gpus += device->copy_bandwidth();
  }
  if (of_gpus == 0) return bandwidth_of_cpu(threads);
  return domain_of(grid).is_mixed() ? of_gpus + bandwidth_of_cpu(threads) : of_gpus;
}

}  // namespace

double measured_copy_bandwidth(GridState& grid, int threads) {
  Communicator& ranks = *grid.context->communicator();
  ranks.barrier();
  std::array<std::uint64_t, 1> bytes{static_cast<std::uint64_t>(bandwidth_of_rank(grid, threads))};
  ranks.sum(bytes);
  return static_cast<double>(bytes[0]);
}

}  // namespace goban
