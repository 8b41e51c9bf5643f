#include "goban/particle/nodes/node_values.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "goban/domain/data/domain.hpp"

namespace goban {

using device::NodesOfPatch;

NodeValues::NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields)
    : nodes_(std::move(nodes)), fields_(std::move(fields)) {}

/// Memory for sums of forces, the same as long as patches are.
void NodeValues::allocate() {
  parts_.clear();
  Domain& domain = nodes_->domain();
  const GridState& grid = *nodes_->grid();
  for (const PatchGeometry& patch : domain.patches().of_grid(nodes_->grid()->number)) {
    Executor* const executor = &domain.executor(patch.patch);
    auto part = std::find_if(parts_.begin(), parts_.end(),
                             [&](const CoupledNodes& p) { return p.executor == executor; });
    if (part == parts_.end())
      part = parts_.insert(part, CoupledNodes{executor, fields_.velocity->type, {}, nullptr, {}});
    NodesOfPatch nodes{};
    nodes.count = patch.owned.volume();
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      nodes.cells[a] = grid.is_box_periodic(a) ? grid.box_cells()[axis] : 0;
      nodes.lower[a] = patch.owned.lower[axis];
      nodes.upper[a] = patch.owned.upper[axis];
      nodes.extents[a] = patch.owned.extent(a);
    }
    if (grid.active) find_places(nodes, *part);
    part->patches.push_back(nodes);
  }
  for (CoupledNodes& part : parts_) {
    Index count = 0;
    for (const NodesOfPatch& nodes : part.patches) count += 3 * nodes.count;
    part.memory = part.executor->allocate(static_cast<std::size_t>(count) * sizeof(std::uint64_t));
    auto* sums = reinterpret_cast<device::uint64*>(part.memory.get());
    for (NodesOfPatch& nodes : part.patches) {
      nodes.sums = sums;
      sums += 3 * nodes.count;
    }
  }
}

/// Finds the box of a piece of the list of active cells, and where each cell of that box stands in
/// the piece.
void NodeValues::find_places(NodesOfPatch& nodes, CoupledNodes& part) const {
  const ActiveCells& active = *nodes_->grid()->list;
  const Index first = nodes.lower[0], last = nodes.upper[0];
  Box box;
  active.each_row(first, last, [&](Index3 cell, Index, Index count) {
    box = hull(box, {cell, {cell[0] + count, cell[1] + 1, cell[2] + 1}});
  });
  std::vector<std::int32_t> places(static_cast<std::size_t>(box.volume()), -1);
  active.each_row(first, last, [&](Index3 cell, Index number, Index count) {
    const Index3 at = cell - box.lower;
    const Index begin = at[0] + box.extent(0) * (at[1] + box.extent(1) * at[2]);
    for (Index i = 0; i < count; ++i) {
      places[static_cast<std::size_t>(begin + i)] = static_cast<std::int32_t>(number - first + i);
    }
  });
  const std::size_t bytes = places.size() * sizeof(std::int32_t);
  part.places.push_back(part.executor->allocate(bytes));
  std::byte* const there = part.places.back().get();
  const auto* const here = reinterpret_cast<const std::byte*>(places.data());
  if (DeviceMemory* const device = part.executor->device_memory()) {
    device->upload(there, here, bytes);
  } else {
    std::copy(here, here + bytes, there);
  }
  nodes.places = reinterpret_cast<const device::int32*>(there);
  for (int a = 0; a < 3; ++a) {
    nodes.lower[a] = box.lower[static_cast<std::size_t>(a)];
    nodes.upper[a] = box.upper[static_cast<std::size_t>(a)];
  }
}

const std::vector<CoupledNodes>& NodeValues::parts() {
  if (std::exchange(distribution_, nodes_->distribution()) != nodes_->distribution()) {
    nodes_->domain().synchronize();
    allocate();
  }
  return parts_;
}

void NodeValues::open() {
  Domain& domain = nodes_->domain();
  const GridState& grid = *nodes_->grid();
  std::map<Executor*, std::size_t> next;  // of its patches
  for (const PatchGeometry& patch : domain.patches().of_grid(grid.number)) {
    Executor* const executor = &domain.executor(patch.patch);
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const CoupledNodes& p) { return p.executor == executor; });
    NodesOfPatch& nodes = part->patches[next[executor]++];
    const auto bind = [&](const FieldRecord& field) {
      return domain.bind(domain.buffer(field.id), patch.patch);
    };
    const FieldBinding velocity = bind(*fields_.velocity), force = bind(*fields_.force);
    const FieldBinding solid = fields_.solid ? bind(*fields_.solid) : FieldBinding{};
    const auto size = static_cast<Index>(size_of(part->type));
    nodes.solid = reinterpret_cast<const std::uint8_t*>(solid.read);
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      nodes.stride[a] = velocity.stride[axis];
      nodes.solid_stride[a] = solid.stride[axis];
      nodes.force_stride[a] = force.stride[axis];
      nodes.velocity[a] = velocity.read + size * velocity.component_offset(a);
      nodes.force[a] = force.write + size * force.component_offset(a);
    }
  }
}

void NodeValues::close() { nodes_->domain().forget_halo(fields_.force->id); }

}  // namespace goban
