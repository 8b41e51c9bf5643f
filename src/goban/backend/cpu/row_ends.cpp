#include "goban/backend/cpu/row_ends.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "goban/backend/cpu/streaming.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/base/aligned_memory.hpp"

namespace goban::cpu {
namespace {

/// Returns memory of the calling thread, on whole lines, which grows as needed.
std::byte* scratch(Index bytes) {
  thread_local AlignedMemory memory;
  thread_local Index size = 0;
  if (bytes > size) {
    size = round_up(bytes, 4096);
    memory = aligned_memory(static_cast<std::size_t>(size), 4096);
    std::memset(memory.get(), 0, static_cast<std::size_t>(size));
  }
  return memory.get();
}

void stream_line(std::byte* to, const std::byte* from) {
  for (Index at = 0; at < 64; at += 16) stream_16(to + at, load_16(from + at));
}

/// Streams a line whose bytes come from `low` before `cut`, and from `high` from `cut` on.
void stream_joined(std::byte* to, const std::byte* low, const std::byte* high, Index cut) {
  static constexpr auto set_from_64 = [] {
    std::array<std::uint8_t, 128> table{};
    for (std::size_t i = 64; i < 128; ++i) table[i] = 0xff;
    return table;
  }();
  for (Index at = 0; at < 64; at += 16) {
    const Bytes16 from_high = load_16(set_from_64.data() + 64 - cut + at);
    stream_16(to + at, (from_high & load_16(high + at)) | (~from_high & load_16(low + at)));
  }
}

/// Returns whether a task covers all rows of the sweep, so that it can be done for some rows at a
/// time.
bool covers_rows(const Box& piece, const Box& sweep) {
  for (int a = 1; a < 3; ++a) {
    if (piece.lower[a] > sweep.lower[a] || piece.upper[a] < sweep.upper[a]) return false;
  }
  return true;
}

}  // namespace

RowEnds::RowEnds(const SweepTask& task, Index planes, Index rows)
    : task_(task),
      middle_(static_cast<std::size_t>(task.order[1])),
      slow_(static_cast<std::size_t>(task.order[2])),
      planes_(planes),
      rows_(rows),
      bindings_(task.fields.size()),
      copies_(task.edge_copies),
      fills_(task.edge_fills) {
  for (const auto& copy : copies_) {
    add(copy.target, copy.type, copy.target_box, copy.source_box);
    const Index3 by = copy.source_box.lower - copy.target_box.lower;
    is_possible_ = is_possible_ && by[1] == 0 && by[2] == 0;
  }
  for (const auto& fill : fills_) {
    // Ghosts mirror as many cells as there are, one more beside a wall face.
    Box source = fill.box;
    const Index most = fill.box.extent(0) + 1;
    source.lower[0] = fill.side == Side::low ? 0 : fill.box.lower[0] - most;
    source.upper[0] = fill.side == Side::low ? fill.box.upper[0] + most : fill.box.lower[0];
    add(fill.field, fill.type, fill.box, source);
  }
  for (auto& component : components_) cut(component);
  if (is_possible_) allocate();
}

/// Returns the component that a binding stores. It belongs to the output whose cell (0, 0, 0) is
/// the nearest before that of the binding: memories of fields do not overlap, but their distance
/// may be less than that of components, as halos differ.
RowEnds::Component& RowEnds::component_of(const FieldBinding& binding, ElementType type) {
  const auto element = static_cast<Index>(size_of(type));
  std::optional<std::size_t> output;
  for (std::size_t a = 0; a < task_.fields.size(); ++a) {
    const StageArgument& argument = task_.stage->arguments[a];
    if (argument.kind != StageArgument::Kind::field || argument.access == Access::in) continue;
    if (task_.fields[a].write > binding.write) continue;
    if (!output || task_.fields[a].write > task_.fields[*output].write) output = a;
  }
  if (!output) {
    throw std::logic_error("the ghosts of " + task_.stage->name + " belong to no output");
  }
  const FieldBinding& first = task_.fields[*output];
  const Index c = (binding.write - first.write) / (first.component_stride * element);
  for (auto& known : components_) {
    if (known.argument == *output && known.component == c) return known;
  }
  Component& added = components_.emplace_back();
  added.argument = *output;
  added.component = c;
  added.element = element;
  return added;
}

/// Notes which ghosts are made, and from which cells.
void RowEnds::add(const FieldBinding& binding, ElementType type, const Box& target,
                  const Box& source) {
  Component& component = component_of(binding, type);
  const Index end = std::min(task_.box.upper[0], task_.fields[component.argument].clip.upper[0]);
  if (target.lower[0] < end / 2) {
    component.left = std::max(component.left, -target.lower[0]);
    component.set_below = std::max(component.set_below, target.upper[0]);
  } else {
    component.right = std::max(component.right, target.upper[0]);
    component.set_from = std::min(component.set_from, target.lower[0]);
  }
  for (const Box* box : {&target, &source}) {
    if (box->lower[0] < end / 2) {
      component.low_reach = std::max(component.low_reach, box->upper[0]);
    } else {
      component.high_reach = std::max(component.high_reach, end - box->lower[0]);
    }
  }
  is_possible_ = is_possible_ && covers_rows(target, task_.box);
}

/// Decides which cells of a row are its ends.
void RowEnds::cut(Component& component) {
  RowEndsBinding& kept = bindings_[component.argument];
  const FieldBinding& binding = task_.fields[component.argument];
  const Index begin = std::max(task_.box.lower[0], binding.clip.lower[0]);
  const Index end = std::min(task_.box.upper[0], binding.clip.upper[0]);
  const Index per_line = line / component.element, pitch = binding.stride[middle_];
  kept.low_end =
      std::max(kept.low_end, round_up(std::max<Index>(component.low_reach, 1), per_line));
  const Index high_begin = round_down(end - component.high_reach, per_line);
  kept.high_begin = kept.high_begin == 0 ? high_begin : std::min(kept.high_begin, high_begin);
  component.right = std::max(component.right, end);
  kept.kept_from =
      std::min(kept.kept_from, round_down(std::min(end, component.set_from), per_line));
  kept.kept_below = std::max(kept.kept_below, round_up(component.set_below, per_line));
  is_possible_ = is_possible_ && begin == 0 && component.left <= per_line &&
                 component.right <= pitch && kept.low_end < pitch;
}

/// Allocates the rows in cache and lets the tasks work on them.
void RowEnds::allocate() {
  Index bytes = 0;
  for (auto& component : components_) {
    RowEndsBinding& kept = bindings_[component.argument];
    kept.high_begin = std::max(kept.high_begin, kept.low_end);
    kept.gap = kept.high_begin - kept.low_end;
    component.pitch =
        task_.fields[component.argument].stride[middle_] - kept.gap + line / component.element;
    const auto count = task_.stage->arguments[component.argument].field->components;
    kept.component.assign(static_cast<std::size_t>(count), nullptr);
    kept.stride = {1, 1, 1};
    kept.stride[middle_] = component.pitch;
    kept.stride[slow_] = component.pitch * rows_;
    component.waiting.resize(static_cast<std::size_t>(planes_));
    bytes += component.pitch * component.element * rows_ * planes_ + line;
  }
  std::byte* at = scratch(bytes);
  for (auto& component : components_) {
    component.kept = at + line;
    at += component.pitch * component.element * rows_ * planes_ + line;
  }
  for (auto& copy : copies_) {
    copy.source = in_cache(copy.source, copy.type, copy.source_box.lower[0]);
    copy.target = in_cache(copy.target, copy.type, copy.target_box.lower[0]);
  }
  for (auto& fill : fills_) {
    fill.field = in_cache(fill.field, fill.type, fill.side == Side::low ? 0 : fill.box.lower[0]);
  }
}

/// Returns the binding of a component in cache, with rows and planes counted from 0. `x` tells
/// which end.
FieldBinding RowEnds::in_cache(const FieldBinding& binding, ElementType type, Index x) {
  const Component& component = component_of(binding, type);
  const RowEndsBinding& kept = bindings_[component.argument];
  FieldBinding moved = binding;
  moved.write = component.kept - (x >= kept.high_begin ? kept.gap : 0) * component.element;
  moved.read = moved.write;
  moved.stride = kept.stride;
  return moved;
}

const RowEndsBinding* RowEnds::bind(const Box& box) {
  box_ = box;
  for (auto& component : components_) {
    RowEndsBinding& kept = bindings_[component.argument];
    const Index first = box.lower[static_cast<int>(middle_)] * kept.stride[middle_] +
                        box.lower[static_cast<int>(slow_)] * kept.stride[slow_];
    kept.component[static_cast<std::size_t>(component.component)] =
        component.kept - first * component.element;
  }
  return bindings_.data();
}

void RowEnds::flush(bool is_last) {
  auto rows_of_box = [&](Box& box) {
    for (int a = 1; a < 3; ++a) box.lower[a] = 0, box.upper[a] = box_.extent(a);
  };
  for (CopyTask& copy : copies_) {
    rows_of_box(copy.source_box);
    rows_of_box(copy.target_box);
    host::run_copy(copy);
  }
  for (FillTask& fill : fills_) {
    rows_of_box(fill.box);
    host::run_fill(fill);
  }
  for (auto& component : components_) write_back(component, is_last);
  continues_ = !is_last;
  if (is_last) finish_streaming();
}

void RowEnds::write_back(Component& component, bool is_last) const {
  const RowEndsBinding& kept = bindings_[component.argument];
  const FieldBinding& binding = task_.fields[component.argument];
  const Index element = component.element;
  const Index from_row = kept.stride[middle_] * element, to_row = binding.stride[middle_] * element;
  const Index gap = kept.gap * element, first = kept.kept_from * element;
  const Index below = kept.kept_below * element;
  const Index last = to_row - line;  // the line that a row shares with the low ghosts of the next
  const Index left = component.left * element;
  const auto in_line = [&](Index byte) { return static_cast<std::size_t>(std::min(byte, line)); };
  for (Index plane = 0; plane < box_.extent(static_cast<int>(slow_)); ++plane) {
    const std::byte* from = component.kept + plane * kept.stride[slow_] * element;
    std::byte* to =
        binding.write + (component.component * binding.component_stride +
                         box_.lower[static_cast<int>(middle_)] * binding.stride[middle_] +
                         (box_.lower[static_cast<int>(slow_)] + plane) * binding.stride[slow_]) *
                            element;
    Line& waiting = component.waiting[static_cast<std::size_t>(plane)];
    const std::byte* before = waiting.data();
    // Only the own part is taken of lines shared with rows that somebody else writes.
    if (!continues_) std::memcpy(to - left, from - left, in_line(left));
    for (Index row = 0; row < box_.extent(static_cast<int>(middle_)); ++row) {
      if (row > 0 || continues_) stream_joined(to - line, before, from - line, line - left);
      for (Index at = 0; at < below; at += line) stream_line(to + at, from + at);
      for (Index at = first; at < last; at += line) stream_line(to + at, from + at - gap);
      before = from + last - gap;
      from += from_row;
      to += to_row;
    }
    if (is_last) {
      const Index right = component.right * element - last;
      if (right > 0) std::memcpy(to - line, before, in_line(right));
    } else {
      std::memcpy(waiting.data(), before, line);
    }
  }
}

}  // namespace goban::cpu
