#include "goban/backend/cpu/evaluator/site_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "goban/backend/kernels/list_table.hpp"

namespace goban::cpu {
namespace {

/// Returns the site of the cell that the node refers to.
SiteInfo moved(SiteInfo site, const GraphNode& node) {
  for (std::size_t a = 0; a < 3; ++a) site.index[a] += node.data[1 + a];
  if (node.op == GraphOp::position && node.data[5] != 0) {
    site.offset[static_cast<std::size_t>(node.data[0])] = std::bit_cast<double>(node.data[4]);
  }
  return site;
}

/// Stores ask(site) for each of n cells.
template <class T, class Ask>
void cells_of_site(SiteInfo info, int fast_axis, T* to, Index n, Ask ask) {
  for (Index i = 0; i < n; ++i, ++info.index[static_cast<std::size_t>(fast_axis)])
    to[i] = ask(info);
}

template <class T>
T from_bits(std::int64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class S, class T>
void gather(const IndexMap& map, int axis, Index first, T* to, const S* row, Index n) {
  for (Index i = 0; i < n; ++i) to[i] = static_cast<T>(row[map(axis, first + i)]);
}

}  // namespace

void site_row(const Instruction& it, const RowSite& site, void* to, Index n) {
  const SiteInfo info = moved(site.info, it.node);
  const auto which = static_cast<int>(it.node.data[0]);
  const auto axis = static_cast<Axis>(which);
  const auto cells = [&]<class T>(T* result, const auto& ask) {
    cells_of_site(info, site.fast_axis, result, n, ask);
  };
  if (it.node.op == GraphOp::index) {
    return cells(static_cast<std::int32_t*>(to),
                 [&](const SiteInfo& at) { return index_at(at, axis); });
  }
  const auto floating = [&]<class T>(T) {
    const bool is_position = it.node.op == GraphOp::position;
    cells(static_cast<T*>(to), [&](const SiteInfo& at) {
      return is_position ? position_at<T>(at, axis) : random_at<T>(at, which);
    });
  };
  if (it.lane == Lane::float64) return floating(double{});
  floating(float{});
}

void walled_row(const Instruction& it, const RowSite& site, void* to, const void* operand,
                Index n) {
  const auto axis = static_cast<std::size_t>(it.node.data[0]);
  const bool is_one = it.operands[0].kind == Place::Kind::one;
  const bool has_ends = !site.info.periodic[axis];
  const Index first = site.info.index[axis] + it.node.data[1];
  const Index end = site.info.extents[axis] + it.node.data[4];
  const bool runs_along = it.node.data[0] == site.fast_axis;
  visit_lane(it.lane, [&]<class T>(T) {
    const T low = from_bits<T>(it.node.data[2]), high = from_bits<T>(it.node.data[3]);
    const T* const from = static_cast<const T*>(operand);
    T* const result = static_cast<T*>(to);
    for (Index i = 0; i < n; ++i) result[i] = from[is_one ? 0 : i];
    if (!has_ends) return;
    const Index step = runs_along ? 1 : 0;
    const auto last = [&](Index cells) { return std::clamp<Index>(cells, 0, n); };
    const Index below = step == 1 ? last(-first) : first < 0 ? n : 0;
    const Index from_end = step == 1 ? last(end - first) : first >= end ? 0 : n;
    std::fill(result, result + below, low);
    std::fill(result + from_end, result + n, high);
  });
}

void other_grid_row(const Instruction& it, const RowSite& site, const IndexMap& map, void* to,
                    const void* row, Index n) {
  const int axis = site.fast_axis;
  const Index first = site.info.index[static_cast<std::size_t>(axis)];
  if (it.from == Lane::half) {
    return gather(map, axis, first, static_cast<float*>(to), static_cast<const half*>(row), n);
  }
  visit_lane(it.from, [&]<class T>(T) {
    gather(map, axis, first, static_cast<T*>(to), static_cast<const T*>(row), n);
  });
}

void neighbor_row(const Instruction& instruction, const FieldBinding& table, Index first, void* to,
                  Index n) {
  using device::list_group, device::list_runs;
  const Index offset = instruction.node.data[1], offsets = instruction.node.data[2];
  const auto* const numbers = reinterpret_cast<const std::int32_t*>(table.read);
  const Index stride = device::list_stride(static_cast<int>(offsets));
  device::ListEntry entry{};
  for (Index i = first; i < first + n; ++i) {
    if (i == first || i % list_group == 0) {
      const auto* const group = numbers + i / list_group * stride;
      std::memcpy(entry.first, group + list_runs * offset, sizeof(entry.first));
      std::memcpy(entry.masks, group + list_runs * offsets + 2 * offset, sizeof(entry.masks));
    }
    static_cast<std::int32_t*>(to)[i - first] =
        neighbor_of(entry, numbers, static_cast<int>(i % list_group));
  }
}

void gathered_row(const Instruction& instruction, const FieldBinding& field, Index first, void* to,
                  const void* numbers, Index n) {
  const auto* const there = static_cast<const std::int32_t*>(numbers);
  const auto gather = [&]<class Stored>(Stored) {
    using Number = ArithmeticOf<Stored>;
    const auto* const cells = reinterpret_cast<const Stored*>(field.read);
    const auto* const row = cells + field.component_offset(instruction.node.data[1]);
    const auto* const at_walls = cells + field.component_offset(instruction.node.data[2]) + first;
    auto* const values = static_cast<Number*>(to);
    for (Index i = 0; i < n; ++i) {
      const Index number = there[i];
      values[i] = static_cast<Number>(number < 0 ? at_walls[i] : row[number]);
    }
  };
  switch (instruction.from) {
    case Lane::half: return gather(half{});
    case Lane::int32: return gather(std::int32_t{});
    case Lane::float32: return gather(float{});
    case Lane::float64: return gather(double{});
    default: return gather(std::uint8_t{});
  }
}

}  // namespace goban::cpu
