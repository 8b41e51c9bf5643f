#include "goban/particle/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "goban/base/error.hpp"
#include "goban/particle/cell_list.hpp"
#include "goban/particle/inside.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"
#include "goban/particle/random_numbers.hpp"
#include "goban/particle/repulsion.hpp"

namespace goban {
namespace {

/// A box that bodies are packed into, from 0.
struct Room {
  Real3 extents{}, period{};
};

/// How far a body reaches along an axis.
double half_extent(const device::BodyState& body, const BodyShape& shape, std::size_t axis) {
  double axes[3][3];
  device::body_axes(body.quaternion, axes);
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    square += shape.semi_axes[a] * shape.semi_axes[a] * axes[a][axis] * axes[a][axis];
  }
  return std::sqrt(square);
}

struct Push {
  Real3 shift{}, turn{};
};

/// Adds what moves a body out of places where no body may be; returns how far, about.
using Walls = std::function<double(const device::BodyState& body, Push& push)>;

/// Moves and turns bodies that are nearer than `gap` apart, or in walls; returns the largest that
/// was missing.
double relax(std::vector<device::BodyState>& bodies, const BodyShape& shape, const Room& room,
             double gap, const Walls& walls) {
  const double longest = shape.longest_semi_axis();
  double most = 0;
  std::vector<Push> pushes(bodies.size());
  CellList(bodies, 2 * longest + gap, room.extents, room.period)
      .visit_pairs([&](std::size_t i, std::size_t j) {
        const Real3 r = between(bodies[i], bodies[j], room.period);
        const double far = 2 * longest + gap;
        if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > far * far) return;
        const Contact near = contact(bodies[i], shape, bodies[j], shape, r);
        const double missing = gap - near.gap;
        if (missing <= 0) return;
        most = std::max(most, missing);
        for (std::size_t a = 0; a < 3; ++a) {
          pushes[i].shift[a] -= 0.4 * missing * near.along[a];
          pushes[j].shift[a] += 0.4 * missing * near.along[a];
          pushes[i].turn[a] += 0.4 * missing * near.turn_a[a] / (longest * longest);
          pushes[j].turn[a] += 0.4 * missing * near.turn_b[a] / (longest * longest);
        }
      });
  for (std::size_t n = 0; walls && n < bodies.size(); ++n) {
    most = std::max(most, walls(bodies[n], pushes[n]));
  }
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    device::BodyState& body = bodies[n];
    Body moved = body_of(body);
    moved.quaternion = product(rotation_by(pushes[n].turn), moved.quaternion);
    double norm = 0;
    for (const double x : moved.quaternion) norm += x * x;
    for (double& x : moved.quaternion) x /= std::sqrt(norm);
    for (std::size_t a = 0; a < 3; ++a) {
      double& x = moved.position[a];
      x += std::clamp(pushes[n].shift[a], -longest / 2, longest / 2);
      if (room.period[a] > 0) {
        x -= room.period[a] * std::floor(x / room.period[a]);
        if (x >= room.period[a]) x = 0;
        continue;
      }
      const double half = half_extent(body, shape, a) + gap;
      const double inside = std::clamp(x, half, std::max(half, room.extents[a] - half));
      most = std::max(most, std::abs(inside - x) - 1e-9);
      x = inside;
    }
    body = state_of(body.id, moved);
  }
  return most;
}

/// How many bodies a hematocrit takes, the nearest number.
Index count_for(const BodyShape& shape, double volume, double hematocrit) {
  return static_cast<Index>(std::llround(hematocrit * volume / shape.volume()));
}

/// Pushes bodies apart until all are kept.
std::vector<Body> relaxed(std::vector<device::BodyState> bodies, const Room& room,
                          const BodyShape& shape, const PackingOptions& options,
                          const Walls& walls = nullptr) {
  constexpr int most_rounds = 4000;
  const double slack = 0.02 * shape.longest_semi_axis();  // so that rounds come to an end
  double missing = 0;                                     // before a round
  for (int round = 0; round < most_rounds; ++round) {
    missing = relax(bodies, shape, room, options.gap + slack, walls);
    if (missing <= slack / 2) break;
  }
  require(missing <= slack / 2, fmt::format("{} bodies cannot be packed", bodies.size()),
          fmt::format("at a hematocrit of {:.3g} they could not be kept {} nodes apart{}",
                      options.hematocrit, options.gap, walls ? " within the active cells" : ""),
          "take fewer bodies or a smaller gap");
  std::vector<Body> placed;
  for (const device::BodyState& state : bodies) placed.push_back(body_of(state));
  return placed;
}

std::vector<Body> packed_in(const Room& room, const BodyShape& shape,
                            const PackingOptions& options) {
  const double volume = room.extents[0] * room.extents[1] * room.extents[2];
  const RandomNumbers numbers(options.seed);
  std::vector<device::BodyState> bodies;
  for (Index id = 0; id < count_for(shape, volume, options.hematocrit); ++id) {
    Body body;
    for (std::size_t a = 0; a < 3; ++a) {
      body.position[a] = room.extents[a] * numbers.at(id, static_cast<int>(a));
    }
    body.quaternion = random_rotation(numbers, id);
    bodies.push_back(state_of(id, body));
  }
  return relaxed(std::move(bodies), room, shape, options);
}

/// Moves a body away from cells that are not active and in which some of it lies: towards where
/// fewer of them are around it.
double push_from(const FluidNodes& nodes, const BodyShape& shape, const device::BodyState& body,
                 Push& push) {
  const device::BodyKernel whole = kernel_of_surface(shape);
  const device::BodyPlace place = device::place_of(body, whole);
  Real3 inward{}, turn{};
  double deepest = 0;
  std::vector<std::pair<Real3, double>> inside;
  nodes.visit_missing(
      place.lower, place.upper, [&](const device::Index(&at)[3], std::uint64_t bits, Index count) {
        for (Index i = 0; i < count; ++i) {
          if ((bits >> i & 1) == 0) continue;
          Real3 r;
          for (std::size_t a = 0; a < 3; ++a) {
            r[a] = static_cast<double>(at[a] + (a == 0 ? i : 0)) + 0.5 - place.position[a];
            inward[a] -= r[a];
          }
          const double part = part_of_surface(place, r);
          if (part < 1) inside.emplace_back(r, 1 - part);
        }
      });
  const double length =
      std::sqrt(inward[0] * inward[0] + inward[1] * inward[1] + inward[2] * inward[2]);
  if (inside.empty() || length == 0) return 0;
  for (double& x : inward) x /= length;
  const double longest = shape.longest_semi_axis();
  for (const auto& [r, depth] : inside) {
    deepest = std::max(deepest, depth * longest);
    turn[0] += depth * (r[1] * inward[2] - r[2] * inward[1]);
    turn[1] += depth * (r[2] * inward[0] - r[0] * inward[2]);
    turn[2] += depth * (r[0] * inward[1] - r[1] * inward[0]);
  }
  const double shift = 0.1 + 0.4 * deepest;
  for (std::size_t a = 0; a < 3; ++a) {
    push.shift[a] += shift * inward[a];
    push.turn[a] += 0.4 * turn[a] / (longest * longest * static_cast<double>(inside.size()));
  }
  return shift;
}

/// A crowd of a small periodic box, repeated in all boxes beside each other, as far as it lies in
/// active cells with its positions.
std::vector<Body> repeated_crowd(const FluidNodes& nodes, const Room& room, const BodyShape& shape,
                                 const PackingOptions& options) {
  const double least = std::max(24.0, 6 * shape.longest_semi_axis());
  Room small;
  Index3 count{};
  for (std::size_t a = 0; a < 3; ++a) {
    count[a] = std::max<Index>(1, static_cast<Index>(room.extents[a] / least));
    small.extents[a] = room.extents[a] / static_cast<double>(count[a]);
    small.period[a] = small.extents[a];
  }
  const std::vector<Body> crowd = packed_in(small, shape, options);
  std::vector<Body> placed;
  Index3 n;
  for (n[2] = 0; n[2] < count[2]; ++n[2]) {
    for (n[1] = 0; n[1] < count[1]; ++n[1]) {
      for (n[0] = 0; n[0] < count[0]; ++n[0]) {
        for (Body body : crowd) {
          for (std::size_t a = 0; a < 3; ++a) {
            body.position[a] += small.extents[a] * static_cast<double>(n[a]);
          }
          if (nodes.has(state_of(0, body).position)) placed.push_back(body);
        }
      }
    }
  }
  return placed;
}

/// So many of them, in their order; where there are fewer all, and others at random in active
/// cells.
std::vector<device::BodyState> chosen(const std::vector<Body>& crowd, std::size_t count,
                                      const ActiveCells& active, const RandomNumbers& numbers) {
  std::vector<std::pair<double, std::size_t>> lots;
  for (std::size_t n = 0; n < crowd.size(); ++n) {
    lots.emplace_back(numbers.at(static_cast<Index>(n), 0), n);
  }
  std::sort(lots.begin(), lots.end());
  lots.resize(std::min(count, lots.size()));
  std::sort(lots.begin(), lots.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::vector<device::BodyState> bodies;
  for (std::size_t n = 0; n < count; ++n) {
    const auto id = static_cast<Index>(n);
    Body body;
    if (n < lots.size()) {
      body = crowd[lots[n].second];
    } else {
      const double cell = numbers.at(id, 1) * static_cast<double>(active.size());
      const Index3 node = active[static_cast<Index>(cell)];
      for (std::size_t a = 0; a < 3; ++a) body.position[a] = static_cast<double>(node[a]) + 0.5;
      body.quaternion = random_rotation(numbers, id);
    }
    bodies.push_back(state_of(id, body));
  }
  return bodies;
}

std::vector<Body> packed_in(const Grid& grid, const Room& room, const BodyShape& shape,
                            const PackingOptions& options) {
  constexpr double easy = 0.45;  // to pack
  const FluidNodes nodes(grid.state());
  const Index count =
      count_for(shape, static_cast<double>(grid.active()->size()), options.hematocrit);
  PackingOptions of_crowd = options;
  of_crowd.hematocrit = std::min(options.hematocrit, easy);
  auto bodies =
      chosen(repeated_crowd(nodes, room, shape, of_crowd), static_cast<std::size_t>(count),
             *grid.active(), RandomNumbers(options.seed + 1));
  return relaxed(std::move(bodies), room, shape, options,
                 [&](const device::BodyState& body, Push& push) {
                   return push_from(nodes, shape, body, push);
                 });
}

}  // namespace

std::vector<Body> packed(const Grid& grid, const BodyShape& shape, const PackingOptions& options) {
  require(options.hematocrit >= 0 && options.hematocrit <= 1, "no bodies can be packed",
          fmt::format("a hematocrit of {:.3g} is not between 0 and 1", options.hematocrit));
  const Box all{{0, 0, 0}, grid.cells()};
  const Box region = options.region.value_or(all);
  require(!region.empty() && all.contains(region), "no bodies can be packed",
          fmt::format("box {} is not one of the grid", to_string(region)));
  Room room;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    room.extents[axis] = static_cast<double>(region.extent(a));
    const bool is_around = grid.state()->is_box_periodic(a) && region.extent(a) == all.extent(a);
    room.period[axis] = is_around ? room.extents[axis] : 0;
  }
  require(!grid.active() || region == all, "no bodies can be packed",
          "a region is not for grids of active cells", "leave it out");
  if (grid.state()->context->settings().on_paper) return {};
  std::vector<Body> placed =
      grid.active() ? packed_in(grid, room, shape, options) : packed_in(room, shape, options);
  for (Body& body : placed) {
    for (std::size_t a = 0; a < 3; ++a) body.position[a] += static_cast<double>(region.lower[a]);
  }
  return placed;
}

}  // namespace goban
