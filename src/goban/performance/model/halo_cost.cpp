#include "goban/performance/model/halo_cost.hpp"

#include <algorithm>

#include "goban/lowering/gpu_launches.hpp"
#include "goban/performance/model/sectors.hpp"

namespace goban {
namespace {

/// The axis across which a halo is thinnest, by its place in the memory order: 0 at the ends of
/// rows.
std::size_t position_of_halo(const Box& box, const std::array<int, 3>& order) {
  std::size_t position = 2;
  for (std::size_t p = 2; p-- > 0;) {
    if (box.extent(order[p]) < box.extent(order[position])) position = p;
  }
  return position;
}

/// All along these axes of what the sweep writes.
bool spans(const Sweep& sweep, const CellCopy& send, int axis, int other) {
  const auto spans_along = [&](int a) {
    return send.source.lower[a] == sweep.box.lower[a] && send.source.upper[a] == sweep.box.upper[a];
  };
  return spans_along(axis) && spans_along(other);
}

}  // namespace

double HaloCost::filled(const std::vector<GhostFill>& fills) const {
  double seconds = device_.launch;
  for (const GhostFill& fill : fills) seconds += filled(fill);
  return seconds;
}

double HaloCost::copied(const std::vector<CellCopy>& copies) const {
  double seconds = device_.launch + of_more_launches(copies.size(), copies);
  bool is_far = false;
  for (const CellCopy& copy : copies) {
    seconds += copied(copy);
    is_far = is_far || is_between_executors(copy);
  }
  return seconds + (is_far ? context_.machine.process.latency : 0);
}

double HaloCost::packed(const std::vector<HaloMessage>& messages) const {
  double seconds = device_.launch;
  for (const HaloMessage& message : messages) {
    for (const CellCopy& piece : message.pieces) seconds += gathered(piece.what, piece.target);
  }
  return seconds;
}

double HaloCost::sent(const Sweep& sweep, By by) const {
  if (sweep.sends.empty()) return 0;
  const auto copied =
      std::count_if(sweep.sends.begin(), sweep.sends.end(),
                    [&](const CellCopy& send) { return !is_stored(sweep, send, by); });
  double seconds = 0;
  if (device_.is_gpu && copied > 0) {
    seconds += device_.launch + of_more_launches(static_cast<std::size_t>(copied), sweep.sends);
  }
  for (const CellCopy& copy : sweep.sends) seconds += stored(copy);
  return seconds;
}

/// A pass stores whole planes of few components (backend/cuda/launch/sends.cpp), a sweep whole rows
/// of every plane, too, and the ends of all rows.
bool HaloCost::is_stored(const Sweep& sweep, const CellCopy& send, By by) const {
  const Instance& it = context_.schedule.cycle.instances[static_cast<std::size_t>(sweep.instance)];
  const auto& [fast, middle, slow] = order_of(it, context_.slots);
  const bool has_few = context_.slots.field(send.what.slot).components <= gpu::components_sent;
  if (has_few && spans(sweep, send, fast, middle)) return true;
  if (by == By::pass) return false;
  return spans(sweep, send, middle, slow) || (has_few && spans(sweep, send, fast, slow));
}

/// A launch of copies ends when what it stores has arrived.
double HaloCost::of_more_launches(std::size_t pieces, const std::vector<CellCopy>& all) const {
  if (!device_.is_gpu || pieces <= gpu::pieces_of_launch) return 0;
  const bool is_far = std::any_of(all.begin(), all.end(),
                                  [&](const CellCopy& copy) { return is_between_executors(copy); });
  const double arrival = is_far ? context_.machine.process.latency : 0;
  return static_cast<double>((pieces - 1) / gpu::pieces_of_launch) * (device_.launch + arrival);
}

double HaloCost::bytes_of(const Component& what, const Box& box) const {
  return static_cast<double>(box.volume()) *
         static_cast<double>(context_.slots.field(what.slot).element_size());
}

/// Values of a halo beside their bytes.
double HaloCost::apart(const Component& what, const Box& box, Way way) const {
  const FieldRecord& field = context_.slots.field(what.slot);
  const double values = values_of_halo(what, box, way);
  const std::size_t position = position_of_halo(box, field.order);
  if (position > 0) {
    if (way == Way::sent) return values * device_.plane_sends;
    return position == 1 ? values * device_.gather_in_rows : 0;
  }
  if (way == Way::sent) return values * device_.send_at_end(field.element_size());
  const double rows = values / static_cast<double>(box.extent(field.order[0]));
  return values * device_.gather + rows * device_.gather_row;
}

/// The values of a halo; at the ends of rows more are sent than are read.
double HaloCost::values_of_halo(const Component& what, const Box& box, Way way) const {
  const std::array<int, 3>& order = context_.slots.field(what.slot).order;
  const auto values = static_cast<double>(box.volume());
  if (way == Way::filled || position_of_halo(box, order) > 0) return values;
  const Extents& halo = context_.halos[static_cast<std::size_t>(what.slot)];
  const Index sent = box.extent(order[0]);
  const Index read = std::min(std::max(halo.low[order[0]], halo.high[order[0]]), sent);
  return values * static_cast<double>(read) / static_cast<double>(sent);
}

double HaloCost::moved(const Component& what, const Box& box, Way way) const {
  const auto size = static_cast<double>(context_.slots.field(what.slot).element_size());
  const double bytes = 2 * size * values_of_halo(what, box, way);
  return apart(what, box, way) + bytes / device_.memory_bandwidth();
}

/// The seconds of a copy. At the ends of rows a kernel that does nothing else takes as long as one
/// that fills halos, as sweeps have what they send there at hand; rows beside their values only
/// where sectors are written in part.
double HaloCost::copied(const CellCopy& copy) const {
  const FieldRecord& field = context_.slots.field(copy.what.slot);
  const Box& box = copy.target;
  if (!device_.is_gpu || position_of_halo(box, field.order) > 0) return stored(copy);
  const int fast = field.order[0];
  const auto size = static_cast<double>(field.element_size());
  const bool are_whole = row_part(box.lower[fast], box.upper[fast], size).partial == 0;
  const double rows = are_whole ? 0 : static_cast<double>(box.volume() / box.extent(fast));
  const double values = values_of_halo(copy.what, box, Way::sent);
  const double of_value = std::max(device_.gather, device_.send_at_end(field.element_size()));
  return values * (of_value + 2 * size / device_.memory_bandwidth()) + rows * device_.gather_row +
         on_link(copy);
}

double HaloCost::on_link(const CellCopy& copy) const {
  if (!is_between_executors(copy)) return 0;
  const bool is_far = context_.executor_of(copy.to) < 0;
  const LinkModel& link = is_far ? context_.machine.peer : context_.machine.process;
  return bytes_of(copy.what, copy.target) / link.bytes_per_second;
}

}  // namespace goban
