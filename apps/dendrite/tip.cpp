#include "dendrite/tip.hpp"

#include <algorithm>

namespace goban::dendrite {
namespace {

template <class T>
std::vector<T> line(const Field<T>& field, Index3 through, std::size_t along, Index cells) {
  Box box{through, through + Index3{1, 1, 1}};
  box.lower[along] = 0;
  box.upper[along] = cells;
  return field.copy_out(box);
}

/// The highest cell that is solid by more than half; the lowest cell if there is none.
template <class T>
Index3 highest_solid(const GrowthStep<T>& step, Index3 cells, std::size_t along) {
  for (Index level = cells[along] - 1; level >= 0; --level) {
    Box layer{{0, 0, 0}, cells};
    layer.lower[along] = level;
    layer.upper[along] = level + 1;
    const std::vector<T> phase = step.phase.copy_out(layer);
    const auto most = std::max_element(phase.begin(), phase.end());
    if (*most < T(0.5)) continue;
    Index at = most - phase.begin();
    Index3 cell{};
    for (std::size_t a = 0; a < 3; ++a) {
      const Index extent = a == along ? 1 : cells[a];
      cell[a] = a == along ? level : at % extent;
      at /= extent;
    }
    return cell;
  }
  return {};
}

}  // namespace

template <class T>
TipLine tip_line(const GrowthStep<T>& step) {
  const Index3 cells = step.phase.grid()->cells;
  const auto along = static_cast<std::size_t>(index_of(growth_axis(dimensions_of(cells))));
  const Index3 tip = highest_solid(step, cells, along);
  const std::vector<T> phase = line(step.phase, tip, along, cells[along]);
  const std::vector<T> c = line(*step.concentration, tip, along, cells[along]);
  TipLine found;
  const auto from = static_cast<std::size_t>(tip[along]);
  found.largest = *std::max_element(c.begin() + tip[along], c.end());
  for (std::size_t i = from + 1; i-- > 0;) {
    found.solid = c[i];
    if (phase[i] > T(0.99)) break;
  }
  return found;
}

template TipLine tip_line(const GrowthStep<float>&);
template TipLine tip_line(const GrowthStep<double>&);

}  // namespace goban::dendrite
