#include "goban/particle/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/particle/cell_list.hpp"
#include "goban/particle/messages.hpp"

namespace goban {
namespace {

/// By which a stresslet changes the strain that a body sees in the step that it acts, about: that
/// of a Gaussian as wide as the kernel, of variance 0.563 width^2.
double strain_per_stresslet(const device::BodyKernel& kernel) {
  const auto [a, b, c] = kernel.width;
  const double least = std::min({a, b, c});
  return 0.375 * 0.375 * 0.375 / (a * b * c) / (2 * 0.563 * least * least);
}

void check_shape(const BodyShape& shape) {
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0; };
  const device::BodyKernel kernel = shape.kernel();
  for (std::size_t a = 0; a < 3; ++a) {
    require(is_positive(shape.semi_axes[a]), "a shape of bodies is refused",
            fmt::format("a semi-axis is {}", shape.semi_axes[a]));
    require(kernel.width[a] >= 0.5, "a shape of bodies is refused",
            fmt::format("its kernel is {:.3g} nodes wide, between which it would not be seen",
                        kernel.width[a]),
            "take 0.5 or more");
  }
  require(kernel.sum_unit <= 0x1p-28, "a shape of bodies is refused",
          "so many nodes lie around it that sums over them would be coarse");
  require(is_positive(shape.density) && is_positive(shape.friction) &&
              is_positive(shape.rotational_friction) && shape.strain_friction >= 0,
          "a shape of bodies is refused", "density and frictions must be positive");
  const double stiffness = shape.strain_friction * strain_per_stresslet(kernel);
  require(stiffness < 0.5, "a shape of bodies is refused",
          fmt::format("the fluid would answer its stresslet by {:.3g} times the strain", stiffness),
          "make strain_friction, or the viscosity in lattice units, smaller");
}

}  // namespace

Population::Population(std::shared_ptr<const FluidNodes> nodes, BodyOptions options)
    : nodes_(std::move(nodes)), options_(std::move(options)) {
  require(!options_.shapes.empty(), "bodies without a shape are refused");
  for (const BodyShape& shape : options_.shapes) {
    check_shape(shape);
    kernels_.push_back(shape.kernel());
  }
  require(options_.repulsion.width > 0, "the repulsion of bodies is refused",
          "its width must be positive");
  units_ = units_for(options_.shapes);
  cutoff_ = options_.repulsion.cutoff(options_.shapes);
}

const std::vector<device::BodyState>& Population::own() const {
  if (!std::exchange(is_own_here_, true)) parts_.front()->take_bodies(own_);
  return own_;
}

/// A body must not see itself around a periodic axis, nor span a whole part.
void Population::check_sizes() const {
  const Index3 smallest = nodes_->smallest_extents();
  for (std::size_t s = 0; s < options_.shapes.size(); ++s) {
    const double length = 2 * options_.shapes[s].longest_semi_axis();
    const double seen = 4 * *std::max_element(kernels_[s].width, kernels_[s].width + 3) + 1;
    for (std::size_t a = 0; a < 3; ++a) {
      const char axis = "xyz"[a];
      require(length <= static_cast<double>(smallest[a]),
              fmt::format("bodies {:.3g} nodes long are refused", length),
              fmt::format("the part of a rank is {} nodes long along {}", smallest[a], axis),
              "take fewer ranks or a larger grid");
      const double most = nodes_->period()[a];
      require(most == 0 || (seen <= most && 2 * cutoff_ <= most),
              fmt::format("bodies {:.3g} nodes long are refused", length),
              fmt::format("they would see themselves around the grid, {} nodes long along {}", most,
                          axis),
              "take a larger grid or a narrower kernel");
    }
  }
}

/// Error(usage): its quaternion turns nothing, or it would leave as it moves.
static void check_numbers(Index id, const Body& body) {
  double square = 0;
  for (const double q : body.quaternion) square += q * q;
  require(std::abs(square - 1) < 1e-3, fmt::format("body {} is refused", id),
          fmt::format("its quaternion has the length {:.6g}", std::sqrt(square)),
          "divide it by its length");
  for (std::size_t a = 0; a < 3; ++a) {
    require(std::isfinite(body.velocity[a]) && std::isfinite(body.rotation[a]),
            fmt::format("body {} is refused", id), "its velocity or rotation is not finite");
  }
}

void Population::place(Index count, const std::function<Body(Index id)>& body) {
  count_ = count;
  check_sizes();
  States mine;
  const int rank = nodes_->communicator().rank();
  for (Index id = 0; id < count; ++id) {
    const Body placed = body(id);
    check_numbers(id, placed);
    device::BodyState state = state_of(id, placed);
    require(state.shape >= 0 && state.shape < static_cast<Index>(options_.shapes.size()),
            fmt::format("body {} is refused", id),
            fmt::format("there is no shape {}", state.shape));
    const int owner = nodes_->owner(state.position);
    require(owner >= 0, fmt::format("body {} is refused", id),
            fmt::format("({:.6g}, {:.6g}, {:.6g}) lies outside of the grid", state.position[0],
                        state.position[1], state.position[2]));
    if (owner == rank) mine.push_back(state);
  }
  distribute(mine);
  check_overlaps();
}

void Population::check_overlaps() {
  States all = own_;
  all.insert(all.end(), others_.begin(), others_.end());
  CellList(all, cutoff_, nodes_->extents(), nodes_->period())
      .visit_pairs([&](std::size_t i, std::size_t j) {
        const device::BodyState &a = all[i], &b = all[j];
        const Real3 r = between(a, b, nodes_->period());
        if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > cutoff_ * cutoff_) return;
        const double h = contact(a, shape_of(a), b, shape_of(b), r).gap;
        if (h >= 0) return;
        fail(a.id, Error(ExitCode::usage, fmt::format("bodies {} and {} overlap", a.id, b.id),
                         fmt::format("their surfaces are {:.3g} nodes within each other", -h),
                         "move them apart"));
      });
  settle();
}

std::vector<Population::Ranks> Population::ranks_near(const States& bodies) const {
  std::vector<Ranks> all(bodies.size());
  nodes_->parallel(static_cast<Index>(bodies.size()), [&](Index begin, Index end) {
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      all[n] = ranks_near(bodies[n]);
    }
  });
  return all;
}

Population::Ranks Population::ranks_near(const device::BodyState& body) const {
  const device::BodyPlace place =
      device::place_of(body, kernels_[static_cast<std::size_t>(body.shape)]);
  Box nodes;
  for (std::size_t a = 0; a < 3; ++a) {
    nodes.lower[a] = std::min<Index>(place.lower[a], device::floor_of(body.position[a] - cutoff_));
    nodes.upper[a] =
        std::max<Index>(place.upper[a], device::floor_of(body.position[a] + cutoff_) + 1);
  }
  Ranks ranks;
  nodes_->add_ranks(nodes, ranks);
  return ranks;
}

void Population::distribute(const States& bodies) {
  Communicator& ranks = nodes_->communicator();
  Packing packing;
  States here;
  for (const device::BodyState& body : bodies) {
    for (const int rank : ranks_near(body)) {
      rank == ranks.rank() ? here.push_back(body) : packing.add(rank, body);
    }
  }
  for (const Parcel& parcel : packing.exchange(ranks)) {
    for (Unpacking unpacking(parcel); !unpacking.is_empty();) {
      here.push_back(unpacking.take<device::BodyState>());
    }
  }
  sort_in(std::move(here));
}

void Population::sort_in(States bodies) {
  if (!std::is_sorted(bodies.begin(), bodies.end(), by_id)) {
    std::sort(bodies.begin(), bodies.end(), by_id);
  }
  own_.clear();
  others_.clear();
  is_own_here_ = true;
  are_parts_filled_ = false;
  if (std::exchange(distribution_, nodes_->distribution()) != nodes_->distribution()) {
    parts_.clear();
  }
  const int rank = nodes_->communicator().rank();
  if (nodes_->communicator().size() == 1) {
    own_ = std::move(bodies);
    return;
  }
  std::vector<int> owners(bodies.size());
  nodes_->parallel(static_cast<Index>(bodies.size()), [&](Index begin, Index end) {
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      owners[n] = nodes_->owner(bodies[n].position);
    }
  });
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    (owners[n] == rank ? own_ : others_).push_back(bodies[n]);
  }
}

void Population::replace(const std::vector<device::BodyState>& bodies) {
  Communicator& ranks = nodes_->communicator();
  Packing packing;
  States kept = own(), named = bodies;
  std::vector<Index> ids;
  for (device::BodyState& body : named) {
    nodes_->owner(body.position);
    ids.push_back(body.id);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank != ranks.rank()) packing.add(rank, body.id);
    }
  }
  for (const Parcel& parcel : packing.exchange(ranks)) {
    for (Unpacking unpacking(parcel); !unpacking.is_empty();)
      ids.push_back(unpacking.take<Index>());
  }
  std::sort(ids.begin(), ids.end());
  std::erase_if(kept, [&](const device::BodyState& body) {
    return std::binary_search(ids.begin(), ids.end(), body.id);
  });
  kept.insert(kept.end(), named.begin(), named.end());
  distribute(kept);
  settle();
}

std::vector<device::BodyState> Population::collect(Index first, Index last) {
  Communicator& ranks = nodes_->communicator();
  struct Range {
    Index first, last;
  };
  Packing wishes, bodies;
  const Range mine{first, last};
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != ranks.rank() && first < last) wishes.add(rank, mine);
  }
  States all;
  const auto visit = [&](const Range& range, const auto& give) {
    for (const device::BodyState& body : own()) {
      if (body.id >= range.first && body.id < range.last) give(body);
    }
  };
  visit(mine, [&](const device::BodyState& body) { all.push_back(body); });
  for (const Parcel& parcel : wishes.exchange(ranks)) {
    visit(Unpacking(parcel).take<Range>(),
          [&](const device::BodyState& body) { bodies.add(parcel.rank, body); });
  }
  for (const Parcel& parcel : bodies.exchange(ranks)) {
    for (Unpacking unpacking(parcel); !unpacking.is_empty();) {
      all.push_back(unpacking.take<device::BodyState>());
    }
  }
  std::sort(all.begin(), all.end(), by_id);
  return all;
}

}  // namespace goban
