#include "goban/domain/decomposition/grid_cost.hpp"

#include <algorithm>
#include <array>

#include "goban/field/record.hpp"

namespace goban {
namespace {

/// The two neighbours along an axis, of the piece that has the slowest way to one.
std::array<const LinkModel*, 2> ways_along(int axis, const ProcessGrid& pieces,
                                           const PieceRates& rates) {
  const Index all = pieces.all[axis], of_machine = pieces.of_machine[axis],
              of_process = pieces.of_process[axis];
  const LinkModel *in_process = &rates.in_process, *in_machine = &rates.in_machine,
                  *between = &rates.between_machines;
  if (all > of_machine) {
    return {between, of_machine == 1 ? between : of_machine > of_process ? in_machine : in_process};
  }
  if (of_machine > of_process) return {in_machine, of_process == 1 ? in_machine : in_process};
  return {in_process, in_process};
}

/// The way of a link that is made slow, which begins where messages between ranks do.
LinkModel slowed(LinkModel way, const LinkModel& link) {
  return {way.latency + link.latency, std::min(way.bytes_per_second, link.bytes_per_second)};
}

}  // namespace

// On 2 cores of an Intel Xeon: docs/performance.md, "Which process grid".
PieceRates cpu_rates(int threads) {
  PieceRates rates;
  rates.sweep = 14e9 * threads;  // 25 GB/s a thread alone and in cache, 7.6 of 16
  rates.row_loss = 32;
  rates.gather = {8e-9, 2e-9, 0};
  rates.in_process = {0.5e-6, 7e9};
  rates.in_machine = {1.4e-6, 1.9e9};
  rates.between_machines = {5e-6, 1e9};  // not measured: 100 Gbit/s that a dozen ranks share
  return rates;
}

// On H200s: benchmarks/records/2026-11-22-h200x4-exchange.json, -h200x2-stores.json and, by the
// host, -h200x2-transports.json.
PieceRates gpu_rates(Transport transport) {
  PieceRates rates;
  rates.sweep = 3.3e12;
  rates.gather = {0.1e-9, 0.015e-9, 0};
  rates.in_process = {0.8e-6, 0.87e12};
  rates.in_machine = {0.95e-6, 0.6e12};
  const LinkModel nccl{13e-6, 0.25e12}, host{23e-6, 1.4e9};
  if (transport == Transport::nccl) rates.in_machine = nccl;
  if (transport == Transport::mpi || transport == Transport::host) rates.in_machine = host;
  // Not measured: 200 Gbit/s a GPU.
  rates.between_machines = {std::max(nccl.latency, rates.in_machine.latency),
                            std::min(25e9, rates.in_machine.bytes_per_second)};
  return rates;
}

StepModel step_model_of(const GridState& grid) {
  const Settings& settings = grid.context->settings();
  std::array<std::int64_t, 1> threads{std::max(1, settings.threads)};
  grid.context->communicator()->minimum(threads);  // all ranks cut alike
  StepModel model;
  model.rates = settings.backend == Backend::cuda ? gpu_rates(settings.transport)
                                                  : cpu_rates(static_cast<int>(threads[0]));
  for (LinkModel* way : {&model.rates.in_machine, &model.rates.between_machines}) {
    *way = slowed(*way, settings.link);
  }
  for (int a = 0; a < 3; ++a) model.is_periodic[static_cast<std::size_t>(a)] = grid.is_periodic(a);
  double bytes = 0, values = 0;
  for (const auto& field : grid.fields) {
    values += field->components;
    bytes += field->components * static_cast<double>(field->element_size());
  }
  if (values == 0) return model;
  // What is declared is read or written once a step. Half of it are next values, and of what is
  // read half is not read across a face: 5 of 19 populations, coefficients.
  model.bytes_per_cell = bytes;
  model.bytes_per_value = bytes / values;
  model.halo_values = std::max(1.0, values / 4);
  return model;
}

StepCost step_cost(Index3 cells, const ProcessGrid& pieces, const StepModel& model) {
  const PieceRates& rates = model.rates;
  const auto volume = static_cast<double>(product(cells));
  const double rows = volume / static_cast<double>(cells[0]);
  StepCost cost;
  cost.sweep = (volume + rates.row_loss * rows) * model.bytes_per_cell / rates.sweep;
  for (int a = 0; a < 3; ++a) {
    if (pieces.all[a] == 1) continue;
    const auto axis = static_cast<std::size_t>(a);
    const double values = volume / static_cast<double>(cells[a]) * model.halo_values;
    const auto ways = ways_along(a, pieces, rates);
    const bool has_two = pieces.all[a] > 2 || model.is_periodic[axis];
    for (const LinkModel* way : {ways[0], has_two ? ways[1] : nullptr}) {
      if (way == nullptr) continue;
      cost.halo += way->latency +
                   values * (rates.gather[axis] + model.bytes_per_value / way->bytes_per_second);
    }
  }
  return cost;
}

}  // namespace goban
