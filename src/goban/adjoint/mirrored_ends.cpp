#include "goban/adjoint/mirrored_ends.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

double weight_of(const BoundaryCondition& condition) {
  switch (condition.kind) {
    case BoundaryCondition::Kind::mirror:
    case BoundaryCondition::Kind::gradient: return 1;
    case BoundaryCondition::Kind::wall_value: return -1;
    default: return 0;
  }
}

}  // namespace

double MirroredCells::weight(const BoundarySet& sides) const {
  double weight = 1;
  for (const Axis a : all_axes) {
    const Along& one = along[static_cast<std::size_t>(index_of(a))];
    if (one.is_mirrored) weight *= weight_of(sides.at(a, one.side));
  }
  return weight;
}

std::optional<std::array<int, 3>> MirroredCells::shift(const std::array<int, 3>& offset) const {
  std::array<int, 3> shift{};
  for (std::size_t a = 0; a < 3; ++a) {
    const Along& one = along[a];
    shift[a] = -offset[a];
    if (!one.is_mirrored) continue;
    const bool is_low = one.side == Side::low;
    const int beyond =
        is_low ? -offset[a] : offset[a] + one.excess;  // layers that it is read beyond
    if (beyond < one.depth) return {};
    shift[a] += is_low ? -one.distance : one.distance;
  }
  return shift;
}

bool ReadsOfField::are_local() const {
  return excess == std::array{0, 0, 0} &&
         std::all_of(offsets.begin(), offsets.end(), [](const auto& offset) {
           return offset == std::array{0, 0, 0};
         });
}

std::vector<MirroredCells> mirrored_ends(const GridState& grid, const ReadsOfField& reads) {
  std::vector<MirroredCells> all{{{}, grid.domain(reads.location)}};
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.is_periodic(static_cast<int>(a))) continue;
    const int excess = reads.excess[a];
    int low = 0, high = 0;
    for (const auto& offset : reads.offsets) {
      low = std::max(low, -offset[a]);
      high = std::max(high, offset[a] + excess);
    }
    const int on_faces = is_staggered(reads.location, static_cast<int>(a)) ? 1 : 0;
    const std::vector<MirroredCells> before = all;
    for (const MirroredCells& cells : before) {
      const auto add = [&](Side side, int reach) {
        for (int depth = 1; depth <= std::min<Index>(reach, grid.cells[a]); ++depth) {
          MirroredCells made = cells;
          made.along[a] = {true, side, depth, 2 * depth - 1 + on_faces, excess};
          const int inside = depth - 1 + on_faces;
          made.box.lower[a] = side == Side::low ? inside : cells.box.upper[a] - 1 - inside;
          made.box.upper[a] = made.box.lower[a] + 1;
          all.push_back(made);
        }
      };
      add(Side::low, low);
      add(Side::high, high);
    }
  }
  all.erase(all.begin());  // the one without a mirror
  return all;
}

std::vector<HeldFaces> held_faces(const GridState& grid, const FieldRecord& field) {
  std::vector<HeldFaces> all;
  for (int a = 0; a < 3; ++a) {
    if (!is_staggered(field.location, a) || grid.is_periodic(a)) continue;
    for (const Side side : both_sides) {
      HeldFaces faces{grid.domain(field.location)};
      const auto axis = static_cast<std::size_t>(a);
      (side == Side::low ? faces.box.upper : faces.box.lower)[axis] =
          side == Side::low ? 1 : faces.box.upper[axis] - 1;
      for (int c = 0; c < field.components; ++c) {
        const bool is_held =
            field.condition(c, a, side).kind == BoundaryCondition::Kind::wall_value;
        if (is_held) faces.components.push_back(c);
      }
      if (!faces.components.empty()) all.push_back(std::move(faces));
    }
  }
  return all;
}

void check_ends(const FieldRecord& field, const Stage& stage) {
  for (const BoundarySet& component : field.boundary) {
    for (const auto& axis : component.sides) {
      for (const BoundaryCondition& side : axis) {
        require(side.kind != BoundaryCondition::Kind::custom,
                "no derivatives of stage '" + stage.name + "'",
                "'" + field.name + "' has a boundary condition by a rule of its own",
                "periodic, constant, wall_value, gradient and mirror have derivatives");
      }
    }
  }
}

}  // namespace goban::detail
