#include "goban/performance/model/command_cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "goban/stencil/graph/graph.hpp"

namespace goban {
namespace {

/// A mathematical function is made of about as many operations.
constexpr double operations_of_function = 20;
/// So is a division or a root.
constexpr double operations_of_division = 10;

bool is_function(GraphOp op) { return op >= GraphOp::cbrt && op <= GraphOp::atan2; }

double operations_of(GraphOp op) {
  switch (op) {
    case GraphOp::constant:
    case GraphOp::read:
    case GraphOp::value:
    case GraphOp::walled:
    case GraphOp::within: return 0;
    case GraphOp::divide:
    case GraphOp::reciprocal:
    case GraphOp::sqrt: return operations_of_division;
    default: return is_function(op) ? operations_of_function : 1;
  }
}

/// On floating-point numbers, of what differs from cell to cell.
double operations_of(const Graph& graph) {
  double operations = 0;
  for (const GraphNode& node : graph.nodes()) {
    const GraphType& type = node.type;
    if (type.kind == GraphType::Kind::floating && type.varies) operations += operations_of(node.op);
  }
  return operations;
}

Arithmetic arithmetic_of(const Stage& stage) {
  for (const StageArgument& argument : stage.arguments) {
    if (argument.field && argument.field->type == ElementType::float64) {
      return Arithmetic::double_precision;
    }
  }
  return Arithmetic::single_precision;
}

/// What is read of each component beside one value of it.
double reads_around(const Footprint& footprint, std::size_t fast, bool is_gpu) {
  std::set<std::pair<int, int>> components;
  double reads = 0;
  for (const Read& read : footprint.reads) {
    components.insert({read.parameter, read.component});
    reads += !is_gpu && read.offset[fast] != 0 ? 2 : 1;
  }
  return reads - static_cast<double>(components.size());
}

/// Of values that the stage reads.
Arithmetic kind_of_reads(const Stage& stage) {
  const auto reads = [&](ElementType type) {
    return std::any_of(stage.arguments.begin(), stage.arguments.end(),
                       [&](const auto& it) { return it.field && it.field->type == type; });
  };
  if (reads(ElementType::float64)) return Arithmetic::double_precision;
  const bool has_floats = reads(ElementType::float32) || reads(ElementType::half);
  return has_floats ? Arithmetic::single_precision : Arithmetic::integer;
}

std::size_t fast_axis_of(const Stage& stage) {
  for (const StageArgument& argument : stage.arguments) {
    if (argument.field) return static_cast<std::size_t>(argument.field->order[0]);
  }
  return static_cast<std::size_t>(ijk::order[0]);
}

/// Of the axis across which a halo is thinnest, in the memory order: 0 at the ends of rows.
std::size_t position_of_halo(const Box& box, const std::array<int, 3>& order) {
  std::size_t position = 2;
  for (std::size_t p = 2; p-- > 0;) {
    if (box.extent(order[p]) < box.extent(order[position])) position = p;
  }
  return position;
}

/// What GPUs read and write at a time, and where rows begin.
constexpr double sector_bytes = 32;
/// That one launch copies (backend/cuda/kernels/copy.cuh).
constexpr std::size_t pieces_of_launch = 40;

/// Offsets of a cell's neighbours along each axis.
struct Window {
  Index3 first{}, last{};
};

/// Part of a row that is read or written.
struct RowPart {
  double bytes = 0;    ///< of all sectors that it touches
  double partial = 0;  ///< of those that it does not fill
};
RowPart row_part(Index begin, Index end, double value_bytes) {
  const double first = static_cast<double>(begin) * value_bytes / sector_bytes;
  const double last = static_cast<double>(end) * value_bytes / sector_bytes;
  const double partial = (first != std::floor(first) ? 1 : 0) + (last != std::ceil(last) ? 1 : 0);
  return {(std::ceil(last) - std::floor(first)) * sector_bytes, partial * sector_bytes};
}

class Pricing {
 public:
  Pricing(const CostContext& context, int patch)
      : context_(context), device_(context.machine.device), patch_(patch) {}

  CommandCost of(const Sweep& sweep) const {
    const Stage& stage = stage_of(sweep);
    const double updates = updates_of(sweep), working_set = context_.working_set;
    const Moves moves = moves_of(sweep);
    CommandCost cost;
    cost.bytes = updates * moves.bytes / device_.bandwidth(working_set);
    if (device_.is_gpu) cost.bytes *= traffic_of(sweep);
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
    cost.halo += sent(sweep, &Pricing::is_stored);
    // While the rows are in cache.
    for (const CellCopy& copy : sweep.row_copies) {
      cost.halo += apart(copy.what, copy.target, Way::sent);
    }
    for (const GhostFill& fill : sweep.row_fills) {
      cost.halo += apart(fill.what, fill.box, Way::filled);
    }
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
      cost.halo += sent(step.sweep, &Pricing::is_stored_by_pass);
      if (device.is_gpu) continue;  // ghosts are part of their planes
      for (const GhostFill& fill : step.fills) cost.halo += gathered(fill.what, fill.box);
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
    const double least = device_.is_gpu ? least_on_gpu(pass) : steps * device_.least_pass;
    cost.launch = device_.launch + std::max(0.0, least - cost.operations - cost.bytes);
    correct(cost, features_of(pass.steps.back().sweep, cost, cells, steps));
    return cost;
  }
  CommandCost of(const Fill& fill) const {
    CommandCost cost;
    cost.halo = launch_of_halos();
    for (const GhostFill& ghosts : fill.ghosts) cost.halo += gathered(ghosts.what, ghosts.box);
    return cost;
  }
  CommandCost of(const Copy& copy) const {
    CommandCost cost;
    cost.halo = launch_of_halos() + of_more_launches(copy.cells.size(), copy.cells);
    bool is_far = false;
    for (const CellCopy& cells : copy.cells) {
      cost.halo += copied(cells);
      is_far = is_far || is_between_executors(cells);
    }
    if (is_far) cost.halo += context_.machine.process.latency;
    return cost;
  }
  CommandCost of(const Post& post) const {
    CommandCost cost = packed(post.messages);
    const double sharing = context_.machine.devices_per_network_link;
    double latency = 0;  // of all that a group of devices exchanges, once
    for (const HaloMessage& message : post.messages) {
      if (message.end != MessageEnd::sends) continue;
      const bool is_near = context_.is_on_this_node(message.rank);
      const LinkModel& link = link_of(post.transport, is_near);
      double bytes = 0;
      for (const CellCopy& piece : message.pieces) bytes += bytes_of(piece.what, piece.target);
      latency = post.transport == Transport::nccl ? std::max(latency, link.latency)
                                                  : latency + link.latency;
      cost.message += (is_near ? 1 : sharing) * bytes / link.bytes_per_second;
      if (is_staged(post.transport, is_near)) {
        cost.message += 2 * seconds_of(context_.machine.host_copy, bytes);
      }
    }
    cost.message += latency;
    return cost;
  }
  CommandCost of(const Arrive& arrive) const { return packed(arrive.messages); }
  CommandCost of(const RankBarrier&) const { return wait_of(context_.machine.peer); }
  CommandCost of(const DeviceBarrier&) const { return wait_of(context_.machine.process); }
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
  /// By what measured sweeps like it deviate; they were measured outside loops, in which launches
  /// may take longer.
  void correct(CommandCost& cost, const SweepFeatures& features) const {
    const double factor = correction(device_.deviations, features);
    for (double* part : {&cost.operations, &cost.bytes, &cost.launch}) *part *= factor;
    const double in_loop = context_.is_looped ? context_.machine.loop_launch : 0;
    cost.launch += std::max(0.0, in_loop - device_.launch);
  }
  /// Stores into halos of others.
  double sent(const Sweep& sweep,
              bool (Pricing::*is_stored)(const Sweep&, const CellCopy&) const) const {
    if (sweep.sends.empty()) return 0;
    const auto copied =
        std::count_if(sweep.sends.begin(), sweep.sends.end(),
                      [&](const CellCopy& send) { return !(this->*is_stored)(sweep, send); });
    double seconds = device_.send;
    if (device_.is_gpu && copied > 0) {
      seconds +=
          launch_of_halos() + of_more_launches(static_cast<std::size_t>(copied), sweep.sends);
    }
    for (const CellCopy& copy : sweep.sends) seconds += stored(copy);
    return seconds;
  }
  /// All along these axes of what the sweep writes.
  static bool spans(const Sweep& sweep, const CellCopy& send, int axis, int other) {
    const auto spans_along = [&](int a) {
      return send.source.lower[a] == sweep.box.lower[a] &&
             send.source.upper[a] == sweep.box.upper[a];
    };
    return spans_along(axis) && spans_along(other);
  }
  bool has_few_components(const CellCopy& send) const {
    constexpr int few = 4;
    return context_.slots.field(send.what.slot).components <= few;
  }
  /// A pass stores whole planes of few components (backend/cuda/launch/sends.cpp), a sweep whole
  /// rows of every plane, too, and the ends of all rows.
  bool is_stored_by_pass(const Sweep& sweep, const CellCopy& send) const {
    const auto& [fast, middle, slow] = order_of(sweep);
    return has_few_components(send) && spans(sweep, send, fast, middle);
  }
  bool is_stored(const Sweep& sweep, const CellCopy& send) const {
    const auto& [fast, middle, slow] = order_of(sweep);
    return spans(sweep, send, middle, slow) || is_stored_by_pass(sweep, send) ||
           (has_few_components(send) && spans(sweep, send, fast, slow));
  }
  /// Of a kernel that fills or copies halos alone.
  double launch_of_halos() const { return device_.fill > 0 ? device_.fill : device_.launch; }
  /// Of so many pieces of these. A launch of copies ends when what it stores has arrived.
  double of_more_launches(std::size_t pieces, const std::vector<CellCopy>& all) const {
    if (!device_.is_gpu || pieces <= pieces_of_launch) return 0;
    const bool is_far = std::any_of(
        all.begin(), all.end(), [&](const CellCopy& copy) { return is_between_executors(copy); });
    const double arrival = is_far ? context_.machine.process.latency : 0;
    return static_cast<double>((pieces - 1) / pieces_of_launch) * (launch_of_halos() + arrival);
  }
  /// Bytes that memory moves for an update, to those of an update of the patch as a whole, at which
  /// rates are measured: cells around a box are read, too, and sectors as a whole, also those of
  /// which a part is written. So rows of wide halos take longer, and thin boxes. Sweeps of a region
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
    const double moved = traffic(sweep, sweep.box), of_whole = traffic(sweep, whole);
    return of_whole > 0 ? moved / of_whole : 1;
  }
  /// Of an update of the cells of a box.
  double traffic(const Sweep& sweep, const Box& box) const {
    const Instance& it = instance_of(sweep);
    const auto& [fast, middle, slow] = order_of(sweep);
    std::map<std::pair<int, int>, Window> windows;  // by argument and component
    for (const Read& read : it.stage->footprint.reads) {
      const Index3 offset{read.offset[0], read.offset[1], read.offset[2]};
      const auto [at, is_new] =
          windows.try_emplace({read.parameter, read.component}, Window{offset, offset});
      for (int a = 0; a < 3 && !is_new; ++a) {
        at->second.first[a] = std::min(at->second.first[a], offset[a]);
        at->second.last[a] = std::max(at->second.last[a], offset[a]);
      }
    }
    double bytes = 0;
    for (const auto& [what, window] : windows) {
      const int slot = it.slot[static_cast<std::size_t>(what.first)];
      if (slot < 0) continue;
      const auto size = static_cast<double>(context_.slots.field(slot).element_size());
      const auto along = [&](int axis) {
        return static_cast<double>(box.extent(axis) + window.last[axis] - window.first[axis]);
      };
      bytes +=
          along(middle) * along(slow) *
          row_part(box.lower[fast] + window.first[fast], box.upper[fast] + window.last[fast], size)
              .bytes;
    }
    const auto rows = static_cast<double>(box.extent(middle) * box.extent(slow));
    for (std::size_t a = 0; a < it.slot.size(); ++a) {
      if (it.slot[a] < 0 || it.writes[a] < 0) continue;
      const FieldRecord& field = context_.slots.field(it.slot[a]);
      const RowPart part =
          row_part(box.lower[fast], box.upper[fast], static_cast<double>(field.element_size()));
      bytes += rows * field.components * (part.bytes + part.partial);
    }
    return bytes / static_cast<double>(std::max<Index>(1, box.volume()));
  }
  const Instance& instance_of(const Sweep& sweep) const {
    return context_.schedule.cycle.instances[static_cast<std::size_t>(sweep.instance)];
  }
  static double updates_of(const Sweep& sweep) { return static_cast<double>(sweep.box.volume()); }
  const Stage& stage_of(const Sweep& sweep) const { return *instance_of(sweep).stage; }
  /// The memory order of what it writes.
  const std::array<int, 3>& order_of(const Sweep& sweep) const {
    const Instance& it = instance_of(sweep);
    const auto last = std::find_if(it.slot.rbegin(), it.slot.rend(), [](int s) { return s >= 0; });
    return last == it.slot.rend() ? ijk::order : context_.slots.field(*last).order;
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
  /// Of other grids as many cells as there are to one.
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
      moves.bytes += values * size;
      moves.widest = std::max(moves.widest, size);
    }
    return moves;
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
  double bytes_of(const Component& what, const Box& box) const {
    return static_cast<double>(box.volume()) *
           static_cast<double>(context_.slots.field(what.slot).element_size());
  }
  enum class Way : std::uint8_t { filled, sent };
  /// Values of a halo beside their bytes.
  double apart(const Component& what, const Box& box, Way way) const {
    const FieldRecord& field = context_.slots.field(what.slot);
    const double values = values_of_halo(what, box, way);
    const std::size_t position = position_of_halo(box, field.order);
    if (position > 0) {
      return values * (way == Way::sent ? device_.sends : device_.gather)[position];
    }
    if (way == Way::sent) return values * device_.send_at_end(field.element_size());
    const double rows = values / static_cast<double>(box.extent(field.order[0]));
    return values * device_.gather[0] + rows * device_.gather_row;
  }
  /// At the ends of rows more are sent than are read.
  double values_of_halo(const Component& what, const Box& box, Way way) const {
    const std::array<int, 3>& order = context_.slots.field(what.slot).order;
    const auto values = static_cast<double>(box.volume());
    if (way == Way::filled || position_of_halo(box, order) > 0) return values;
    const Extents& halo = context_.halos[static_cast<std::size_t>(what.slot)];
    const Index sent = box.extent(order[0]);
    const Index read = std::min(std::max(halo.low[order[0]], halo.high[order[0]]), sent);
    return values * static_cast<double>(read) / static_cast<double>(sent);
  }
  double moved(const Component& what, const Box& box, Way way) const {
    const auto size = static_cast<double>(context_.slots.field(what.slot).element_size());
    const double bytes = 2 * size * values_of_halo(what, box, way);
    return apart(what, box, way) + bytes / device_.memory_bandwidth();
  }
  double gathered(const Component& what, const Box& box) const {
    return moved(what, box, Way::filled);
  }
  bool is_between_executors(const CellCopy& copy) const {
    return context_.executor_of(copy.from) != context_.executor_of(copy.to);
  }
  double stored(const CellCopy& copy) const {
    return moved(copy.what, copy.target, Way::sent) + on_link(copy);
  }
  /// By a kernel that does nothing else. At the ends of rows it takes as long as one that fills
  /// halos, as sweeps have what they send there at hand; rows beside their values only where
  /// sectors are written in part.
  double copied(const CellCopy& copy) const {
    const FieldRecord& field = context_.slots.field(copy.what.slot);
    const Box& box = copy.target;
    if (!device_.is_gpu || position_of_halo(box, field.order) > 0) return stored(copy);
    const int fast = field.order[0];
    const auto size = static_cast<double>(field.element_size());
    const bool are_whole = row_part(box.lower[fast], box.upper[fast], size).partial == 0;
    const double rows = are_whole ? 0 : static_cast<double>(box.volume() / box.extent(fast));
    const double values = values_of_halo(copy.what, box, Way::sent);
    const double of_value = std::max(device_.gather[0], device_.send_at_end(field.element_size()));
    return values * (of_value + 2 * size / device_.memory_bandwidth()) + rows * device_.gather_row +
           on_link(copy);
  }
  double on_link(const CellCopy& copy) const {
    if (!is_between_executors(copy)) return 0;
    const bool is_far = context_.executor_of(copy.to) < 0;
    const LinkModel& link = is_far ? context_.machine.peer : context_.machine.process;
    return bytes_of(copy.what, copy.target) / link.bytes_per_second;
  }
  CommandCost packed(const std::vector<HaloMessage>& messages) const {
    CommandCost cost;
    cost.halo = device_.launch;
    for (const HaloMessage& message : messages) {
      for (const CellCopy& piece : message.pieces) cost.halo += gathered(piece.what, piece.target);
    }
    return cost;
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
  static CommandCost wait_of(const LinkModel& link) {
    CommandCost cost;
    cost.halo = link.latency;
    return cost;
  }

  const CostContext& context_;
  const DeviceRates& device_;
  int patch_;  ///< negative: none
};

}  // namespace

CommandCost& CommandCost::operator+=(const CommandCost& other) {
  operations += other.operations;
  bytes += other.bytes;
  launch += other.launch;
  halo += other.halo;
  reduction += other.reduction;
  message += other.message;
  return *this;
}

CommandCost CommandCost::operator*(double factor) const {
  return {operations * factor, bytes * factor,     launch * factor,
          halo * factor,       reduction * factor, message * factor};
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

UpdateWork work_of_update(const Stage& stage, bool is_gpu) {
  UpdateWork work;
  const auto add = [&](const Footprint& footprint, const Graph* graph) {
    work.operations +=
        graph ? operations_of(*graph)
              : static_cast<double>(footprint.flops) +
                    operations_of_function * static_cast<double>(footprint.special_functions);
    work.integers += static_cast<double>(footprint.integer_operations);
    work.reads += reads_around(footprint, fast_axis_of(stage), is_gpu);
  };
  if (!stage.columns) {
    add(stage.footprint, stage.graph.get());
  } else {
    add(stage.columns->forward.footprint, nullptr);
    add(stage.columns->backward.footprint, nullptr);
  }
  return work;
}

UpdateSeconds seconds_per_update(const Stage& stage, const DeviceRates& device) {
  const UpdateWork work = work_of_update(stage, device.is_gpu);
  const double reads_a_second = device.reads[static_cast<std::size_t>(kind_of_reads(stage))];
  return {work.operations / device.rate(arithmetic_of(stage)) +
              work.integers / device.rate(Arithmetic::integer),
          reads_a_second > 0 ? work.reads / reads_a_second : 0};
}

bool joins_launches(const Command& command, const CostContext& context) {
  constexpr Index least_cells_of_shapes = Index{1} << 18;
  constexpr std::size_t bytes_of_many_values = 32;  // of one field of a cell
  const auto* const sweep = std::get_if<Sweep>(&command.what);
  if (!sweep || !context.machine.device.is_gpu) return true;
  const Stage& stage =
      *context.schedule.cycle.instances[static_cast<std::size_t>(sweep->instance)].stage;
  if (stage.kind == Stage::Kind::reduce || sweep->box.volume() < least_cells_of_shapes) return true;
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

CommandCost cost(const Command& command, const CostContext& context) {
  return std::visit([&](const auto& what) { return Pricing(context, command.patch).of(what); },
                    command.what);
}

}  // namespace goban
