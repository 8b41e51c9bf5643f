// Lets the host work on values that may lie in the memory of a device.

#include <algorithm>
#include <array>
#include <cstring>
#include <future>

#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Cuts a box into pieces of whole planes, or of rows of a plane, so that `components` components
/// of a piece take at most `most` bytes; a piece has at least one row. The memory between the first
/// and the last cell of a piece holds cells of other pieces only if the box has just a part of each
/// row.
std::vector<Box> pieces_of(const Box& box, const FieldLayout& layout, int components,
                           Index most_bytes) {
  const auto [fast, middle, slow] = layout.order;
  const Index cell_bytes = static_cast<Index>(size_of(layout.type)) * components;
  const auto fitting = [&](int axis) {
    return most_bytes / (layout.stride[static_cast<std::size_t>(axis)] * cell_bytes);
  };
  const Index planes = std::clamp<Index>(fitting(slow), 1, box.extent(slow));
  const Index rows = fitting(slow) >= 1 ? box.extent(middle)
                                        : std::clamp<Index>(fitting(middle), 1, box.extent(middle));
  std::vector<Box> pieces;
  for (Index s = box.lower[slow]; s < box.upper[slow]; s += planes) {
    for (Index m = box.lower[middle]; m < box.upper[middle]; m += rows) {
      Box& piece = pieces.emplace_back(box);
      piece.lower[slow] = s;
      piece.upper[slow] = std::min(s + planes, box.upper[slow]);
      piece.lower[middle] = m;
      piece.upper[middle] = std::min(m + rows, box.upper[middle]);
    }
  }
  return pieces;
}

}  // namespace

void Domain::on_host(const Buffer& buffer, const Place& place, int patch, int component,
                     int components, const Box& box, HostAccess access, const HostWork& work) {
  if (box.empty()) return;
  const auto p = place.patches.position(patch);
  const FieldLayout& layout = buffer.layout[p];
  const auto size = static_cast<Index>(size_of(layout.type));
  std::byte* const cells = buffer.cells(p, component);
  std::vector<Index> there;
  for (int c = 0; c < components; ++c) {
    there.push_back(buffer.cells(p, component + c) - cells);
  }
  Executor& owner = *place.executors[p];
  DeviceMemory* const device = owner.device_memory();
  if (!device) return work(box, cells, there);

  constexpr Index most_bytes = Index{32} << 20;
  const std::vector<Box> parts = pieces_of(box, layout, components, most_bytes);
  const auto begin_of = [&](const Box& part) { return layout.offset(part.lower) * size; };
  const auto bytes_of = [&](const Box& part) {
    return (layout.offset(part.upper - Index3{1, 1, 1}) + 1) * size - begin_of(part);
  };
  Index room = 0;
  for (const Box& part : parts) room = std::max(room, round_up(bytes_of(part), 64));
  std::byte* const staging = device->staging(static_cast<std::size_t>(2 * room * components));
  const auto half_of = [&](std::size_t n) {
    return staging + static_cast<Index>(n % 2) * room * components;
  };
  std::vector<Index> here;
  for (int c = 0; c < components; ++c) here.push_back(c * room);
  std::array<std::future<void>, 2> moves;  // of each half of the staging memory
  const auto finish = [&](std::size_t n) {
    if (moves[n % 2].valid()) moves[n % 2].get();
  };
  const auto how = parts.size() > 1 ? std::launch::async : std::launch::deferred;
  const auto move = [&](std::size_t n, bool downwards) {
    finish(n);
    moves[n % 2] = std::async(how, [&, n, downwards] {
      const auto bytes = static_cast<std::size_t>(bytes_of(parts[n]));
      for (std::size_t c = 0; c < there.size(); ++c) {
        std::byte* const on_device = cells + begin_of(parts[n]) + there[c];
        std::byte* const copy = half_of(n) + here[c];
        downwards ? device->download(copy, on_device, bytes)
                  : device->upload(on_device, copy, bytes);
      }
    });
  };
  const bool reads = access != HostAccess::replace;
  if (reads) move(0, true);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    finish(n);
    if (reads && n + 1 < parts.size()) move(n + 1, true);
    if (!reads) {
      owner.parallel(room * components, [&](Index first, Index last) {
        std::memset(half_of(n) + first, 0, static_cast<std::size_t>(last - first));
      });
    }
    work(parts[n], half_of(n) - begin_of(parts[n]), here);
    if (access != HostAccess::read) move(n, false);
  }
  finish(0);
  finish(1);
}

}  // namespace goban
