#include "goban/solver/spectrum.hpp"

#include <cmath>
#include <numbers>

#include "goban/solver/real_transform.hpp"

namespace goban {

void require_spectrum(const GridState& grid) {
  for (int a = 0; a < 3; ++a) {
    require(grid.is_periodic(a), "there is no spectrum",
            std::string("the grid is not periodic along ") + "xyz"[a]);
  }
  require_transforms();
}

std::vector<SpectrumLine> spectrum_of(const GridState& grid, const std::vector<double>& values) {
  require_spectrum(grid);
  const Index3 n = grid.cells;
  const Index row = n[0] + n[0] % 2, plane = row * n[1];
  const auto memory = transform_memory(plane * n[2]);
  const RealTransform transform(
      {{n[2], plane, Waves::periodic}, {n[1], row, Waves::periodic}, {n[0], 1, Waves::periodic}}, 1,
      RealTransform::Direction::to_waves, memory.get());
  for (Index r = 0; r < n[1] * n[2]; ++r) {
    std::copy_n(values.data() + r * n[0], n[0], memory.get() + r * row);
  }
  transform.run(memory.get());

  // Wave numbers of places along an axis, and how often their squares count.
  std::array<std::vector<double>, 3> k, weight;
  double width = std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double first = 2 * std::numbers::pi / (static_cast<double>(n[a]) * grid.spacing[a]);
    for (Index i = 0; i < n[a]; ++i) {
      k[a].push_back(first * static_cast<double>(std::min(i, n[a] - i)));
      weight[a].push_back(i == 0 || 2 * i == n[a] ? 1 : 2);
    }
    if (n[a] > 1) width = std::min(width, first);
    largest += std::pow(first * static_cast<double>(n[a] / 2), 2);
  }
  std::vector<SpectrumLine> lines(static_cast<std::size_t>(std::sqrt(largest) / width + 1.5));
  for (std::size_t l = 0; l < lines.size(); ++l) lines[l] = {width * static_cast<double>(l), 0};
  const double scale = 0.5 / (std::pow(static_cast<double>(product(n)), 2) * width);
  for (std::size_t z = 0; z < k[2].size(); ++z) {
    for (std::size_t y = 0; y < k[1].size(); ++y) {
      const double* const at =
          memory.get() + static_cast<Index>(z) * plane + static_cast<Index>(y) * row;
      for (std::size_t x = 0; x < k[0].size(); ++x) {
        const double length = std::sqrt(k[0][x] * k[0][x] + k[1][y] * k[1][y] + k[2][z] * k[2][z]);
        lines[static_cast<std::size_t>(length / width + 0.5)].density +=
            scale * weight[0][x] * weight[1][y] * weight[2][z] * at[x] * at[x];
      }
    }
  }
  return lines;
}

}  // namespace goban
