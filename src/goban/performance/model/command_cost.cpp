#include "goban/performance/model/command_cost.hpp"

#include <algorithm>
#include <cmath>

#include "goban/lowering/gpu_launches.hpp"
#include "goban/performance/model/halo_cost.hpp"
#include "goban/performance/model/sectors.hpp"
#include "goban/performance/model/update_work.hpp"

namespace goban {
namespace {

class Pricing {
 public:
  Pricing(const CostContext& context, int patch)
      : context_(context), device_(context.machine.device), halo_(context), patch_(patch) {}

  double bytes_of(const Sweep& sweep) const { return updates_of(sweep) * moves_of(sweep).bytes; }
  CommandCost of(const Sweep& sweep) const {
    const Stage& stage = stage_of(sweep);
    const double updates = updates_of(sweep), working_set = context_.working_set;
    const Moves moves = moves_of(sweep);
    CommandCost cost;
    cost.bytes = updates * moves.bytes / device_.bandwidth(working_set);
    if (device_.is_gpu && device_.caches_planes) cost.bytes *= traffic_of(sweep);
    if (device_.streams > 0 && working_set > device_.cache_bytes()) {
      cost.bytes += updates * std::max(0.0, moves.streams - 2) / device_.streams;
    }
    const double moves_a_second = device_.moves[static_cast<std::size_t>(kind_of_reads(stage))];
    const UpdateSeconds instructions = seconds_per_update(stage, device_);
    const double at_hand = moves_a_second > 0 ? moves.values / moves_a_second : 0;
    const auto row = static_cast<double>(sweep.box.extent(fast_axis(sweep)));
    const double times = updates / device_.lanes(row * moves.widest);
    cost.operations = device_.beside(times * instructions.operations,
                                     times * (instructions.reads + at_hand), cost.bytes);
    cost.operations += rows_of(sweep) * device_.row;
    cost.launch = device_.launch;
    correct(cost, features_of(sweep, cost, updates, 1));
    cost.halo += halo_.sent(sweep, HaloCost::By::sweep);
    for (const CellCopy& copy : sweep.row_copies) cost.halo += halo_.copied_with_row(copy);
    for (const GhostFill& fill : sweep.row_fills) cost.halo += halo_.filled_with_row(fill);
    return cost;
  }
  /// All steps compute, the first reads what is held and the last writes what is kept. On CPUs the
  /// steps between go through the fastest cache; on GPUs all that is around a cell is in registers.
  CommandCost of(const BlockedSweeps& pass) const {
    CommandCost cost;
    DeviceRates device = device_;
    if (device.is_gpu) device.reads = {};
    double bytes_of_steps = 0, cells = 0, operations = 0, reads = 0, rows = 0;
    for (const BlockedSweeps::Step& step : pass.steps) {
      const double updates = updates_of(step.sweep);
      const UpdateSeconds one = seconds_per_update(stage_of(step.sweep), device);
      operations += updates * one.operations;
      reads += updates * one.reads;
      rows += rows_of(step.sweep);
      bytes_of_steps += updates * moves_of(step.sweep).bytes;
      cells = std::max(cells, static_cast<double>(step.sweep.box.volume()));
      cost.halo += halo_.sent(step.sweep, HaloCost::By::pass);
      if (device.is_gpu) continue;  // ghosts are part of their planes
      for (const GhostFill& fill : step.fills) cost.halo += halo_.filled(fill);
    }
    double bytes = 0;
    for (const BlockedSweeps::Version& version : pass.versions) {
      const FieldRecord& field = context_.slots.field(version.slot);
      const double once = cells * field.components * static_cast<double>(field.element_size());
      bytes += (version.held ? once : 0) + (version.kept ? once : 0);
    }
    cost.bytes = bytes / device_.bandwidth(context_.working_set);
    if (!device_.is_gpu) cost.bytes += bytes_of_steps / device_.levels.front().bandwidth;
    cost.operations = device_.beside(operations, reads, cost.bytes) + rows * device_.row;
    cost.operations /= device_.blocking_efficiency;
    cost.bytes /= device_.blocking_efficiency;
    const auto steps = static_cast<double>(pass.steps.size());
    cost.launch = device_.launch + steps * device_.pass_step;
    cost.launch += std::max(0.0, least_on_gpu(pass) - cost.operations - cost.bytes);
    correct(cost, features_of(pass.steps.back().sweep, cost, cells, steps));
    return cost;
  }
  CommandCost of(const Fill& fill) const { return of_halo(halo_.filled(fill.ghosts)); }
  CommandCost of(const Copy& copy) const { return of_halo(halo_.copied(copy.cells)); }
  CommandCost of(const Post& post) const {
    CommandCost cost = of_halo(halo_.packed(post.messages));
    const double sharing = context_.machine.devices_per_network_link;
    double latency = 0;  // of all that a group of devices exchanges, once
    for (const HaloMessage& message : post.messages) {
      if (message.end != MessageEnd::sends) continue;
      const bool is_near = context_.is_on_this_node(message.rank);
      const LinkModel& link = link_of(post.transport, is_near);
      double bytes = 0;
      for (const CellCopy& piece : message.pieces)
        bytes += halo_.bytes_of(piece.what, piece.target);
      latency = post.transport == Transport::nccl ? std::max(latency, link.latency)
                                                  : latency + link.latency;
      cost.message += (is_near ? 1 : sharing) * bytes / link.bytes_per_second;
      if (is_staged(post.transport, is_near)) {
        cost.copy += 2 * seconds_of(context_.machine.host_copy, bytes);
      }
    }
    cost.message += latency;
    return cost;
  }
  CommandCost of(const Arrive& arrive) const { return of_halo(halo_.packed(arrive.messages)); }
  CommandCost of(const RankBarrier&) const { return of_halo(context_.machine.peer.latency); }
  CommandCost of(const DeviceBarrier&) const { return of_halo(context_.machine.process.latency); }
  CommandCost of(const Reduce&) const {
    CommandCost cost;
    const MachineRates& machine = context_.machine;
    cost.reduction = context_.keeps_results ? machine.loop_reduction : machine.reduction;
    if (context_.ranks > 1) {
      const LinkModel& link =
          context_.machine.network.is_slow() ? context_.machine.network : context_.machine.node;
      cost.reduction += 2 * std::ceil(std::log2(context_.ranks)) * link.latency;
    }
    return cost;
  }
  CommandCost of(const ScalarStage&) const {
    CommandCost cost;
    if (context_.keeps_results) cost.launch = context_.machine.scalar;
    return cost;
  }
  CommandCost of(const Sample&) const {
    CommandCost cost;
    cost.launch = device_.launch;
    return cost;
  }
  /// What the host does in passing.
  template <class Other>
  CommandCost of(const Other&) const {
    return {};
  }

 private:
  SweepFeatures features_of(const Sweep& sweep, const CommandCost& cost, double cells,
                            double steps) const {
    const Moves moves = moves_of(sweep);
    const double reads = work_of_update(stage_of(sweep), device_.is_gpu).reads;
    return {cells,        context_.working_set,       reads, moves.values,
            moves.widest, cost.share_of_operations(), steps};
  }
  /// Corrects a cost by what measured sweeps like it deviate.
  void correct(CommandCost& cost, const SweepFeatures& features) const {
    const double factor = correction(device_.deviations, features);
    for (double* part : {&cost.operations, &cost.bytes, &cost.launch}) *part *= factor;
  }
  /// Bytes that memory moves for an update, to those of an update of the patch as a whole, at which
  /// rates are measured. So rows of wide halos take longer, and thin boxes. Sweeps of a region
  /// find in cache what those before them in their bundle have read.
  double traffic_of(const Sweep& sweep) const {
    const Instance& it = instance_of(sweep);
    const Stage& stage = *it.stage;
    const auto written =
        std::find_if(it.writes.begin(), it.writes.end(), [](int v) { return v >= 0; });
    if (stage.columns || stage.region || it.spans_grids || patch_ < 0) return 1;
    if (written == it.writes.end()) return 1;
    const auto first = static_cast<std::size_t>(written - it.writes.begin());
    const Location location = context_.slots.field(it.slot[first]).location;
    const Box whole = context_.schedule.patches[patch_].owned_local(location);
    const double moved = traffic(it, context_.slots, sweep.box);
    const double of_whole = traffic(it, context_.slots, whole);
    return of_whole > 0 ? moved / of_whole : 1;
  }
  const Instance& instance_of(const Sweep& sweep) const {
    return context_.schedule.cycle.instances[static_cast<std::size_t>(sweep.instance)];
  }
  static double updates_of(const Sweep& sweep) { return static_cast<double>(sweep.box.volume()); }
  const Stage& stage_of(const Sweep& sweep) const { return *instance_of(sweep).stage; }
  const std::array<int, 3>& order_of(const Sweep& sweep) const {
    return goban::order_of(instance_of(sweep), context_.slots);
  }
  int fast_axis(const Sweep& sweep) const { return order_of(sweep)[0]; }
  double rows_of(const Sweep& sweep) const {
    return updates_of(sweep) /
           static_cast<double>(std::max<Index>(1, sweep.box.extent(fast_axis(sweep))));
  }
  /// What an update reads and writes at its cell.
  struct Moves {
    double values = 0, bytes = 0;
    double streams = 0;  ///< values; those that are read and written lie in one place
    double widest = 1;   ///< bytes of a value
  };
  /// What a sweep moves at a cell; values on other grids count by their number of cells to one of
  /// this grid.
  Moves moves_of(const Sweep& sweep) const {
    const Instance& it = instance_of(sweep);
    Moves moves;
    if (it.mask_slot >= 0) moves = {1, 1, 1, 1};
    for (std::size_t a = 0; a < it.slot.size(); ++a) {
      if (it.slot[a] < 0) continue;
      const FieldRecord& field = context_.slots.field(it.slot[a]);
      const GridState& grid = *context_.slots.grid(it.slot[a]);
      const double share = static_cast<double>(product(grid.cells)) /
                           static_cast<double>(product(grid.member(it.grid).cells));
      const double values = share * components_moved(sweep, *it.stage, a);
      const auto size = static_cast<double>(field.element_size());
      moves.values += values;
      moves.streams += it.stage->arguments[a].access == Access::inout ? values / 2 : values;
      moves.bytes += size * (device_.caches_planes ? values : share * values_read(*it.stage, a));
      moves.widest = std::max(moves.widest, size);
    }
    if (context_.bytes_told > 0) moves.bytes = context_.bytes_told;
    return moves;
  }
  /// Values of an argument that an update moves where no cache has them.
  static double values_read(const Stage& stage, std::size_t argument) {
    if (stage.arguments[argument].access != Access::in) return components_moved(stage, argument);
    const auto& reads = stage.footprint.reads;
    return static_cast<double>(std::count_if(reads.begin(), reads.end(), [&](const Read& read) {
      return static_cast<std::size_t>(read.parameter) == argument;
    }));
  }
  double least_on_gpu(const BlockedSweeps& pass) const {
    if (device_.pass_plane == 0) return 0;
    const auto steps = static_cast<double>(pass.steps.size());
    const Sweep& sweep = pass.steps.back().sweep;
    Index3 cells;
    for (int position = 0; position < 3; ++position) {
      cells[position] = sweep.box.extent(order_of(sweep)[static_cast<std::size_t>(position)]);
    }
    const auto fields = static_cast<double>(
        std::count_if(pass.versions.begin(), pass.versions.end(),
                      [](const BlockedSweeps::Version& version) { return version.kept; }));
    return planes_of_pass(cells, moves_of(sweep).widest, steps, device_.multiprocessors) * steps *
           fields * device_.pass_plane;
  }
  const LinkModel& link_of(Transport transport, bool is_near) const {
    const MachineRates& machine = context_.machine;
    if (!is_near) return machine.network;
    return transport == Transport::peer   ? machine.peer
           : transport == Transport::nccl ? machine.nccl
                                          : machine.node;
  }
  /// GPUs whose messages go by way of the host; those within a node were measured so.
  bool is_staged(Transport transport, bool is_near) const {
    return device_.is_gpu && !is_near && transport == Transport::host;
  }
  static CommandCost of_halo(double seconds) {
    CommandCost cost;
    cost.halo = seconds;
    return cost;
  }

  const CostContext& context_;
  const DeviceRates& device_;
  HaloCost halo_;
  int patch_;  ///< negative: none
};

}  // namespace

CommandCost& CommandCost::operator+=(const CommandCost& other) {
  operations += other.operations;
  bytes += other.bytes;
  launch += other.launch;
  halo += other.halo;
  reduction += other.reduction;
  copy += other.copy;
  message += other.message;
  return *this;
}

CommandCost CommandCost::operator*(double factor) const {
  return {operations * factor, bytes * factor, launch * factor, halo * factor,
          reduction * factor,  copy * factor,  message * factor};
}

/// Tiles of rows go through the planes, a block on every multiprocessor
/// (backend/cuda/kernels/steps.cuh). Neighbouring tiles overlap by what all steps reach; a block
/// begins with planes that it does not write, and again where it goes on with another tile.
double planes_of_pass(Index3 cells, double bytes, double steps, double multiprocessors) {
  constexpr double tile_bytes = 512, tile_rows = 36, least_planes = 16, pack_bytes = 16;
  const auto tiles = [](Index length, double tile, double beside) {
    const double rest = static_cast<double>(length) + 2 * beside - tile;
    return 1 + std::max(0.0, std::ceil(rest / (tile - 2 * beside)));
  };
  const double pack = pack_bytes / bytes, beside = std::ceil(steps / pack) * pack;
  const auto planes = static_cast<double>(cells[2]);
  const double work =
      tiles(cells[0], tile_bytes / bytes, beside) * tiles(cells[1], tile_rows, steps) * planes;
  const double blocks = std::min(multiprocessors, std::ceil(work / least_planes));
  const double of_block = std::ceil(work / blocks);
  const double beginnings = std::fmod(planes, of_block) == 0 ? 1 : 2;
  return of_block + beginnings * 2 * steps;
}

bool joins_launches(const Command& command, const CostContext& context) {
  constexpr std::size_t bytes_of_many_values = 32;  // of one field of a cell
  const auto* const sweep = std::get_if<Sweep>(&command.what);
  if (!sweep || !context.machine.device.is_gpu) return true;
  const Stage& stage =
      *context.schedule.cycle.instances[static_cast<std::size_t>(sweep->instance)].stage;
  if (stage.kind == Stage::Kind::reduce) return true;
  if (sweep->box.volume() < gpu::least_cells_of_shapes) return true;
  const bool reads_around =
      std::any_of(stage.footprint.reads.begin(), stage.footprint.reads.end(),
                  [](const Read& read) { return read.offset != std::array<int, 3>{}; });
  const auto has_one_shape = [](const StageArgument& argument) {
    if (!argument.field) return false;
    const auto components = static_cast<std::size_t>(argument.field->components);
    return argument.access == Access::inout ||
           components * argument.field->element_size() >= bytes_of_many_values;
  };
  return !reads_around ||
         std::any_of(stage.arguments.begin(), stage.arguments.end(), has_one_shape);
}

double moved_bytes(const Sweep& sweep, const CostContext& context) {
  return Pricing(context, -1).bytes_of(sweep);
}

CommandCost cost(const Command& command, const CostContext& context) {
  return std::visit([&](const auto& what) { return Pricing(context, command.patch).of(what); },
                    command.what);
}

}  // namespace goban
