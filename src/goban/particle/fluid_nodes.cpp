#include "goban/particle/fluid_nodes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Pieces of an axis, cut at `cuts`, that [lower, upper) touches, or an image of it.
std::vector<Index> pieces_in(const std::vector<Index>& cuts, bool is_periodic, Index lower,
                             Index upper) {
  std::vector<Index> pieces;
  const Index n = cuts.back();
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
    for (Index shift = is_periodic ? -n : 0; shift <= (is_periodic ? n : 0); shift += n) {
      if (lower + shift < cuts[p + 1] && upper + shift > cuts[p]) {
        pieces.push_back(static_cast<Index>(p));
        break;
      }
    }
  }
  return pieces;
}

/// Node (0, 0, 0) of the grid, were it the patch's.
template <class T>
T* from_origin(T* local, const Index3& lower, const std::array<Index, 3>& stride) {
  return local - (lower[0] * stride[0] + lower[1] * stride[1] + lower[2] * stride[2]);
}

}  // namespace

FluidNodes::FluidNodes(std::shared_ptr<GridState> grid) : grid_(std::move(grid)) {
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    extents_[axis] = static_cast<double>(grid_->cells[axis]);
    period_[axis] = grid_->is_periodic(a) ? extents_[axis] : 0;
  }
}

Domain& FluidNodes::domain() const { return domain_of(*grid_); }
Communicator& FluidNodes::communicator() const { return domain().communicator(); }
int FluidNodes::distribution() const { return domain().distribution(); }

int FluidNodes::owner(double (&position)[3]) const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  Index3 piece{};
  for (std::size_t a = 0; a < 3; ++a) {
    double& x = position[a];
    if (period_[a] > 0) {
      if (x < 0) x = x + period_[a];
      if (x >= period_[a]) x = x - period_[a];
    }
    if (!(x >= 0 && x < extents_[a])) return -1;
    const auto& cuts = decomposition.cuts[a];
    piece[a] = std::upper_bound(cuts.begin(), cuts.end(), static_cast<Index>(x)) - cuts.begin() - 1;
  }
  return decomposition.rank_of(decomposition.at(piece));
}

void FluidNodes::add_ranks(const Box& nodes, std::vector<int>& ranks) const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  std::array<std::vector<Index>, 3> pieces;
  for (std::size_t a = 0; a < 3; ++a) {
    pieces[a] = pieces_in(decomposition.cuts[a], period_[a] > 0, nodes.lower[a], nodes.upper[a]);
  }
  for (const Index k : pieces[2]) {
    for (const Index j : pieces[1]) {
      for (const Index i : pieces[0]) {
        const int rank = decomposition.rank_of(decomposition.at({i, j, k}));
        const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
        if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
      }
    }
  }
}

Index3 FluidNodes::smallest_extents() const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  Index3 smallest = grid_->cells;
  for (int rank = 0; rank < communicator().size(); ++rank) {
    const Box box = decomposition.owned_by(rank);
    if (box.empty()) continue;
    for (int a = 0; a < 3; ++a) {
      auto& extent = smallest[static_cast<std::size_t>(a)];
      extent = std::min(extent, box.extent(a));
    }
  }
  return smallest;
}

NodeValues::NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields)
    : nodes_(std::move(nodes)), fields_(std::move(fields)) {}

void NodeValues::parallel(Index n, const std::function<void(Index, Index)>& work) const {
  nodes_->domain().some_executor().parallel(n, work);
}

/// Of any rank: what follows is collective.
bool NodeValues::are_on_devices() const {
  const auto executors = nodes_->domain().executors();
  std::array<std::int64_t, 1> on_devices{
      std::any_of(executors.begin(), executors.end(),
                  [](const Executor* executor) { return executor->device_memory() != nullptr; })};
  nodes_->communicator().maximum(on_devices);
  return on_devices[0] != 0;
}

void NodeValues::open() {
  nodes_->domain().synchronize();
  if (std::exchange(distribution_, nodes_->distribution()) != nodes_->distribution()) {
    are_copies_ = are_on_devices();
  }
  visit_element(fields_.velocity->type, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, float>) open_patches(float32_);
    if constexpr (std::is_same_v<T, double>) open_patches(float64_);
  });
}

template <class T>
void NodeValues::open_patches(std::vector<device::NodesOfPatch<T>>& patches) {
  patches.clear();
  Domain& domain = nodes_->domain();
  const GridState& grid = *nodes_->grid();
  std::vector<Box> boxes;
  std::vector<int> numbers;
  if (are_copies_) {
    boxes.push_back(domain.decomposition(grid.number).owned_by(nodes_->communicator().rank()));
  } else {
    for (const PatchGeometry& patch : domain.patches().of_grid(grid.number)) {
      boxes.push_back(patch.owned);
      numbers.push_back(patch.patch);
    }
  }
  Index count = 0;
  for (const Box& box : boxes) count += 3 * box.volume();
  sums_.resize(static_cast<std::size_t>(count));
  parallel(count, [&](Index begin, Index end) {
    std::fill(sums_.begin() + begin, sums_.begin() + end, 0);
  });

  std::uint64_t* forces = sums_.data();
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    const Box& box = boxes[n];
    device::NodesOfPatch<T> nodes{};
    std::array<Index, 3> stride{1, box.extent(0), box.extent(0) * box.extent(1)};
    std::array<Index, 3> solid_stride = stride;
    const T* velocity = nullptr;
    Index to_next = box.volume();
    if (are_copies_) {
      velocities_.resize(static_cast<std::size_t>(3 * box.volume()) * sizeof(T));
      domain.copy_out_own(*fields_.velocity, box, velocities_.data());
      velocity = reinterpret_cast<const T*>(velocities_.data());
      if (fields_.solid) {
        solids_.resize(static_cast<std::size_t>(box.volume()));
        domain.copy_out_own(*fields_.solid, box, solids_.data());
        nodes.solid = reinterpret_cast<const std::uint8_t*>(solids_.data());
      }
    } else {
      const FieldBinding bound = domain.bind(domain.buffer(fields_.velocity->id), numbers[n]);
      velocity = reinterpret_cast<const T*>(bound.read);
      stride = bound.stride;
      to_next = bound.component_stride;
      if (fields_.solid) {
        const FieldBinding solid = domain.bind(domain.buffer(fields_.solid->id), numbers[n]);
        nodes.solid = reinterpret_cast<const std::uint8_t*>(solid.read);
        solid_stride = solid.stride;
      }
    }
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      nodes.cells[a] = grid.is_periodic(a) ? grid.cells[axis] : 0;
      nodes.lower[a] = box.lower[axis];
      nodes.upper[a] = box.upper[axis];
      nodes.stride[a] = stride[axis];
      nodes.solid_stride[a] = solid_stride[axis];
      nodes.velocity[a] = from_origin(velocity + a * to_next, box.lower, stride);
    }
    if (nodes.solid) nodes.solid = from_origin(nodes.solid, box.lower, solid_stride);
    nodes.count = box.volume();
    nodes.forces = reinterpret_cast<device::uint64*>(forces);
    forces += 3 * box.volume();
    if (!box.empty()) patches.push_back(nodes);
  }
}

void NodeValues::store(double unit) {
  float32_.empty() ? store_patches(float64_, unit) : store_patches(float32_, unit);
}

template <class T>
void NodeValues::store_patches(const std::vector<device::NodesOfPatch<T>>& patches, double unit) {
  Domain& domain = nodes_->domain();
  const auto value = [&](std::size_t n) {
    return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(sums_[n])) * unit);
  };
  if (are_copies_) {
    std::vector<T> values(sums_.size());
    parallel(static_cast<Index>(values.size()), [&](Index begin, Index end) {
      for (Index n = begin; n < end; ++n) {
        values[static_cast<std::size_t>(n)] = value(static_cast<std::size_t>(n));
      }
    });
    const int rank = nodes_->communicator().rank();
    const Box box = domain.decomposition(nodes_->grid()->number).owned_by(rank);
    return domain.copy_in(*fields_.force, box, values.data());
  }
  const auto local = domain.patches().of_grid(nodes_->grid()->number);
  std::size_t first = 0;
  for (std::size_t p = 0; p < patches.size(); ++p) {
    const FieldBinding bound = domain.bind(domain.buffer(fields_.force->id), local[p].patch);
    const Index3 n = local[p].owned.extents();
    const auto count = static_cast<std::size_t>(product(n));
    for (int c = 0; c < 3; ++c) {
      T* const to = reinterpret_cast<T*>(bound.write) + bound.component_offset(c);
      parallel(n[1] * n[2], [&](Index begin, Index end) {
        for (Index row = begin; row < end; ++row) {
          T* const cells = to + row % n[1] * bound.stride[1] + row / n[1] * bound.stride[2];
          const std::size_t from = first + static_cast<std::size_t>(row * n[0]);
          for (Index i = 0; i < n[0]; ++i) {
            cells[i * bound.stride[0]] = value(from + static_cast<std::size_t>(i));
          }
        }
      });
      first += count;
    }
  }
  domain.forget_halo(fields_.force->id);
}

}  // namespace goban
