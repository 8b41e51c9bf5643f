#include "goban/domain/data/given_memory.hpp"

#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

constexpr Index widest_halo = 16;

/// Returns why rows of this memory do not lie where kernels expect them; empty if they do.
std::string refusal_of_rows(const GivenMemory& memory, const FieldRecord& field, Index3 owned,
                            Index line) {
  const auto size = static_cast<Index>(field.element_size());
  const auto [fast, middle, slow] = field.order;
  const std::string axis(1, "xyz"[fast]);
  if (owned[fast] > 1 && memory.stride[fast] != 1) {
    return "its values are not side by side along " + axis;
  }
  const auto is_on_line = [&](Index bytes) { return bytes % line == 0; };
  const bool are_on_lines =
      is_on_line(static_cast<Index>(reinterpret_cast<std::uintptr_t>(memory.cells))) &&
      is_on_line(memory.stride[middle] * size) && is_on_line(memory.stride[slow] * size) &&
      (field.components == 1 || is_on_line(memory.component_stride * size));
  return are_on_lines ? ""
                      : "its rows do not start on multiples of " + std::to_string(line) + " bytes";
}

/// Returns whether a halo of this width, along axes that have more than one cell, fits into the
/// memory.
bool has_room(const GivenMemory& memory, const FieldRecord& field, Index3 owned, Index line,
              Index halo) {
  const auto size = static_cast<Index>(field.element_size());
  const auto [fast, middle, slow] = field.order;
  const Index pitch = memory.stride[middle], plane = memory.stride[slow];
  const auto beyond = [&](int axis) { return owned[axis] > 1 ? halo : 0; };
  const auto all_along = [&](int axis) {
    return owned[axis] > 1 ? owned[axis] + 2 * halo + 1 : owned[axis];
  };
  const bool are_apart =
      all_along(fast) <= pitch && all_along(middle) * pitch <= plane &&
      (field.components == 1 || all_along(slow) * plane <= memory.component_stride);
  const Index before = round_up(beyond(fast) * size, line) + 2 * line +
                       (beyond(middle) * pitch + beyond(slow) * plane) * size;
  const Index rows = all_along(middle) - beyond(middle), planes = all_along(slow) - beyond(slow);
  const Index last =
      (rows - 1) * pitch + (planes - 1) * plane + (field.components - 1) * memory.component_stride;
  const Index behind =
      last * size + round_up((all_along(fast) - beyond(fast)) * size, line) + 2 * line;
  return are_apart && memory.cells - memory.begin >= before && memory.end - memory.cells >= behind;
}

}  // namespace

FieldLayout layout_in(const GivenMemory& memory, const FieldRecord& field, Index3 owned,
                      Index line) {
  const std::string problem = "field '" + field.name + "' cannot lie in the memory that is given";
  const std::string suggestion = "make the array with goban.zeros(), or copy it";
  const std::string refusal = refusal_of_rows(memory, field, owned, line);
  require(refusal.empty(), problem, refusal, suggestion);
  Index halo = widest_halo;
  while (halo >= 0 && !has_room(memory, field, owned, line, halo)) --halo;
  require(halo >= 0, problem, "there is no room around its values for the ends of rows",
          suggestion);
  FieldLayout layout;
  layout.type = field.type;
  layout.components = field.components;
  layout.order = field.order;
  layout.owned = owned;
  for (std::size_t a = 0; a < 3; ++a) {
    layout.halo.low[a] = layout.halo.high[a] = owned[a] > 1 ? halo : 0;
  }
  layout.stride = memory.stride;
  const Index behind = (memory.end - memory.begin) / static_cast<Index>(field.element_size());
  layout.component_stride = field.components == 1 ? behind : memory.component_stride;
  layout.bytes = static_cast<std::size_t>(memory.end - memory.cells);
  return layout;
}

void Domain::place(const FieldRecord& field, const GivenMemory& memory) {
  const std::string problem = "field '" + field.name + "' cannot lie in the memory that is given";
  const auto own = patches_.of_grid(field.grid);
  require(!field.in_place && !grid_of(field).active, problem,
          "fields in place and of active cells lie where goban puts them", "leave storage out");
  require(decomposition(field.grid).patches() == 1 && communicator_->size() == 1, problem,
          "its grid is cut into patches, one for each device", "leave storage out");
  Executor& owner = executor(own.front().patch);
  const int gpu = owner.guests() ? owner.guests()->device_number() : MemoryView::host;
  const auto name = [](int number) {
    return number < 0 ? "the host" : "cuda:" + std::to_string(number);
  };
  require(gpu == memory.gpu, problem,
          "it is that of " + std::string(name(memory.gpu)) + " and the field is computed on " +
              name(gpu),
          "leave storage out");
  Buffer buffer;
  buffer.layout.resize(patches_.position(own.front().patch));
  buffer.memory.resize(buffer.layout.size());
  buffer.layout.push_back(
      layout_in(memory, field, own.front().owned.extents(), owner.traits().line));
  buffer.memory.push_back({std::shared_ptr<void>(), memory.cells});
  buffer.halo = buffer.layout.back().halo;
  buffer.halos.resize(static_cast<std::size_t>(field.components));
  buffer.serial = buffers_made_++;
  buffer.is_given = has_given_ = are_lent_ = true;
  state_ = -1;
  const auto f = static_cast<std::size_t>(field.id);
  buffers_.resize(std::max(buffers_.size(), grid_.fields.size()));
  buffers_[f] = std::make_unique<Buffer>(std::move(buffer));
}

}  // namespace goban
