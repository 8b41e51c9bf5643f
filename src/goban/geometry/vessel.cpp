#include "goban/geometry/vessel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/geometry/vector.hpp"

namespace goban {
namespace {

using namespace vectors;

std::string at_text(const Real3& at) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", at[0], at[1], at[2]);
}

/// Which openings a link meets, and where.
class Discs {
 public:
  Discs(std::span<const Opening> openings, const CellPlace& place)
      : openings_(openings), place_(place) {}

  struct Meeting {
    int opening;
    double part;      ///< the fraction of the link that lies before the disc
    bool is_outward;  ///< the link leaves the fluid
  };
  /// The first disc, a cell larger than its opening, that the link meets.
  std::optional<Meeting> meeting(const Real3& from, const Real3& along) const {
    std::optional<Meeting> first;
    for (std::size_t n = 0; n < openings_.size(); ++n) {
      const Opening& disc = openings_[n];
      const double before = dot(disc.center - from, disc.normal), speed = dot(along, disc.normal);
      const bool leaves = before >= 0 && speed > before;  // a point of the plane lies inside
      if (!leaves && !(before < 0 && speed <= before)) continue;
      const double part = before / speed;
      if (norm(from + part * along - disc.center) > disc.radius + place_.spacing) continue;
      if (!first || part < first->part) first = Meeting{static_cast<int>(n), part, leaves};
    }
    return first;
  }
  bool are_near(const Real3& at) const {
    return std::any_of(openings_.begin(), openings_.end(), [&](const Opening& disc) {
      return norm(at - disc.center) <= disc.radius + 3 * place_.spacing;
    });
  }

 private:
  std::span<const Opening> openings_;
  CellPlace place_;
};

Real3 as_vector(Index3 link, double spacing) {
  return {static_cast<double>(link[0]) * spacing, static_cast<double>(link[1]) * spacing,
          static_cast<double>(link[2]) * spacing};
}

/// Parts of the inside that hang together by links which no disc cuts.
class Parts {
 public:
  Parts(const ActiveCells& inside, const Discs& discs, const CellPlace& place, std::size_t openings)
      : inside_(inside),
        discs_(discs),
        place_(place),
        openings_(openings),
        parts_(static_cast<std::size_t>(inside.size()), -1) {
    inside.each([&](Index3 cell, Index rank) {
      if (parts_[static_cast<std::size_t>(rank)] < 0) flood(cell, rank);
    });
  }

  struct Part {
    Index cells = 0;
    Index3 first{};
    std::vector<bool> is_before, is_behind;  ///< openings
  };
  const std::vector<Part>& parts() const { return all_; }
  int part_of(Index rank) const { return parts_[static_cast<std::size_t>(rank)]; }

 private:
  void flood(Index3 first, Index rank) {
    const int number = static_cast<int>(all_.size());
    all_.push_back({0, first, std::vector<bool>(openings_), std::vector<bool>(openings_)});
    Part& part = all_.back();
    std::vector<Index3> front{first};
    parts_[static_cast<std::size_t>(rank)] = number;
    while (!front.empty()) {
      const Index3 cell = front.back();
      front.pop_back();
      ++part.cells;
      const Real3 center = place_.center(cell);
      const bool looks = discs_.are_near(center);
      for (const Index3& link : face_and_edge_links) {
        const auto meeting =
            looks ? discs_.meeting(center, as_vector(link, place_.spacing)) : std::nullopt;
        if (meeting) {
          auto& sides = meeting->is_outward ? part.is_before : part.is_behind;
          sides[static_cast<std::size_t>(meeting->opening)] = true;
          continue;
        }
        const Index3 beside = place_.image(cell + link);
        const Index next = inside_.find(beside);
        if (next < 0 || parts_[static_cast<std::size_t>(next)] >= 0) continue;
        parts_[static_cast<std::size_t>(next)] = number;
        front.push_back(beside);
      }
    }
  }

  const ActiveCells& inside_;
  const Discs& discs_;
  CellPlace place_;
  std::size_t openings_;
  std::vector<int> parts_;
  std::vector<Part> all_;
};

bool any(const std::vector<bool>& all) {
  return std::find(all.begin(), all.end(), true) != all.end();
}

/// Takes out of `inside` what is no fluid.
void keep_fluid(ActiveCells& inside, const Discs& discs, const CellPlace& place,
                std::span<const Opening> openings) {
  const Parts parts(inside, discs, place, openings.size());
  const auto is_stub = [](const Parts::Part& part) {
    return any(part.is_behind) && !any(part.is_before);
  };
  const Parts::Part* fluid = nullptr;
  for (const Parts::Part& part : parts.parts()) {
    if (is_stub(part)) continue;
    for (std::size_t n = 0; n < openings.size(); ++n) {
      require(!part.is_before[n] || !part.is_behind[n],
              "opening '" + openings[n].name + "' does not close the vessel",
              "fluid gets around its disc", "make its radius larger or turn it across the vessel");
    }
    if (fluid) {
      const auto& [less, more] =
          std::minmax(part, *fluid, [](const auto& a, const auto& b) { return a.cells < b.cells; });
      throw Error(ExitCode::usage, "the fluid does not hang together",
                  fmt::format("{} cells at {} have no way to the other {}", less.cells,
                              at_text(place.center(less.first)), more.cells),
                  "make the cells finer, or take that part out of the surface");
    }
    fluid = &part;
  }
  require(fluid != nullptr, "all fluid lies behind openings", "normals point out of the fluid",
          "turn the normals of the openings");
  for (std::size_t n = 0; n < openings.size(); ++n) {
    require(fluid->is_before[n], "opening '" + openings[n].name + "' touches no fluid",
            "its disc around " + at_text(openings[n].center) + " cuts no cell of the vessel off",
            "move its center into the vessel; normals point out of the fluid");
  }
  std::vector<Index3> stubs;
  inside.each([&](Index3 cell, Index rank) {
    if (is_stub(parts.parts()[static_cast<std::size_t>(parts.part_of(rank))]))
      stubs.push_back(cell);
  });
  for (const Index3& cell : stubs) inside.remove(cell);
  inside.sort();
}

/// The plane m . x = 1 that lies nearest to points, near ones above all, of least |m| where several
/// do: m / m^2.
Real3 foot_of(const std::vector<Real3>& points) {
  double a[3][3] = {}, b[3] = {};
  for (const Real3& p : points) {
    const double weight = 1 / dot(p, p);
    for (int i = 0; i < 3; ++i) {
      b[i] += weight * p[i];
      for (int j = 0; j < 3; ++j) a[i][j] += weight * p[i] * p[j];
    }
  }
  for (int i = 0; i < 3; ++i) a[i][i] += 1e-9 * static_cast<double>(points.size());
  const auto minor = [&](int i, int j) {
    const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
    return a[k][m] * a[l][n] - a[k][n] * a[l][m];
  };
  const double determinant = a[0][0] * minor(0, 0) + a[0][1] * minor(0, 1) + a[0][2] * minor(0, 2);
  Real3 m{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[i] += minor(i, j) * b[j] / determinant;
  }
  return 1 / dot(m, m) * m;
}

class Rim {
 public:
  Rim(const ActiveCells& fluid, const ActiveCells& inside, const VesselWall& wall,
      const Discs& discs, const CellPlace& place)
      : fluid_(fluid), inside_(inside), wall_(wall), discs_(discs), place_(place) {}

  std::vector<RimCell> cells() const {
    std::vector<RimCell> rim;
    std::vector<Index> ranks;
    fluid_.each([&](Index3 cell, Index rank) {
      RimCell all{cell};
      if (!look_around(all)) return;
      rim.push_back(all);
      ranks.push_back(rank);
    });
    for (RimCell& one : rim) {
      std::vector<Real3> points = touched_by(one, {});
      if (points.empty()) continue;
      for (const Index3& link : face_and_edge_links) {
        const Index beside = fluid_.find(place_.image(one.cell + link));
        const auto at = std::lower_bound(ranks.begin(), ranks.end(), beside);
        if (at == ranks.end() || *at != beside) continue;
        const auto more =
            touched_by(rim[static_cast<std::size_t>(at - ranks.begin())], as_vector(link, 1));
        points.insert(points.end(), more.begin(), more.end());
      }
      one.to_wall = foot_of(points);
    }
    return rim;
  }

 private:
  /// Points of the wall that links of a cell at `offset` meet, in cells.
  static std::vector<Real3> touched_by(const RimCell& rim, const Real3& offset) {
    std::vector<Real3> points;
    for (std::size_t q = 0; q < rim.parts.size(); ++q) {
      const double part = std::max(double{rim.parts[q]}, 1e-3);  // a point at 0 tells of no side
      if (rim.parts[q] > 0) points.push_back(offset + part * as_vector(face_and_edge_links[q], 1));
    }
    return points;
  }
  /// Whether it has neighbours that are no fluid.
  bool look_around(RimCell& rim) const {
    bool is_inner = true;
    for (std::size_t q = 0; q < rim.parts.size(); ++q) {
      const Index3 link = face_and_edge_links[q];
      if (fluid_.contains(place_.image(rim.cell + link)) && !is_cut(rim.cell, link)) continue;
      is_inner = false;
      const auto [part, opening] = end_of(rim.cell, link);
      constexpr float least = 1e-6f;  // 0 is fluid
      rim.parts[q] = std::max(static_cast<float>(part), least) * (opening >= 0 ? -1.0f : 1.0f);
      if (opening >= 0) rim.opening = opening;
    }
    return !is_inner;
  }
  bool is_cut(Index3 cell, Index3 link) const {
    const Real3 center = place_.center(cell);
    return discs_.are_near(center) && discs_.meeting(center, as_vector(link, place_.spacing));
  }
  /// Where a link ends, at the wall (-1) or an opening.
  std::pair<double, int> end_of(Index3 cell, Index3 link) const {
    const Real3 center = place_.center(cell), along = as_vector(link, place_.spacing);
    const auto meeting = discs_.are_near(center) ? discs_.meeting(center, along) : std::nullopt;
    if (meeting && inside_.contains(place_.image(cell + link)))
      return {meeting->part, meeting->opening};
    const double part = wall_.crossing(center, center + along);
    constexpr double nearly = 1e-3;  // a surface may be closed where it is open
    if (meeting && (part < 0 || meeting->part <= part + nearly))
      return {meeting->part, meeting->opening};
    require(part >= 0, "the vessel has no wall beside the cell at " + at_text(center),
            place_.contains(place_.image(cell + link))
                ? "its surface does not separate inside and outside"
                : "it reaches beyond the grid",
            "make the grid larger, or put an opening where it ends");
    return {part, -1};
  }

  const ActiveCells& fluid_;
  const ActiveCells& inside_;
  const VesselWall& wall_;
  const Discs& discs_;
  CellPlace place_;
};

/// Error: a cell has none within two links that is not at a wall.
void check_thickness(const Vessel& vessel, const CellPlace& place) {
  std::vector<char> is_thick(static_cast<std::size_t>(vessel.fluid.size()), 1);
  for (const RimCell& rim : vessel.rim) {
    const bool has_wall =
        std::any_of(rim.parts.begin(), rim.parts.end(), [](float part) { return part > 0; });
    if (has_wall) is_thick[static_cast<std::size_t>(vessel.fluid.find(rim.cell))] = 0;
  }
  for (int round = 0; round < 2; ++round) {
    std::vector<Index> grown;
    for (const RimCell& rim : vessel.rim) {
      const Index rank = vessel.fluid.find(rim.cell);
      if (is_thick[static_cast<std::size_t>(rank)]) continue;
      for (const Index3& link : face_and_edge_links) {
        const Index next = vessel.fluid.find(place.image(rim.cell + link));
        if (next >= 0 && is_thick[static_cast<std::size_t>(next)]) {
          grown.push_back(rank);
          break;
        }
      }
    }
    for (const Index rank : grown) is_thick[static_cast<std::size_t>(rank)] = 1;
  }
  const auto thin = std::count(is_thick.begin(), is_thick.end(), 0);
  if (thin == 0) return;
  for (const RimCell& rim : vessel.rim) {
    if (is_thick[static_cast<std::size_t>(vessel.fluid.find(rim.cell))]) continue;
    throw Error(ExitCode::usage,
                "the vessel is thinner than three cells at " + at_text(place.center(rim.cell)),
                fmt::format("so are {} cells of {}", thin, vessel.fluid.size()),
                "make grid.spacing smaller");
  }
}

}  // namespace

Vessel make_vessel(ActiveCells inside, const VesselWall& wall, const CellPlace& place,
                   std::span<const Opening> openings) {
  require(inside.size() > 0, "the vessel covers no cell", "no center of a cell lies inside of it",
          "look at its unit of length and the grid's place");
  const Discs discs(openings, place);
  Vessel vessel{inside, {}};
  keep_fluid(vessel.fluid, discs, place, openings);
  vessel.rim = Rim(vessel.fluid, inside, wall, discs, place).cells();
  check_thickness(vessel, place);
  return vessel;
}

}  // namespace goban
