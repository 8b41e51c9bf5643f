#include "goban/domain/ranks/rank_reductions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace goban {
namespace {

/// Maps numbers to integers in the same order; NaN comes first.
std::int64_t in_order(double value) {
  if (std::isnan(value)) return std::numeric_limits<std::int64_t>::min();
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

double from_order(std::int64_t number) {
  return std::bit_cast<double>(number < 0 ? number ^ std::numeric_limits<std::int64_t>::max()
                                          : number);
}

}  // namespace

double minimum_of_ranks(Communicator& communicator, double value) {
  std::array<std::int64_t, 1> least{in_order(value)};
  communicator.minimum(least);
  return from_order(least[0]);
}

void sum_over_ranks(Communicator& communicator, ExactSum& sum) {
  if (communicator.size() == 1) return;
  ExactSum::State state = sum.state();
  communicator.sum({reinterpret_cast<std::uint64_t*>(state.data()), state.size()});
  sum = ExactSum();
  sum.merge(state);
}

void reduce_over_ranks(Communicator& communicator, Reducer& reducer) {
  if (communicator.size() == 1) return;
  if (reducer.kind == Reduction::sum) return sum_over_ranks(communicator, reducer.sum);
  const double sign = reducer.kind == Reduction::minimum ? 1 : -1;
  const double extremum = sign * minimum_of_ranks(communicator, sign * reducer.value());
  reducer.add(&extremum, 1);
}

void sum_over_machine(Communicator& communicator, std::span<Index> values) {
  if (communicator.size() == 1) return;
  const auto& nodes = communicator.nodes();
  const auto machines = static_cast<std::size_t>(1 + *std::ranges::max_element(nodes));
  const auto mine = static_cast<std::size_t>(nodes[static_cast<std::size_t>(communicator.rank())]);
  std::vector<std::uint64_t> all(machines * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    all[mine * values.size() + i] = static_cast<std::uint64_t>(values[i]);
  }
  communicator.sum(all);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Index>(all[mine * values.size() + i]);
  }
}

bool all_have(Communicator& communicator, const Box& box) {
  if (communicator.size() == 1) return true;
  std::array<std::int64_t, 12> bounds{};
  for (std::size_t a = 0; a < 3; ++a) {
    bounds[a] = box.lower[a];
    bounds[a + 3] = box.upper[a];
    bounds[a + 6] = -box.lower[a];
    bounds[a + 9] = -box.upper[a];
  }
  communicator.minimum(bounds);
  for (std::size_t i = 0; i < 6; ++i) {
    if (bounds[i] != -bounds[i + 6]) return false;
  }
  return true;
}

}  // namespace goban
