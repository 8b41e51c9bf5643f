#include "goban/backend/host/fill.hpp"

#include <algorithm>
#include <cstring>

#include "goban/boundary/ghost_formula.hpp"

namespace goban::host {
namespace {

using Form = GhostFormula::Form;

/// Layers beyond the face, from 1; 0 for the wall face itself.
Index depth_of(const FillTask& task, Index i) {
  if (task.side == Side::low) return -i;
  return task.staggered ? i - task.cells : i - task.cells + 1;
}

/// Converts a number to the element type; integers wrap.
template <class T>
T from_number(double value) {
  if constexpr (std::is_same_v<T, half>) {
    return half(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T from_arithmetic(ArithmeticOf<T> value) {
  return static_cast<T>(value);
}

template <class T>
ArithmeticOf<T> number(T element) {
  return static_cast<ArithmeticOf<T>>(element);
}

/// The value in a type whose overflow is defined.
template <class A>
auto wrapping(A value) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<std::uint32_t>(value);
  } else {
    return value;
  }
}

template <class T>
T custom_value(const FillTask& task, const T* cell, Index3 at, Index depth) {
  const Index stride = task.field.stride[static_cast<std::size_t>(task.axis)];
  GhostCell ghost;
  ghost.depth = static_cast<int>(depth);
  ghost.component = task.component;
  ghost.index = at + task.first;
  for (int a = 0; a < 3; ++a) {
    // Beyond a periodic edge it is the owner's ghost cell.
    const Index period = task.period[a];
    if (period > 0) ghost.index[a] = (ghost.index[a] % period + period) % period;
    ghost.position[a] = task.origin[a] + static_cast<double>(ghost.index[a]) * task.spacings[a];
  }
  ghost.time = task.time;
  ghost.available = static_cast<int>(std::min<Index>(task.inside, GhostCell::most));
  const Index inward = task.side == Side::low ? stride : -stride;
  const T* face = cell + inward * (task.staggered ? depth + 1 : depth);
  for (int n = 0; n < ghost.available; ++n) {
    ghost.values[static_cast<std::size_t>(n)] = static_cast<double>(number(face[inward * n]));
  }
  return from_number<T>((*task.condition.rule)(ghost));
}

/// Calls f(cell pointer, index) for all cells of a box one layer thick along the task's axis.
template <class T, class F>
void visit_layer(const FillTask& task, const Box& layer, F&& f) {
  T* const base = reinterpret_cast<T*>(task.field.write);
  const auto [fast, middle, slow] = task.order;
  const auto& stride = task.field.stride;
  const Index rows = stride[middle];
  Index3 at;
  for (at[slow] = layer.lower[slow]; at[slow] < layer.upper[slow]; ++at[slow]) {
    at[fast] = layer.lower[fast];
    at[middle] = layer.lower[middle];
    T* plane = base + at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2];
    const Index count = layer.extent(middle), n = layer.extent(fast);
    if (task.axis == fast) {
      for (Index m = 0; m < count; ++m, ++at[middle]) f(plane + m * rows, at);
    } else {
      for (Index m = 0; m < count; ++m, ++at[middle]) {
        at[fast] = layer.lower[fast];
        for (Index c = 0; c < n; ++c, ++at[fast]) f(plane + m * rows + c, at);
      }
    }
  }
}

/// One layer of ghost cells: all mirror the same layer of interior cells.
template <class T>
void fill_layer(const FillTask& task, const Box& layer) {
  using A = ArithmeticOf<T>;
  const Index i = layer.lower[task.axis];
  const Index depth = depth_of(task, i);
  const Index to = (mirrored(i, task.cells, task.staggered) - i) *
                   task.field.stride[static_cast<std::size_t>(task.axis)];
  const auto fill = [&](auto&& value) {
    visit_layer<T>(task, layer, [&](T* cell, const Index3& at) { *cell = value(cell, at); });
  };
  if (depth > 0 && task.condition.kind == BoundaryCondition::Kind::custom) {
    return fill([&](T* cell, const Index3& at) { return custom_value(task, cell, at, depth); });
  }
  const double distance =
      task.spacing * static_cast<double>(task.staggered ? 2 * depth : 2 * depth - 1);
  const GhostFormula ghost =
      depth == 0 ? GhostFormula{Form::number, task.condition.value}
                 : ghost_formula(task.condition.kind, task.condition.value, distance);
  const auto number_of_ghost = from_number<A>(ghost.number);
  switch (ghost.form) {
    case Form::number:
      return fill([value = from_number<T>(ghost.number)](T*, const Index3&) { return value; });
    case Form::inside: return fill([=](T* cell, const Index3&) { return cell[to]; });
    case Form::number_minus_inside:
      return fill([=](T* cell, const Index3&) {
        return from_arithmetic<T>(
            static_cast<A>(wrapping(number_of_ghost) - wrapping(number(cell[to]))));
      });
    case Form::inside_plus_number:
      return fill([=](T* cell, const Index3&) {
        return from_arithmetic<T>(
            static_cast<A>(wrapping(number(cell[to])) + wrapping(number_of_ghost)));
      });
  }
}

template <class T>
void fill_typed(const FillTask& task) {
  Box layer = task.box;
  for (Index i = task.box.lower[task.axis]; i < task.box.upper[task.axis]; ++i) {
    layer.lower[task.axis] = i;
    layer.upper[task.axis] = i + 1;
    if (!layer.empty()) fill_layer<T>(task, layer);
  }
}

}  // namespace

void run_fill(const FillTask& task) {
  visit_element(task.type, [&]<class T>(T) { fill_typed<T>(task); });
}

namespace {

/// Rows of a rectangular copy: where they start and how far they lie apart, in bytes.
struct Rows {
  const std::byte* from;
  std::byte* to;
  Index from_middle, from_slow, to_middle, to_slow;
  Index middle, slow;  ///< how many
};

template <class CopyRow>
void each_row(const Rows& rows, CopyRow&& copy_row) {
  for (Index s = 0; s < rows.slow; ++s) {
    const std::byte* from = rows.from + s * rows.from_slow;
    std::byte* to = rows.to + s * rows.to_slow;
    for (Index m = 0; m < rows.middle; ++m) {
      copy_row(from, to);
      from += rows.from_middle;
      to += rows.to_middle;
    }
  }
}

/// A few ghost cells of every row: a call to memcpy would cost more than the copy.
template <std::size_t Bytes>
void copy_column(const Rows& rows) {
  each_row(rows, [](const std::byte* from, std::byte* to) { std::memcpy(to, from, Bytes); });
}

}  // namespace

namespace {

/// Cells of lists, one by one; both boxes count them.
template <class T>
void copy_cells(const CopyTask& task) {
  const auto* const from = reinterpret_cast<const T*>(task.source.read);
  auto* const to = reinterpret_cast<T*>(task.target.write);
  const auto place = [](const std::vector<std::int32_t>& cells, Index i) -> Index {
    return cells.empty() ? i : cells[static_cast<std::size_t>(i)];
  };
  for (Index i = task.target_box.lower[0]; i < task.target_box.upper[0]; ++i) {
    to[place(task.cells->target, i)] = from[place(task.cells->source, i)];
  }
}

}  // namespace

void run_copy(const CopyTask& task) {
  if (task.cells) {
    return visit_element(task.type, [&]<class T>(T) { copy_cells<T>(task); });
  }
  const auto size = static_cast<Index>(size_of(task.type));
  const auto fast = static_cast<std::size_t>(task.order[0]);
  const auto middle = static_cast<std::size_t>(task.order[1]);
  const auto slow = static_cast<std::size_t>(task.order[2]);
  auto start = [&](const FieldBinding& b, const Index3& lower) {
    return (lower[0] * b.stride[0] + lower[1] * b.stride[1] + lower[2] * b.stride[2]) * size;
  };
  const Rows rows{task.source.read + start(task.source, task.source_box.lower),
                  task.target.write + start(task.target, task.target_box.lower),
                  task.source.stride[middle] * size,
                  task.source.stride[slow] * size,
                  task.target.stride[middle] * size,
                  task.target.stride[slow] * size,
                  task.target_box.extent(static_cast<int>(middle)),
                  task.target_box.extent(static_cast<int>(slow))};
  const auto bytes =
      static_cast<std::size_t>(task.target_box.extent(static_cast<int>(fast)) * size);
  switch (bytes) {
    case 1: return copy_column<1>(rows);
    case 2: return copy_column<2>(rows);
    case 4: return copy_column<4>(rows);
    case 8: return copy_column<8>(rows);
    case 12: return copy_column<12>(rows);
    case 16: return copy_column<16>(rows);
    case 24: return copy_column<24>(rows);
    case 32: return copy_column<32>(rows);
    default:
      each_row(rows, [&](const std::byte* from, std::byte* to) { std::memcpy(to, from, bytes); });
  }
}

}  // namespace goban::host
