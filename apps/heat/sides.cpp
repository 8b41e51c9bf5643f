#include "heat/sides.hpp"

#include <algorithm>

#include "goban/boundary/ghost_formula.hpp"
#include "goban/stencil/finite_differences.hpp"

namespace goban::heat {
namespace {

constexpr Index bytes_at_a_time = Index{4} << 20;

/// Returns the value of a ghost cell `depth` layers beyond the side, depth from 1; `inside` is that
/// of the cell as many layers inside of it.
double ghost(const BoundaryCondition& side, double inside, int depth, double spacing, double time) {
  return ghost_formula(side.kind, side.value_at(time), spacing * (2 * depth - 1))(inside);
}

}  // namespace

SideFlows::SideFlows(const Model& model, AnyField temperature, std::optional<AnyField> conductivity)
    : model_(model),
      temperature_(std::move(temperature)),
      conductivity_(std::move(conductivity)),
      reach_(model.has_conductances() ? 1 : model.order / 2) {}

/// As numbers, x fastest.
std::vector<double> SideFlows::layers(const AnyField& field, const Box& box) const {
  const FieldRecord& record = *field.record();
  std::vector<std::byte> elements(static_cast<std::size_t>(box.volume()) * record.element_size());
  field.store().copy_out(record, box, elements.data());
  std::vector<double> values(static_cast<std::size_t>(box.volume()));
  visit_element(record.type, [&]<class T>(T) {
    const T* const from = reinterpret_cast<const T*>(elements.data());
    std::transform(from, from + values.size(), values.begin(), [](T value) {
      return static_cast<double>(static_cast<ArithmeticOf<T>>(value));
    });
  });
  return values;
}

double SideFlows::flow(std::size_t axis, std::size_t side, double time) const {
  const GridState& grid = temperature_.grid();
  const BoundaryCondition& condition = model_.boundary.sides[axis][side];
  const double h = grid.spacing[axis], film = model_.convection[axis][side] * h;
  const double area = grid.spacing[0] * grid.spacing[1] * grid.spacing[2] / h;
  const auto reach = std::min<Index>(reach_, grid.cells[axis]);
  Box layers_of_side{{0, 0, 0}, grid.cells};
  if (side == 0) {
    layers_of_side.upper[axis] = reach;
  } else {
    layers_of_side.lower[axis] = grid.cells[axis] - reach;
  }
  // A piece of the side after the other, cut across the last axis along it.
  const std::size_t across = axis == 2 ? 1 : 2;
  const Index row = layers_of_side.volume() / grid.cells[across];
  const Index rows = std::max<Index>(1, bytes_at_a_time / (Index{sizeof(double)} * row));
  double sum = 0;
  Box box = layers_of_side;
  for (Index first = 0; first < grid.cells[across]; first += rows) {
    box.lower[across] = first;
    box.upper[across] = std::min(first + rows, grid.cells[across]);
    const std::vector<double> u = layers(temperature_, box);
    const std::vector<double> k =
        conductivity_ ? layers(*conductivity_, box) : std::vector<double>();
    const Index3 n = box.extents();
    const Index stride = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
    Index3 cell;
    for (cell[2] = 0; cell[2] < (axis == 2 ? 1 : n[2]); ++cell[2]) {
      for (cell[1] = 0; cell[1] < (axis == 1 ? 1 : n[1]); ++cell[1]) {
        for (cell[0] = 0; cell[0] < (axis == 0 ? 1 : n[0]); ++cell[0]) {
          const Index start = (cell[2] * n[1] + cell[1]) * n[0] + cell[0];
          const auto at = [&](Index layer) {  // from the side
            const Index inwards = side == 0 ? layer : reach - 1 - layer;
            return static_cast<std::size_t>(start + inwards * stride);
          };
          const auto value = [&](int layer) {  // 1, 2, ... inside, 0, -1, ... beyond
            const int depth = layer > 0 ? layer : 1 - layer;
            const double inside = u[at(std::min<Index>(depth, reach) - 1)];
            return layer > 0 ? inside : ghost(condition, inside, depth, h, time);
          };
          double conductivity = conductivity_ ? k[at(0)] : model_.medium.conductivity;
          if (film > 0) conductivity *= film / (2 * conductivity + film);
          double difference = 0;
          for (int j = 1; j <= reach_; ++j) {
            for (int s = 0; s < j; ++s) {
              difference +=
                  finite_differences::second(reach_, j) * (value(1 + s) - value(1 + s - j));
            }
          }
          sum += conductivity * difference / h;
        }
      }
    }
  }
  return sum * area;
}

std::vector<Column> SideFlows::columns(const Parameter<double>& now) const {
  using Kind = BoundaryCondition::Kind;
  std::vector<Column> all;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Kind kind = model_.boundary.sides[a][side].kind;
      if (kind == Kind::periodic || kind == Kind::mirror) continue;
      all.push_back(
          {std::string("heat_flow_") + "xyz"[a] + (side == 0 ? "_low" : "_high"), "W",
           [this_side = *this, a, side, now] { return this_side.flow(a, side, now.value()); }});
    }
  }
  return all;
}

}  // namespace goban::heat
