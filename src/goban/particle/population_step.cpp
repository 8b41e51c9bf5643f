// One step of all bodies.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/particle/messages.hpp"
#include "goban/particle/population.hpp"

namespace goban {
namespace {

/// So many steps bodies are passed in the order that they once had in space.
constexpr int steps_of_order = 256;
constexpr const char* keep_inside = "let walls push it back (wall_strength)";

Error error_of(Index id, const device::BodyFault& fault) {
  using device::BodyTrouble;
  const double(&x)[3] = fault.numbers;
  const auto error = [&](const std::string& problem, const std::string& why,
                         const std::string& advice) {
    return Error(ExitCode::diverged, fmt::format("body {} {}", id, problem), why, advice);
  };
  switch (fault.trouble) {
    case BodyTrouble::met:
      return Error(ExitCode::diverged, fmt::format("bodies {} and {} have met", id, fault.other),
                   fmt::format("their surfaces are {:.3g} nodes within each other", -x[0]),
                   "make the repulsion stronger or wider, or the flow slower");
    case BodyTrouble::fast_fluid:
      return error(
          "sees a fluid that has blown up",
          fmt::format("faster than {} nodes a step, or not a number", device::most_node_speed),
          "make the flow slower");
    case BodyTrouble::left_fluid:
      return error("has left the fluid", "the node nearest to it is solid", keep_inside);
    case BodyTrouble::too_fast:
      return error("is too fast",
                   fmt::format("it moves by {:.3g} nodes a step, at most {} is allowed", x[0],
                               device::most_displacement),
                   "make forces weaker, or time steps smaller");
    default:
      return error("has left the grid",
                   fmt::format("it is at ({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]), keep_inside);
  }
}

}  // namespace

void Population::step(NodeValues& values) {
  const Time begin = std::chrono::steady_clock::now();
  double waited = 0;
  if (distribution_ != nodes_->distribution()) distribute(std::vector(own()));
  fill_parts(values);
  if (!parts_.empty() && options_.repulsion.acts()) {
    parts_.front()->run(BodyWork::repel);  // while devices compute the velocities
  }
  const bool is_alone = this->is_alone();
  if (!is_alone) {
    const Stopwatch watch(waited);
    nodes_->domain().synchronize();
  }
  values.open();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p]->bind(values.parts()[p], units_.force);
    parts_[p]->run(BodyWork::sum);
  }
  is_alone ? step_alone() : step_with_others();
  values.close();
  measure(begin, waited);
  settle();
}

/// An executor that runs behind the host is not waited for where it needs nobody else.
bool Population::is_alone() const {
  return nodes_->communicator().size() == 1 && parts_.size() == 1;
}

device::BodyStep Population::rules() const {
  device::BodyStep rules{};
  rules.grid = nodes_->tables();
  rules.repulsion = numbers_of(options_.repulsion, units_);
  std::copy(options_.gravity.begin(), options_.gravity.end(), rules.gravity);
  rules.wall_strength = options_.wall_strength;
  for (std::size_t a = 0; a < 3; ++a) {
    rules.near.count[a] = std::max<Index>(1, static_cast<Index>(nodes_->extents()[a] / cutoff_));
  }
  return rules;
}

void Population::make_parts(const std::vector<CoupledNodes>& nodes) {
  std::vector<device::BodyNumbers> shapes;
  for (const BodyShape& shape : options_.shapes) shapes.push_back(shape.numbers());
  device::BodyStep rules = this->rules();
  for (const CoupledNodes& there : nodes) {
    rules.sees_missing = parts_.empty() && options_.wall_strength > 0 ? 1 : 0;
    parts_.push_back(std::make_unique<BodyPart>(there, nodes_, rules, shapes));
  }
}

void Population::fill_parts(NodeValues& values) {
  const std::vector<CoupledNodes>& nodes = values.parts();
  if (parts_.empty()) make_parts(nodes);
  const bool is_filled = std::exchange(are_parts_filled_, true);
  if (is_filled && ++steps_in_order_ < steps_of_order) return;
  steps_in_order_ = 0;
  for (const auto& part : parts_) {
    is_filled ? part->put_order(own(), others_) : part->put(own_, others_);
  }
}

void Population::step_alone() {
  BodyPart& part = *parts_.front();
  part.run(BodyWork::move);
  part.run(BodyWork::push);
  part.swap();
  is_own_here_ = false;
  if (part.has_failed()) look_for_failure(part);
}

void Population::step_with_others() {
  Sums sums = sums_of_parts();
  add_sums_of_others(sums);
  States moved(own_.size()), after;
  Pushes pushes(own_.size());
  if (!parts_.empty()) {
    BodyPart& first = *parts_.front();
    sums.resize(own_.size() * device::body_sums);
    first.put_sums(sums);
    first.run(BodyWork::move);
    first.take_moved(moved);
    first.take_pushes(pushes);
    if (first.has_failed()) look_for_failure(first);
  }
  const Pushes of_others = tell(moved, pushes, after);
  pushes.insert(pushes.end(), of_others.begin(), of_others.end());
  for (const auto& part : parts_) {
    part->put_pushes(pushes);
    part->run(BodyWork::push);
  }
  sort_in(std::move(after));
}

void Population::measure(Time begin, double waited) {
  const auto seconds = [](Time from, Time to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const Time before = std::exchange(latest_, begin);
  if (is_alone() && parts_.front()->is_behind()) {
    const BodyTimes times = parts_.front()->times();
    share_.add(times.bodies, times.step);
  } else if (before != Time{}) {
    share_.add(latest_seconds_, seconds(before, begin));
  }
  latest_seconds_ = seconds(begin, std::chrono::steady_clock::now()) - waited;
}

void Population::look_for_failure(const BodyPart& part) {
  std::vector<device::BodyFault> faults(own_.size());
  part.take_faults(faults);
  for (std::size_t n = 0; n < faults.size(); ++n) {
    if (faults[n].trouble != device::BodyTrouble::none) {
      fail(own_[n].id, error_of(own_[n].id, faults[n]));
      break;
    }
  }
}

/// Over the nodes of this rank: of its own bodies, then of others.
Population::Sums Population::sums_of_parts() const {
  Sums sums((own_.size() + others_.size()) * device::body_sums), part(sums.size());
  for (const auto& one : parts_) {
    one->take_sums(part);
    std::transform(part.begin(), part.end(), sums.begin(), sums.begin(), std::plus<>());
  }
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

/// Ranks hear what bodies do to their nodes, in the order of others, and which bodies they will
/// have to do with, `after`.
Population::Pushes Population::tell(const States& moved, const Pushes& pushes, States& after) {
  Communicator& ranks = nodes_->communicator();
  if (ranks.size() == 1) {
    after = moved;
    return {};
  }
  struct Push {
    Index id;
    device::BodyPush push;
  };
  std::map<int, std::vector<Push>> pushes_for;
  std::map<int, std::vector<device::BodyState>> bodies_for;
  const std::vector<Ranks> before_near = ranks_near(own_), after_near = ranks_near(moved);
  for (std::size_t n = 0; n < own_.size(); ++n) {
    for (const int rank : before_near[n]) {
      if (rank != ranks.rank()) pushes_for[rank].push_back({own_[n].id, pushes[n]});
    }
    for (const int rank : after_near[n]) bodies_for[rank].push_back(moved[n]);
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
  own();
  parts_.clear();  // with what has failed there
  are_parts_filled_ = false;
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

}  // namespace goban
