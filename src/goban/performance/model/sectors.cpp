#include "goban/performance/model/sectors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace goban {
namespace {

/// What is read and written at a time, and where rows begin.
constexpr double sector_bytes = 32;

/// Offsets of a cell's neighbours along each axis.
struct Window {
  Index3 first{}, last{};
};

/// What is read of the components of arguments.
std::map<std::pair<int, int>, Window> windows_of(const Footprint& footprint) {
  std::map<std::pair<int, int>, Window> windows;
  for (const Read& read : footprint.reads) {
    const Index3 offset{read.offset[0], read.offset[1], read.offset[2]};
    const auto [at, is_new] =
        windows.try_emplace({read.parameter, read.component}, Window{offset, offset});
    for (int a = 0; a < 3 && !is_new; ++a) {
      at->second.first[a] = std::min(at->second.first[a], offset[a]);
      at->second.last[a] = std::max(at->second.last[a], offset[a]);
    }
  }
  return windows;
}

}  // namespace

RowPart row_part(Index begin, Index end, double value_bytes) {
  const double first = static_cast<double>(begin) * value_bytes / sector_bytes;
  const double last = static_cast<double>(end) * value_bytes / sector_bytes;
  const double partial = (first != std::floor(first) ? 1 : 0) + (last != std::ceil(last) ? 1 : 0);
  return {(std::ceil(last) - std::floor(first)) * sector_bytes, partial * sector_bytes};
}

const std::array<int, 3>& order_of(const Instance& instance, const Slots& slots) {
  const auto last = std::find_if(instance.slot.rbegin(), instance.slot.rend(),
                                 [](int slot) { return slot >= 0; });
  return last == instance.slot.rend() ? ijk::order : slots.field(*last).order;
}

double traffic(const Instance& instance, const Slots& slots, const Box& box) {
  const auto& [fast, middle, slow] = order_of(instance, slots);
  double bytes = 0;
  for (const auto& [what, window] : windows_of(instance.stage->footprint)) {
    const int slot = instance.slot[static_cast<std::size_t>(what.first)];
    if (slot < 0) continue;
    const auto size = static_cast<double>(slots.field(slot).element_size());
    const auto along = [&, &reach = window](int axis) {
      return static_cast<double>(box.extent(axis) + reach.last[axis] - reach.first[axis]);
    };
    bytes +=
        along(middle) * along(slow) *
        row_part(box.lower[fast] + window.first[fast], box.upper[fast] + window.last[fast], size)
            .bytes;
  }
  const auto rows = static_cast<double>(box.extent(middle) * box.extent(slow));
  for (std::size_t a = 0; a < instance.slot.size(); ++a) {
    if (instance.slot[a] < 0 || instance.writes[a] < 0) continue;
    const FieldRecord& field = slots.field(instance.slot[a]);
    const RowPart part =
        row_part(box.lower[fast], box.upper[fast], static_cast<double>(field.element_size()));
    bytes += rows * field.components * (part.bytes + part.partial);
  }
  return bytes / static_cast<double>(std::max<Index>(1, box.volume()));
}

}  // namespace goban
