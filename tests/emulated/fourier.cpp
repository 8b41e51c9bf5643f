#include "tests/emulated/fourier.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace goban::emulated {
namespace {

using device::Complex;
using device::FourierSolve;
using device::int32;
using device::Wave;

/// Transforms `n` numbers that lie `stride` apart; `sign` is that of the exponent.
template <class T>
void transform(Complex<T>* line, int32 n, Index stride, int sign) {
  std::vector<Wave> turns, sums(static_cast<std::size_t>(n));
  for (int32 k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * k / n;
    turns.push_back({std::cos(angle), sign * std::sin(angle)});
  }
  for (int32 k = 0; k < n; ++k) {
    for (int32 i = 0; i < n; ++i) {
      const Complex<T>& value = line[i * stride];
      Wave& sum = sums[static_cast<std::size_t>(k)];
      sum = sum + turns[static_cast<std::size_t>(static_cast<Index>(i) * k % n)] *
                      Wave{static_cast<double>(value.re), static_cast<double>(value.im)};
    }
  }
  for (int32 k = 0; k < n; ++k) {
    const Wave& sum = sums[static_cast<std::size_t>(k)];
    line[k * stride] = {static_cast<T>(sum.re), static_cast<T>(sum.im)};
  }
}

template <class T>
void transform_planes(const FourierSolve& solve, int sign) {
  for (int32 pair = 0; pair < solve.pairs(); ++pair) {
    for (int32 j = 0; j < solve.y.cells; ++j) {
      transform(solve.at<T>(0, j, pair), solve.x.cells, 1, sign);
    }
    for (int32 i = 0; i < solve.x.cells; ++i) {
      transform(solve.at<T>(i, 0, pair), solve.y.cells, solve.x.cells, sign);
    }
  }
}

template <class Visit>
void visit_cells(const FourierSolve& solve, const Visit& visit) {
  for (int32 pair = 0; pair < solve.pairs(); ++pair) {
    for (int32 j = 0; j < solve.y.cells; ++j) {
      for (int32 i = 0; i < solve.x.cells; ++i) visit(i, j, pair);
    }
  }
}

template <class T>
void find_mean(const FourierSolve& solve) {
  if (!solve.is_singular) return;
  double sum = 0;
  for (int32 pair = 0; pair < solve.pairs(); ++pair) {
    sum += device::constant_wave<T>(solve, pair);
  }
  *solve.mean = sum / solve.levels;
}

template <class T>
void run(const FourierSolve& solve) {
  visit_cells(solve, [&](auto... at) { device::load_cell<T>(solve, at...); });
  transform_planes<T>(solve, -1);
  find_mean<T>(solve);
  for (int32 l = 0; l < solve.y.pairs; ++l) {
    for (int32 k = 0; k < solve.x.pairs; ++k) {
      solve.is_periodic ? device::solve_columns<T, true>(solve, k, l)
                        : device::solve_columns<T, false>(solve, k, l);
    }
  }
  find_mean<T>(solve);
  transform_planes<T>(solve, 1);
  visit_cells(solve, [&](auto... at) { device::store_cell<T>(solve, at...); });
}

}  // namespace

void solve_by_waves(const FourierTask& task) {
  task.type == ElementType::float32 ? run<float>(task.solve) : run<double>(task.solve);
}

}  // namespace goban::emulated
