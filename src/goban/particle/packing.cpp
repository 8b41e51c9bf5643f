#include "goban/particle/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/particle/cell_list.hpp"
#include "goban/particle/inside.hpp"
#include "goban/particle/repulsion.hpp"

namespace goban {
namespace {

/// Numbers in [0, 1), by what they are for.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(mix(seed)) {}
  double at(Index body, int n) const {
    const std::uint64_t of_body = mix(seed_ ^ static_cast<std::uint64_t>(body));
    return static_cast<double>(mix(of_body + static_cast<std::uint64_t>(n)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t seed_;
};

/// Any rotation is as likely as any other: a point of the sphere in four dimensions, by rejection.
Quaternion random_rotation(const Numbers& numbers, Index body) {
  for (int n = 3;; n += 4) {
    Quaternion q;
    double square = 0;
    for (int i = 0; i < 4; ++i) {
      q[static_cast<std::size_t>(i)] = 2 * numbers.at(body, n + i) - 1;
      square += q[static_cast<std::size_t>(i)] * q[static_cast<std::size_t>(i)];
    }
    if (square > 1 || square < 0.01) continue;
    for (double& x : q) x /= std::sqrt(square);
    return q;
  }
}

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

/// Moves and turns bodies that are nearer than `gap` apart; returns the largest that was missing.
double relax(std::vector<device::BodyState>& bodies, const BodyShape& shape, const Room& room,
             double gap) {
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

/// Nodes of a body are active, all of those that have their middle in it.
bool is_in(const ActiveCells& active, const Room& room, const Body& body, const BodyShape& shape) {
  bool are_active = true;
  visit_nodes_inside(state_of(0, body), shape, [&](Index3 node) {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto n = static_cast<Index>(room.extents[a]);
      if (room.period[a] > 0) node[a] = (node[a] + n) % n;
      are_active = are_active && node[a] >= 0 && node[a] < n;
    }
    are_active = are_active && active.find(node) >= 0;
  });
  return are_active;
}

std::vector<Body> packed_in(const Room& room, const BodyShape& shape,
                            const PackingOptions& options) {
  constexpr int most_rounds = 4000;
  const double volume = room.extents[0] * room.extents[1] * room.extents[2];
  const auto count = static_cast<Index>(std::llround(options.hematocrit * volume / shape.volume()));
  const Numbers numbers(options.seed);
  std::vector<device::BodyState> bodies;
  for (Index id = 0; id < count; ++id) {
    Body body;
    for (std::size_t a = 0; a < 3; ++a) {
      body.position[a] = room.extents[a] * numbers.at(id, static_cast<int>(a));
    }
    body.quaternion = random_rotation(numbers, id);
    bodies.push_back(state_of(id, body));
  }
  const double slack = 0.02 * shape.longest_semi_axis();  // so that rounds come to an end
  double missing = 0;                                     // before a round
  for (int round = 0; round < most_rounds; ++round) {
    missing = relax(bodies, shape, room, options.gap + slack);
    if (missing <= slack / 2) break;
  }
  require(missing <= slack / 2, fmt::format("{} bodies cannot be packed", count),
          fmt::format("at a hematocrit of {:.3g} they could not be kept {} nodes apart",
                      options.hematocrit, options.gap),
          "take fewer bodies or a smaller gap");
  std::vector<Body> placed;
  for (const device::BodyState& state : bodies) placed.push_back(body_of(state));
  return placed;
}

/// A crowd of a periodic box, repeated in all boxes beside each other.
std::vector<Body> packed_in(const ActiveCells& active, const Room& room, const BodyShape& shape,
                            const PackingOptions& options) {
  const double least = std::max(24.0, 6 * shape.longest_semi_axis());
  Room small;
  Index3 count{};
  for (std::size_t a = 0; a < 3; ++a) {
    count[a] = std::max<Index>(1, static_cast<Index>(room.extents[a] / least));
    small.extents[a] = room.extents[a] / static_cast<double>(count[a]);
    small.period[a] = count[a] > 1 ? small.extents[a] : room.period[a];
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
          if (is_in(active, room, body, shape)) placed.push_back(body);
        }
      }
    }
  }
  return placed;
}

}  // namespace

std::vector<Body> packed(const Grid& grid, const BodyShape& shape, const PackingOptions& options) {
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
  std::vector<Body> placed = grid.active() ? packed_in(*grid.active(), room, shape, options)
                                           : packed_in(room, shape, options);
  for (Body& body : placed) {
    for (std::size_t a = 0; a < 3; ++a) body.position[a] += static_cast<double>(region.lower[a]);
  }
  return placed;
}

}  // namespace goban
