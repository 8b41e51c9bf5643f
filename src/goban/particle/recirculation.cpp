#include "goban/particle/recirculation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "goban/geometry/vector.hpp"
#include "goban/particle/inside.hpp"
#include "goban/particle/messages.hpp"
#include "goban/particle/population.hpp"
#include "goban/particle/random_numbers.hpp"

namespace goban {
namespace {

using namespace vectors;
using States = std::vector<device::BodyState>;

constexpr int most_draws = 256;     // of places for a body
constexpr double least_gap = 0.05;  // between bodies, nodes

/// Gives every rank the bodies of all ranks for which is_one(body) holds, by rising id.
template <class Predicate>
States gather(Population& population, const Predicate& is_one) {
  Communicator& ranks = population.nodes().communicator();
  States all;
  for (const device::BodyState& body : population.own()) {
    if (is_one(body)) all.push_back(body);
  }
  Packing packing;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != ranks.rank() && !all.empty()) packing.add(rank, all.data(), all.size());
  }
  for (const Parcel& parcel : packing.exchange(ranks)) {
    for (Unpacking unpacking(parcel); !unpacking.is_empty();) {
      all.push_back(unpacking.take<device::BodyState>());
    }
  }
  std::sort(all.begin(), all.end(), by_id);
  return all;
}

/// Draws places for one body; which ones follows from its id and from where it is.
class Entry {
 public:
  Entry(const device::BodyState& body, const BodyShape& shape,
        const std::vector<BodyOpening>& openings, const std::vector<double>& inflows)
      : body_(body),
        shape_(shape),
        openings_(openings),
        inflows_(inflows),
        numbers_(seed_of(body)) {
    for (const double inflow : inflows_) all_ += std::max(0.0, inflow);
  }

  /// Returns false where the draw is none of the profile.
  bool draw(Index n, device::BodyState& entered) const {
    double at = all_ * numbers_.at(n, 0);
    std::size_t chosen = 0;
    while (chosen + 1 < inflows_.size() && at >= std::max(0.0, inflows_[chosen])) {
      at -= std::max(0.0, inflows_[chosen++]);
    }
    const BodyOpening& opening = openings_[chosen];
    const double part = std::sqrt(numbers_.at(n, 1)), profile = 1 - part * part;
    if (numbers_.at(n, -1) > profile) return false;
    const Real3& normal = opening.normal;
    const Real3 beside = std::abs(normal[0]) < 0.5 ? Real3{1, 0, 0} : Real3{0, 1, 0};
    const Real3 first = direction(cross(normal, beside)), second = cross(normal, first);
    const double angle = 2 * std::numbers::pi * numbers_.at(n, 2);
    const double depth = opening.depth + (0.5 + numbers_.at(n, -2)) * shape_.longest_semi_axis();
    Body body = body_of(body_);
    body.position = opening.center - depth * normal +
                    part * opening.radius * (std::cos(angle) * first + std::sin(angle) * second);
    body.quaternion = random_rotation(numbers_, n);
    const double area = std::numbers::pi * opening.radius * opening.radius;
    body.velocity = -2 * profile * inflows_[chosen] / area * normal;
    body.rotation = {};
    entered = state_of(body_.id, body);
    return true;
  }

 private:
  static std::uint64_t seed_of(const device::BodyState& body) {
    auto seed = static_cast<std::uint64_t>(body.id);
    for (const double x : body.position) seed = mix(seed) ^ std::bit_cast<std::uint64_t>(x);
    return seed;
  }

  const device::BodyState& body_;
  const BodyShape& shape_;
  const std::vector<BodyOpening>& openings_;
  const std::vector<double>& inflows_;
  RandomNumbers numbers_;
  double all_ = 0;
};

bool lies_in_fluid(const device::BodyState& body, const BodyShape& shape, const FluidNodes& nodes) {
  bool is_there = true;
  visit_nodes_inside(body, shape, [&](Index3 node) {
    const double middle[3] = {static_cast<double>(node[0]) + 0.5,
                              static_cast<double>(node[1]) + 0.5,
                              static_cast<double>(node[2]) + 0.5};
    is_there = is_there && nodes.has(middle);
  });
  return is_there;
}

}  // namespace

double BodyOpening::distance(const double (&position)[3]) const {
  const Real3 from = center - Real3{position[0], position[1], position[2]};
  const double along = dot(from, normal);
  const double across = dot(from, from) - along * along;
  return across < radius * radius && along > -radius ? along
                                                     : std::numeric_limits<double>::infinity();
}

Index steps_between_looks(const std::vector<BodyOpening>& openings) {
  Index steps = 8;
  for (const BodyOpening& opening : openings) {
    steps = std::min(steps, static_cast<Index>(opening.depth / device::most_displacement));
  }
  return std::max(steps, Index{1});
}

void recirculate(Population& population, const std::vector<BodyOpening>& openings) {
  const auto& shapes = population.options().shapes;
  const auto shape_of = [&](const device::BodyState& body) -> const BodyShape& {
    return shapes[static_cast<std::size_t>(body.shape)];
  };
  double longest = 0;
  for (const BodyShape& shape : shapes) longest = std::max(longest, shape.longest_semi_axis());
  const auto is_near = [&](const device::BodyState& body, double more) {
    return std::any_of(openings.begin(), openings.end(), [&](const BodyOpening& opening) {
      return opening.distance(body.position) < opening.depth + more;
    });
  };
  const States leaving = gather(population, [&](const auto& body) { return is_near(body, 0); });
  if (leaving.empty()) return;
  std::vector<double> inflows;
  for (const BodyOpening& opening : openings) inflows.push_back(opening.inflow());
  if (std::none_of(inflows.begin(), inflows.end(), [](double x) { return x > 0; })) return;
  States beside = gather(population, [&](const auto& body) { return is_near(body, 4 * longest); });
  const auto has_room = [&](const device::BodyState& body) {
    return std::none_of(beside.begin(), beside.end(), [&](const device::BodyState& other) {
      if (other.id == body.id) return false;
      const Real3 r = between(body, other, population.nodes().period());
      const double most = 2 * longest + least_gap;
      return dot(r, r) < most * most &&
             contact(body, shape_of(body), other, shape_of(other), r).gap < least_gap;
    });
  };
  States moved;
  for (const device::BodyState& body : leaving) {
    const Entry entry(body, shape_of(body), openings, inflows);
    device::BodyState entered{};
    for (int n = 0; n < most_draws; ++n) {
      if (!entry.draw(n, entered) || !has_room(entered) ||
          !lies_in_fluid(entered, shape_of(body), population.nodes())) {
        continue;
      }
      beside[position_of(beside, body.id)] = entered;
      moved.push_back(entered);
      break;
    }
  }
  if (moved.empty()) return;
  population.replace(population.nodes().communicator().rank() == 0 ? moved : States{});
}

}  // namespace goban
