// Stores the parts of rows that a kernel does not store itself.

#include <algorithm>
#include <cstring>
#include <utility>

#include "goban/backend/cpu/row_walk_memory.hpp"

namespace goban::cpu {
namespace {

/// The number of cells that are computed at once into buffers.
constexpr Index cells_at_once = 512;
/// The same under a mask, which may exclude all of them.
constexpr Index masked_at_once = 128;

}  // namespace

/// Computes and stores rows that are not stored in whole packs.
void RowWalk::part(const Box& box) {
  if (box.empty()) return;
  const Index begin = round_down(box.lower[fast_], width_);
  const Index most = call_.mask ? masked_at_once : cells_at_once;
  const Index pitch = std::min(round_up(box.upper[fast_] - begin, width_), most);
  const Index at_once =
      call_.ends || shape_.reads_other_grids ? 1 : std::max<Index>(1, most / pitch);
  const auto results = static_cast<Index>(memory_.results.size());
  std::byte* const buffers = memory_.buffer(results * at_once * pitch * 8);
  for (Index s = box.lower[slow_]; s < box.upper[slow_]; ++s) {
    for (Index m = box.lower[middle_]; m < box.upper[middle_]; m += at_once) {
      const Index rows = std::min(at_once, box.upper[middle_] - m);
      start(m, s);
      for (Index first = begin; first < box.upper[fast_]; first += pitch) {
        const Index last = std::min(first + pitch, box.upper[fast_]);
        if (is_masked_out(first, last, m, s, rows)) continue;
        compute(first, last, rows, buffers, pitch);
        for (Index row = 0; row < rows; ++row) {
          m_ = m + row;
          store_computed(first, last, buffers, pitch, rows, row);
        }
      }
    }
  }
}

void RowWalk::compute(Index first, Index last, Index rows, std::byte* buffers, Index pitch) {
  auto& offsets = memory_.offsets;
  offsets.resize(memory_.fields.size());
  std::byte* at = buffers;
  for (std::size_t r = 0; r < memory_.results.size();) {
    const std::size_t a = memory_.results[r].argument;
    const Memory::Field& field = memory_.fields[a];
    device::RowField& row = memory_.rows[a];
    offsets[a].assign(static_cast<std::size_t>(subject_.footprint.parameters[a].components), 0);
    Index place = 0;
    for (; r < memory_.results.size() && memory_.results[r].argument == a; ++r) {
      offsets[a][static_cast<std::size_t>(memory_.results[r].component)] = place;
      place += pitch * rows;
    }
    row.write = bytes_at(at - first * field.element);
    row.to = offsets[a].data();
    row.to_middle = pitch;
    at += place * field.element;
  }
  const bool streams = std::exchange(row_.streaming, false);
  const auto fetcher = std::exchange(row_.before_row, nullptr);
  kernels_.one_row(&row_, first, last, rows, 1);
  row_.streaming = streams;
  row_.before_row = fetcher;
  for (const Result& result : memory_.results) {
    const Memory::Field& field = memory_.fields[result.argument];
    device::RowField& row = memory_.rows[result.argument];
    row.to = field.to.data();
    row.to_middle = row.middle;
    if (field.write) row.write = bytes_at(field.write + m_ * field.middle + s_ * field.slow);
  }
}

void RowWalk::store_computed(Index first, Index last, const std::byte* buffers, Index pitch,
                             Index rows, Index row) const {
  for (const Result& result : memory_.results) {
    const Index element = memory_.fields[result.argument].element;
    store_component(result, first, last, buffers + row * pitch * element);
    buffers += rows * pitch * element;
  }
}

/// For columns it is never true, because what they keep of a level is needed where nothing is
/// stored, too.
bool RowWalk::is_masked_out(Index first, Index last, Index m, Index s, Index rows) const {
  const bool is_of_column = std::any_of(memory_.fields.begin(), memory_.fields.end(),
                                        [](const auto& field) { return field.is_scratch; });
  if (!call_.mask || is_of_column) return false;
  const auto& stride = call_.mask->stride;
  const auto* const mask = reinterpret_cast<const std::uint8_t*>(call_.mask->read);
  const auto is_zero = [](std::uint8_t value) { return value == 0; };
  for (Index row = 0; row < rows; ++row) {
    const auto* const at = mask + (m + row) * stride[middle_] + s * stride[slow_];
    if (!std::all_of(at + std::max(first, low_), at + std::min(last, high_), is_zero)) return false;
  }
  return true;
}

/// Stores the cells that the ends of rows, the clip and the mask allow.
void RowWalk::store_component(const Result& result, Index first, Index last,
                              const std::byte* computed) const {
  const Memory::Field& field = memory_.fields[result.argument];
  const Index size = field.element;
  const std::byte* const values = computed - first * size;
  const Box& clip = call_.fields[result.argument].clip;
  Index low = std::max({first, low_, clip.lower[fast_]});
  Index high = std::min({last, high_, clip.upper[fast_]});
  if (field.ends) {
    const RowEndsBinding& ends = *field.ends;
    if (unsigned char* const kept = field.kept[static_cast<std::size_t>(result.component)]) {
      const auto copy = [&](Index from, Index to, Index gap) {
        if (from >= to) return;
        std::memcpy(kept + (from - gap) * size, values + from * size,
                    static_cast<std::size_t>((to - from) * size));
      };
      const Index end = round_up(last, width_);  // whole packs
      copy(first, std::min(end, ends.low_end), 0);
      copy(std::max(first, ends.high_begin), end, ends.gap);
      low = std::max(low, ends.kept_below);
      high = std::min(high, ends.kept_from);
    }
  }
  if (low >= high || m_ < clip.lower[middle_] || m_ >= clip.upper[middle_] ||
      s_ < clip.lower[slow_] || s_ >= clip.upper[slow_]) {
    return;
  }
  std::byte* const row = field.write + m_ * field.middle + s_ * field.slow +
                         field.to[static_cast<std::size_t>(result.component)] * size;
  const auto store = [&](Index from, Index to) {
    std::memcpy(row + from * size, values + from * size,
                static_cast<std::size_t>((to - from) * size));
  };
  if (!call_.mask) return store(low, high);
  const auto& stride = call_.mask->stride;
  const auto* const mask = reinterpret_cast<const std::uint8_t*>(call_.mask->read) +
                           m_ * stride[middle_] + s_ * stride[slow_];
  for (Index i = low; i < high;) {
    while (i < high && mask[i] == 0) ++i;
    Index end = i;
    while (end < high && mask[end] != 0) ++end;
    if (i < end) store(i, end);
    i = end;
  }
}

/// Computes a functor that writes a field where it reads it (see program/in_place.hpp), so that
/// rows are written while they are read. Cells that are stored in part are computed before anything
/// is stored.
void RowWalk::in_place() {
  const Box& box = call_.box;
  row_.low = low_ = box.lower[fast_];
  row_.high = high_ = box.upper[fast_];
  const Box whole = whole_packs();
  const Index begin = round_down(low_, width_);
  const Index pitch = round_up(high_ - begin, width_);
  const auto results = static_cast<Index>(memory_.results.size());
  std::byte* const buffers = memory_.buffer(results * pitch * 8);
  const auto contains = [&](std::size_t axis, Index at) {
    return at >= whole.lower[axis] && at < whole.upper[axis];
  };
  for (Index s = box.lower[slow_]; s < box.upper[slow_]; ++s) {
    for (Index m = box.lower[middle_]; m < box.upper[middle_]; ++m) {
      start(m, s);
      Index low = high_, high = high_;
      if (contains(middle_, m) && contains(slow_, s) && whole.lower[fast_] < whole.upper[fast_]) {
        low = whole.lower[fast_];
        high = whole.upper[fast_];
      }
      const Index head = low - begin;
      std::byte* const tail = buffers + results * round_up(head, width_) * 8;
      const Index head_pitch = round_up(head, width_);
      const Index tail_pitch = round_up(high_ - high, width_);
      if (low_ < low) compute(begin, low, 1, buffers, head_pitch);
      if (high < high_) compute(high, high_, 1, tail, tail_pitch);
      if (low < high) kernels_.rows(&row_, low, high, 1, 1);
      if (low_ < low) store_computed(begin, low, buffers, head_pitch, 1, 0);
      if (high < high_) store_computed(high, high_, tail, tail_pitch, 1, 0);
    }
  }
}

void RowWalk::reduce() {
  const Box& box = call_.box;
  row_.low = low_ = box.lower[fast_];
  row_.high = high_ = box.upper[fast_];
  prepare_fetches(1);
  const Index size = call_.mask ? masked_at_once : std::max(shape_.chunk, Index{64});
  std::byte* const buffer = memory_.buffer(size * 8);
  const auto* const values = reinterpret_cast<const double*>(buffer);
  static const device::Index nowhere = 0;
  memory_.rows[0].to = &nowhere;
  for (Index s = box.lower[slow_]; s < box.upper[slow_]; ++s) {
    for (Index m = box.lower[middle_]; m < box.upper[middle_]; ++m) {
      start(m, s);
      for (const RowsAhead& ahead : memory_.ahead) {
        ahead.start(m, s, 1, memory_.rows[ahead.argument()]);
      }
      for (Index first = round_down(low_, width_); first < high_; first += size) {
        const Index last = std::min(first + size, high_);
        if (is_masked_out(first, last, m, s, 1)) continue;
        memory_.rows[0].write = bytes_at(buffer - first * Index{sizeof(double)});
        kernels_.one_row(&row_, first, last, 1, 1);
        const Index low = std::max(first, low_);
        if (!call_.mask) {
          call_.reducer->add(values + (low - first), last - low);
          continue;
        }
        const auto& stride = call_.mask->stride;
        const auto* const mask = reinterpret_cast<const std::uint8_t*>(call_.mask->read) +
                                 m * stride[middle_] + s * stride[slow_];
        for (Index i = low; i < last; ++i) {
          if (mask[i] != 0) call_.reducer->add(values + (i - first), 1);
        }
      }
    }
  }
}

}  // namespace goban::cpu
