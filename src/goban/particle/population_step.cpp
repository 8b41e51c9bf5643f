// One step of all bodies.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/particle/cell_list.hpp"
#include "goban/particle/messages.hpp"
#include "goban/particle/population.hpp"

namespace goban {
namespace {

constexpr double most_displacement = 0.5;
constexpr const char* keep_inside = "let walls push it back (wall_strength)";

}  // namespace

void Population::step(NodeValues& values) {
  if (distribution_ != nodes_->distribution()) distribute(std::vector(own_));
  const std::vector<OuterForce> outer =
      outer_forces(values);  // while devices compute the velocities
  values.open();
  Sums sums = sums_around(values);
  add_sums_of_others(sums);
  const std::vector<device::BodyState> before = own_;
  std::vector<device::BodyPush> pushes = move(values, sums, outer);
  std::vector<device::BodyState> after;
  const std::vector<device::BodyPush> pushes_of_others = tell(before, pushes, after);
  std::vector<device::BodyState> all = before;
  all.insert(all.end(), others_.begin(), others_.end());
  pushes.insert(pushes.end(), pushes_of_others.begin(), pushes_of_others.end());
  values.push(all, pushes, kernels_, units_.force);
  sort_in(std::move(after));
  settle();
}

/// Ranks hear what bodies do to their nodes, in the order of others, and which bodies they will
/// have to do with, `after`.
std::vector<device::BodyPush> Population::tell(const std::vector<device::BodyState>& before,
                                               const std::vector<device::BodyPush>& pushes,
                                               std::vector<device::BodyState>& after) {
  Communicator& ranks = nodes_->communicator();
  if (ranks.size() == 1) {
    after = own_;
    return {};
  }
  struct Push {
    Index id;
    device::BodyPush push;
  };
  std::map<int, std::vector<Push>> pushes_for;
  std::map<int, std::vector<device::BodyState>> bodies_for;
  for (std::size_t n = 0; n < own_.size(); ++n) {
    for (const int rank : ranks_near(before[n])) {
      if (rank != ranks.rank()) pushes_for[rank].push_back({own_[n].id, pushes[n]});
    }
    for (const int rank : ranks_near(own_[n])) bodies_for[rank].push_back(own_[n]);
  }
  after = std::move(bodies_for[ranks.rank()]);
  bodies_for.erase(ranks.rank());
  for (const auto& [rank, bodies] : bodies_for) pushes_for[rank];
  Packing packing;
  for (const auto& [rank, list] : pushes_for) {
    packing.add(rank, list.size());
    packing.add(rank, list.data(), list.size());
    const auto& bodies = bodies_for[rank];
    packing.add(rank, bodies.data(), bodies.size());
  }
  std::vector<device::BodyPush> of_others(others_.size());
  for (const Parcel& parcel : packing.exchange(ranks)) {
    Unpacking unpacking(parcel);
    for (auto count = unpacking.take<std::size_t>(); count > 0; --count) {
      const auto push = unpacking.take<Push>();
      of_others[position_of(others_, push.id)] = push.push;
    }
    while (!unpacking.is_empty()) after.push_back(unpacking.take<device::BodyState>());
  }
  return of_others;
}

/// All bodies are there, and nothing was wrong with any.
void Population::settle() {
  constexpr std::uint64_t mark = std::uint64_t{1} << 48;
  std::array<std::uint64_t, 1> found{own_.size() + (failure_ ? mark : 0)};
  nodes_->communicator().sum(found);
  if (static_cast<Index>(found[0]) == count_) return;
  throw_failure();
  throw Error(ExitCode::corrupted, "bodies are lost",
              fmt::format("ranks have {} of {}", found[0], count_));
}

void Population::fail(Index id, const Error& error) {
  if (!failure_ || id < failure_->id) failure_ = Failure{id, error};
}

void Population::throw_failure() {
  Communicator& ranks = nodes_->communicator();
  std::array<std::int64_t, 1> first{failure_ ? failure_->id : std::numeric_limits<Index>::max()};
  ranks.minimum(first);
  const auto failure = std::exchange(failure_, std::nullopt);
  const bool is_first = failure && failure->id == first[0];
  throw_on_all(ranks, is_first ? std::optional(failure->error) : std::nullopt);
}

/// What bodies do to each other, to those of this rank.
std::vector<Population::FixedForce> Population::pair_forces(const NodeValues& values) {
  std::vector<FixedForce> sums(own_.size());
  if (!options_.repulsion.acts()) return sums;
  std::vector<device::BodyState> all = own_;
  all.insert(all.end(), others_.begin(), others_.end());
  const CellList list(all, cutoff_, nodes_->extents(), nodes_->period());
  const auto add = [](FixedVector& to, const FixedVector& what, Index sign) {
    for (std::size_t a = 0; a < 3; ++a) to[a] += sign * what[a];
  };
  std::mutex joining;
  values.parallel(list.cells(), [&](Index first, Index last) {
    std::vector<FixedForce> part(own_.size());
    list.visit_pairs_of(first, last, [&](std::size_t i, std::size_t j) {
      if (i >= own_.size() && j >= own_.size()) return;
      const device::BodyState &a = all[i], &b = all[j];
      try {
        const auto pair = pair_force(options_.repulsion, a, shape_of(a), b, shape_of(b),
                                     nodes_->period(), units_);
        if (!pair) return;
        if (i < own_.size()) {
          add(part[i].force, pair->force_on_b, -1);
          add(part[i].torque, pair->torque_on_a, 1);
        }
        if (j < own_.size()) {
          add(part[j].force, pair->force_on_b, 1);
          add(part[j].torque, pair->torque_on_b, 1);
        }
      } catch (const Error& error) {
        const std::lock_guard lock(joining);
        fail(a.id, error);
      }
    });
    const std::lock_guard lock(joining);
    for (std::size_t n = 0; n < own_.size(); ++n) {
      add(sums[n].force, part[n].force, 1);
      add(sums[n].torque, part[n].torque, 1);
    }
  });
  return sums;
}

/// Gravity and what bodies do to each other.
std::vector<OuterForce> Population::outer_forces(const NodeValues& values) {
  const std::vector<FixedForce> fixed = pair_forces(values);
  std::vector<OuterForce> outer(own_.size());
  for (std::size_t n = 0; n < own_.size(); ++n) {
    const BodyShape& shape = shape_of(own_[n]);
    for (std::size_t a = 0; a < 3; ++a) {
      outer[n].force[a] = static_cast<double>(fixed[n].force[a]) * units_.force +
                          (shape.density - 1) * shape.volume() * options_.gravity[a];
      outer[n].torque[a] = static_cast<double>(fixed[n].torque[a]) * units_.torque;
    }
  }
  return outer;
}

/// Over the nodes of this rank: of its own bodies, then of others.
Population::Sums Population::sums_around(const NodeValues& values) {
  std::vector<device::BodyState> all = own_;
  all.insert(all.end(), others_.begin(), others_.end());
  Sums sums(all.size() * device::body_sums);
  values.add_sums(all, kernels_, sums.data());
  if (options_.wall_strength > 0) values.add_missing(own_, kernels_, sums.data());
  return sums;
}

void Population::add_sums_of_others(Sums& sums) {
  Communicator& ranks = nodes_->communicator();
  Packing packing;
  for (std::size_t n = 0; n < others_.size(); ++n) {
    device::BodyState body = others_[n];
    const int owner = nodes_->owner(body.position);
    packing.add(owner, others_[n].id);
    packing.add(owner, sums.data() + (own_.size() + n) * device::body_sums, device::body_sums);
  }
  for (const Parcel& parcel : packing.exchange(ranks)) {
    for (Unpacking unpacking(parcel); !unpacking.is_empty();) {
      const auto id = unpacking.take<device::int64>();
      Index part[device::body_sums];
      unpacking.take(part, device::body_sums);
      Index* const of_body = sums.data() + position_of(own_, id) * device::body_sums;
      for (int s = 0; s < device::body_sums; ++s) of_body[s] += part[s];
    }
  }
}

std::vector<device::BodyPush> Population::move(const NodeValues& values, const Sums& sums,
                                               const std::vector<OuterForce>& outer) {
  std::vector<device::BodyPush> pushes(own_.size());
  std::mutex failing;
  values.parallel(static_cast<Index>(own_.size()), [&](Index begin, Index end) {
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      const device::BodyState before = own_[n];
      const std::span of_body(sums.data() + n * device::body_sums, device::body_sums);
      try {
        pushes[n] = move(own_[n], of_body, outer[n]);
      } catch (const Error& error) {
        const std::lock_guard lock(failing);
        fail(before.id, error);
        own_[n] = before;
      }
    }
  });
  return pushes;
}

device::BodyPush Population::move(device::BodyState& body, std::span<const Index> sums,
                                  OuterForce outer) const {
  const auto require_of_body = [&](bool holds, const std::string& problem, const std::string& why,
                                   const std::string& advice) {
    if (!holds) {
      throw Error(ExitCode::diverged, fmt::format("body {} {}", body.id, problem), why, advice);
    }
  };
  const device::BodyKernel& kernel = kernels_[static_cast<std::size_t>(body.shape)];
  require_of_body(
      sums[device::sum_bad] == 0, "sees a fluid that has blown up",
      fmt::format("faster than {} nodes a step, or not a number", device::most_node_speed),
      "make the flow slower");
  FlowAround flow = flow_around(sums, kernel, body);
  require_of_body(sums[device::sum_stranded] == 0 && flow.is_there, "has left the fluid",
                  "the node nearest to it is solid", keep_inside);
  follow(flow, body);
  const double solid = options_.wall_strength * kernel.sum_unit /
                       (kernel.width[0] * kernel.width[1] * kernel.width[2] * kernel.reach);
  const Real3 offset = to_nearest_node(body);
  for (std::size_t a = 0; a < 3; ++a) {
    const double moment = static_cast<double>(sums[device::sum_solid_n + a]) +
                          offset[a] * static_cast<double>(sums[device::sum_solid]);
    outer.force[a] = outer.force[a] - solid * moment;
  }
  const device::BodyPush push = advance(body, shape_of(body), flow, outer, units_.force);
  double square = 0;
  for (const double v : body.velocity) square = square + v * v;
  require_of_body(square <= most_displacement * most_displacement, "is too fast",
                  fmt::format("it moves by {:.3g} nodes a step, at most {} is allowed",
                              std::sqrt(square), most_displacement),
                  "make forces weaker, or time steps smaller");
  require_of_body(nodes_->owner(body.position) >= 0, "has left the grid",
                  fmt::format("it is at ({:.6g}, {:.6g}, {:.6g})", body.position[0],
                              body.position[1], body.position[2]),
                  keep_inside);
  return push;
}

}  // namespace goban
