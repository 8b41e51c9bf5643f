#include "goban/solver/host_fourier.hpp"

namespace goban {

template <class T>
HostFourier<T>::HostFourier(const FourierProblem& problem)
    : problem_(problem), n_(problem.cells), row_((n_[0] + 7) / 8 * 8 + 8), plane_(row_ * n_[1]) {
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = 0; i < n_[a]; ++i) eigenvalues_[a].push_back(problem.eigenvalue(a, i));
  }
  scale_ = 1 / (size_of(problem.waves[0], n_[0]) * size_of(problem.waves[1], n_[1]));
  if (has_waves_along_z()) scale_ /= size_of(problem.waves[2], n_[2]);
}

template <class T>
void HostFourier<T>::run(std::vector<T>& values, Executor& threads) {
  prepare();
  const auto planes = [&](const auto& work) {
    threads.parallel(n_[2], [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) work(k, memory_.get() + k * plane_);
    });
  };
  planes([&](Index k, double* plane) {
    load(values, k, plane);
    planes_->to_waves.run(plane);
  });
  threads.parallel(n_[1], [&](Index begin, Index end) {
    std::vector<double> scratch(has_waves_along_z() ? 0 : static_cast<std::size_t>(n_[0] * n_[2]));
    for (Index j = begin; j < end; ++j) solve_row(j, memory_.get() + j * row_, scratch);
  });
  planes([&](Index k, double* plane) {
    planes_->to_values.run(plane);
    store(values, k, plane);
  });
}

template <class T>
void HostFourier<T>::prepare() {
  if (memory_) return;
  memory_ = transform_memory(plane_ * n_[2]);
  const auto both = [&](const std::vector<RealTransform::Axis>& axes, Index count) {
    return std::make_unique<Both>(
        Both{RealTransform(axes, count, Direction::to_waves, memory_.get()),
             RealTransform(axes, count, Direction::to_values, memory_.get())});
  };
  planes_ = both({{n_[1], row_, problem_.waves[1]}, {n_[0], 1, problem_.waves[0]}}, 1);
  if (has_waves_along_z()) columns_ = both({{n_[2], plane_, problem_.waves[2]}}, n_[0]);
}

template <class T>
void HostFourier<T>::load(const std::vector<T>& values, Index k, double* plane) const {
  const auto of_side = [&](std::size_t a, Index i) {
    return (i == 0 ? problem_.ends[a][0] : 0) + (i == n_[a] - 1 ? problem_.ends[a][1] : 0);
  };
  const T* from = values.data() + k * n_[0] * n_[1];
  for (Index j = 0; j < n_[1]; ++j, from += n_[0]) {
    double* const row = plane + j * row_;
    const double beside = of_side(1, j) + of_side(2, k);
    for (Index i = 0; i < n_[0]; ++i) row[i] = static_cast<double>(from[i]) - beside;
    row[0] -= problem_.ends[0][0];
    row[n_[0] - 1] -= problem_.ends[0][1];
  }
}

template <class T>
void HostFourier<T>::store(std::vector<T>& values, Index k, const double* plane) const {
  T* to = values.data() + k * n_[0] * n_[1];
  for (Index j = 0; j < n_[1]; ++j, to += n_[0]) {
    for (Index i = 0; i < n_[0]; ++i) to[i] = static_cast<T>(scale_ * plane[j * row_ + i]);
  }
}

template <class T>
void HostFourier<T>::solve_row(Index j, double* row, std::vector<double>& scratch) const {
  if (has_waves_along_z()) {
    columns_->to_waves.run(row);
    for (Index k = 0; k < n_[2]; ++k) {
      double* const at = row + k * plane_;
      const double rest = eigenvalues_[1][static_cast<std::size_t>(j)] +
                          eigenvalues_[2][static_cast<std::size_t>(k)];
      for (Index i = 0; i < n_[0]; ++i)
        at[i] /= eigenvalues_[0][static_cast<std::size_t>(i)] + rest;
      if (problem_.is_singular && j == 0 && k == 0) at[0] = 0;
    }
    columns_->to_values.run(row);
    return;
  }
  if (problem_.is_singular && j == 0) take_mean_off(row);
  eliminate(j, row, scratch);
  for (Index k = n_[2] - 2; k >= 0; --k) {
    double* const at = row + k * plane_;
    const double *const above = at + plane_, *const c = scratch.data() + k * n_[0];
    for (Index i = 0; i < n_[0]; ++i) at[i] -= c[i] * above[i];
  }
  if (problem_.is_singular && j == 0) take_mean_off(row);
}

template <class T>
void HostFourier<T>::eliminate(Index j, double* row, std::vector<double>& scratch) const {
  const double a = problem_.per_h2[2];
  for (Index k = 0; k < n_[2]; ++k) {
    double* const at = row + k * plane_;
    double* const c = scratch.data() + k * n_[0];
    double diagonal = -2 * a + eigenvalues_[1][static_cast<std::size_t>(j)];
    if (k == 0) diagonal += problem_.beyond[0] * a;
    if (k == n_[2] - 1) diagonal += problem_.beyond[1] * a;
    const double coupling = k == 0 ? 0 : a;
    const double* const below = k == 0 ? at : at - plane_;
    const double* const c_below = k == 0 ? c : c - n_[0];
    for (Index i = 0; i < n_[0]; ++i) {
      const double pivot =
          diagonal + eigenvalues_[0][static_cast<std::size_t>(i)] - coupling * c_below[i];
      c[i] = a / pivot;
      at[i] = (at[i] - coupling * below[i]) / pivot;
    }
    if (problem_.is_singular && j == 0 && k == n_[2] - 1) at[0] = c[0] = 0;  // for 0 / 0, a / 0
  }
}

template <class T>
void HostFourier<T>::take_mean_off(double* row) const {
  double sum = 0;
  for (Index k = 0; k < n_[2]; ++k) sum += row[k * plane_];
  for (Index k = 0; k < n_[2]; ++k) row[k * plane_] -= sum / static_cast<double>(n_[2]);
}

template class HostFourier<float>;
template class HostFourier<double>;

}  // namespace goban
