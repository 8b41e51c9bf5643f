#include "goban/domain/decomposition/grid_cost.hpp"

#include <algorithm>
#include <array>

#include "goban/field/record.hpp"

namespace goban {
namespace {

/// The two neighbours along an axis, of the piece that has the slowest way to one.
std::array<const LinkModel*, 2> ways_along(int axis, const ProcessGrid& pieces,
                                           const NeighborLinks& links) {
  const Index all = pieces.all[axis], of_machine = pieces.of_machine[axis],
              of_process = pieces.of_process[axis];
  const LinkModel *in_process = &links.in_process, *in_machine = &links.in_machine,
                  *between = &links.between_machines;
  if (all > of_machine) {
    return {between, of_machine == 1 ? between : of_machine > of_process ? in_machine : in_process};
  }
  if (of_machine > of_process) return {in_machine, of_process == 1 ? in_machine : in_process};
  return {in_process, in_process};
}

}  // namespace

NeighborLinks links_of(const MachineRates& machine, Transport transport) {
  if (!machine.device.is_gpu) return {machine.process, machine.node, machine.network};
  const bool is_by_host = transport == Transport::mpi || transport == Transport::host;
  const LinkModel& near = is_by_host                     ? machine.node
                          : transport == Transport::nccl ? machine.nccl
                          : machine.peer.is_slow()       ? machine.peer
                                                         : machine.process;
  LinkModel between = machine.network;
  if (is_by_host)
    between = {between.latency + near.latency,
               std::min(between.bytes_per_second, near.bytes_per_second)};
  return {machine.process, near, between};
}

StepModel step_model_of(const GridState& grid, const MachineRates& machine, Transport transport) {
  StepModel model;
  model.device = machine.device;
  model.links = links_of(machine, transport);
  model.room *= std::max(1, grid.context->settings().steps_per_exchange);
  for (int a = 0; a < 3; ++a) model.is_periodic[static_cast<std::size_t>(a)] = grid.is_periodic(a);
  double bytes = 0, values = 0;
  for (const auto& field : grid.root->fields) {
    if (field->grid != grid.number) continue;
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

StepModel step_model_of(const GridState& grid) {
  return step_model_of(grid, grid.context->machine(), grid.context->settings().transport);
}

StepCost step_cost(Index3 cells, const ProcessGrid& pieces, const StepModel& model) {
  const DeviceRates& device = model.device;
  const auto volume = static_cast<double>(product(cells));
  const double rows = volume / static_cast<double>(cells[0]);
  StepCost cost;
  cost.sweep = volume * model.bytes_per_cell / device.memory_bandwidth() + rows * device.row;
  for (int a = 0; a < 3; ++a) {
    if (pieces.all[a] == 1) continue;
    const auto axis = static_cast<std::size_t>(a);
    const double values = volume / static_cast<double>(cells[a]) * model.halo_values;
    const double of_value = a == 0   ? device.gather + device.gather_row
                            : a == 1 ? device.gather_in_rows
                                     : 0;
    const auto ways = ways_along(a, pieces, model.links);
    const bool has_two = pieces.all[a] > 2 || model.is_periodic[axis];
    for (const LinkModel* way : {ways[0], has_two ? ways[1] : nullptr}) {
      if (way == nullptr) continue;
      cost.values += values;
      cost.halo +=
          way->latency + values * (of_value + model.bytes_per_value / way->bytes_per_second);
    }
  }
  return cost;
}

}  // namespace goban
