#include "heat/effective.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "goban/base/agreement.hpp"
#include "goban/base/exact_sum.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/goban.hpp"
#include "goban/grid/each_cell.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {
namespace {

std::array<Parameter<double>, 3> row(const std::string& name) {
  return {Parameter<double>(name + "x"), Parameter<double>(name + "y"),
          Parameter<double>(name + "z")};
}

}  // namespace

double EffectiveConductivity::asymmetry() const {
  double difference = 0, largest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    largest = std::max(largest, std::abs(tensor[a][a]));
    for (std::size_t c = 0; c < a; ++c) {
      difference = std::max(difference, std::abs(tensor[a][c] - tensor[c][a]));
    }
  }
  return largest > 0 ? difference / largest : 0;
}

template <class Layout>
FlowBalance<Layout>::FlowBalance(Grid& grid, const SteadyState<3, Layout>& state)
    : flow(grid, "flow"),
      grid_(grid),
      state_(state),
      total_{row("flow_x"), row("flow_y"), row("flow_z")} {}

template <class Layout>
Program FlowBalance<Layout>::program() const {
  const Real3 h = grid_.spacing();
  const auto& [conductivity, x, y, z] = state_.medium;
  const std::array faces = {&x, &y, &z};
  Program balance("flow balance");
  balance.apply(FlowAlongGradient{h}, in(state_.u), in(x), in(y), in(z), out(flow));
  unroll<3>([&](auto a) {
    unroll<3>([&](auto c) {
      balance.reduce(Flow<all_axes[a], c>{h[a], a == c ? 1.0 : 0.0}, in(state_.u), in(*faces[a]),
                     goban::sum, into(total_[a][c]));
    });
  });
  balance.reduce(Resist{}, in(conductivity), goban::sum, into(resistance_));
  return balance;
}

template <class Layout>
EffectiveConductivity FlowBalance<Layout>::result() const {
  const double cells = static_cast<double>(product(grid_.cells()));
  EffectiveConductivity result;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t c = 0; c < 3; ++c) result.tensor[a][c] = total_[a][c].value() / cells;
  }
  result.voigt = state_.medium.conductivity.sum() / cells;
  result.reuss = cells / resistance_.value();
  result.plane_deviation = plane_deviation();
  return result;
}

/// Exact sums over planes, so that it does not matter which rank has which cells; each looks at all
/// its own once.
template <class Layout>
double FlowBalance<Layout>::plane_deviation() const {
  constexpr Index bytes_at_a_time = Index{16} << 20;
  const Index3 n = grid_.cells();
  Communicator& ranks = *grid_.state()->context->communicator();
  std::array<std::vector<ExactSum>, 3> through;
  for (std::size_t a = 0; a < 3; ++a) through[a].resize(static_cast<std::size_t>(n[a]));
  const Box own = domain_of(*grid_.state()).decomposition().owned_by(ranks.rank());
  std::vector<Box> boxes;
  if (!own.empty()) boxes = blocks_of(own.extents(), 3 * sizeof(double), bytes_at_a_time);
  agree(ranks, [&] {
    for (const Box& box : boxes) {
      const Box cells = shifted(box, own.lower);
      const auto values = flow.copy_out_own(cells);
      const double* value = values.data();
      for (std::size_t a = 0; a < 3; ++a) {
        each_cell(cells, [&](Index3 cell) {
          through[a][static_cast<std::size_t>(cell[a])].add(*value++);
        });
      }
    }
  });
  double worst = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double area = static_cast<double>(product(n) / n[a]);
    ExactSum all;
    for (ExactSum& plane : through[a]) {
      sum_over_ranks(ranks, plane);
      all.merge(plane);
    }
    const double mean = all.value() / (area * static_cast<double>(n[a]));
    for (const ExactSum& plane : through[a]) {
      worst = std::max(worst, std::abs(plane.value() / area / mean - 1));
    }
  }
  return worst;
}

template class FlowBalance<ijk>;
template class FlowBalance<kij>;

}  // namespace goban::heat
