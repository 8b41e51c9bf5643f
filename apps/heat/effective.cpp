#include "heat/effective.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "goban/domain/rank_reductions.hpp"
#include "goban/goban.hpp"
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

/// Cell by cell in the order of their indices, so that the sums have the same bits always; every
/// rank looks at planes of its own.
template <class Layout>
double FlowBalance<Layout>::plane_deviation() const {
  const Index3 n = grid_.cells();
  Communicator& ranks = *grid_.state()->context->communicator();
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double area = static_cast<double>(product(n) / n[c]);
    const double mean = flow.sum(static_cast<int>(c)) / (area * static_cast<double>(n[c]));
    for (Index first_of_all = 0; first_of_all < n[c]; first_of_all += ranks.size()) {
      const Index i = first_of_all + ranks.rank();
      Box plane;
      if (i < n[c]) {
        plane.upper = n;
        plane.lower[c] = i;
        plane.upper[c] = i + 1;
      }
      const auto values = flow.copy_out(plane);
      if (values.empty()) continue;
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(c) * plane.volume();
      const double total = std::accumulate(first, first + plane.volume(), 0.0);
      worst = std::max(worst, std::abs(total / area / mean - 1));
    }
  }
  return -minimum_of_ranks(ranks, -worst);
}

template class FlowBalance<ijk>;
template class FlowBalance<kij>;

}  // namespace goban::heat
