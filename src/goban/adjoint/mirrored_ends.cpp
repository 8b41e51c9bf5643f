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
    const int beyond = one.side == Side::low ? -offset[a] : offset[a];  // cells it is read beyond
    if (beyond <= one.layer) return {};
    shift[a] += one.side == Side::low ? -1 - 2 * one.layer : 1 + 2 * one.layer;
  }
  return shift;
}

std::vector<MirroredCells> mirrored_ends(const GridState& grid,
                                         const std::vector<std::array<int, 3>>& offsets) {
  std::vector<MirroredCells> all{{{}, {{0, 0, 0}, grid.cells}}};
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.is_periodic(static_cast<int>(a))) continue;
    int low = 0, high = 0;
    for (const auto& offset : offsets) {
      low = std::max(low, -offset[a]);
      high = std::max(high, offset[a]);
    }
    const std::vector<MirroredCells> before = all;
    for (const MirroredCells& cells : before) {
      const auto add = [&](Side side, int reach) {
        for (int layer = 0; layer < std::min<Index>(reach, grid.cells[a]); ++layer) {
          MirroredCells made = cells;
          made.along[a] = {true, side, layer};
          made.box.lower[a] = side == Side::low ? layer : grid.cells[a] - 1 - layer;
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
