#include "goban/solver/fourier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "goban/backend/api.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/solver/real_transform.hpp"
#include "goban/solver/relaxation.hpp"

namespace goban {
namespace {

/// What a side adds to div grad u of the cell at it beside what a homogeneous one would.
double flow_through(const BoundaryCondition& side, double h) {
  if (side.kind == BoundaryCondition::Kind::wall_value) return 2 * side.value / (h * h);
  return side.kind == BoundaryCondition::Kind::gradient ? side.value / h : 0;
}

}  // namespace

/// Values lie in rows along x that begin on 64 bytes, row after row along y, plane after plane.
template <class T>
class Fourier<T>::Solve {
 public:
  Solve(const GridState& grid, const BoundarySet& boundary, const FourierOptions& options)
      : n_(grid.cells),
        row_((n_[0] + 7) / 8 * 8 + 8),
        plane_(row_ * n_[1]),
        is_singular_(multigrid::is_singular(boundary)),
        most_imbalance_(options.most_imbalance) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double h = grid.spacing[a];
      const auto& [low, high] = boundary.sides[a];
      per_h2_[a] = 1 / (h * h);
      ends_[a] = {flow_through(low, h), flow_through(high, h)};
      waves_[a] = waves_between(low, high);
      const auto cells = n_[a];
      for (Index i = 0; i < cells; ++i) {
        eigenvalues_[a].push_back(per_h2_[a] * second_difference(waves_[a], cells, i));
      }
      is_odd_[a] = {low.kind == BoundaryCondition::Kind::wall_value,
                    high.kind == BoundaryCondition::Kind::wall_value};
    }
    scale_ = 1 / (size_of(waves_[0], n_[0]) * size_of(waves_[1], n_[1]));
    if (has_waves_along_z()) scale_ /= size_of(waves_[2], n_[2]);
  }

  /// Makes u of f, in place.
  void run(std::vector<T>& values, Executor& threads) {
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
      std::vector<double> scratch(has_waves_along_z() ? 0
                                                      : static_cast<std::size_t>(n_[0] * n_[2]));
      for (Index j = begin; j < end; ++j) solve_row(j, memory_.get() + j * row_, scratch);
    });
    planes([&](Index k, double* plane) {
      planes_->to_values.run(plane);
      store(values, k, plane);
    });
  }

  /// Checks, on all ranks, that there is a solution; the first rank has all of f.
  void check(const std::vector<T>& values, const std::string& name, Communicator& ranks) const {
    if (!is_singular_ || std::isinf(most_imbalance_)) return;
    std::array<double, 2> found = imbalance(values);
    ranks.broadcast(std::as_writable_bytes(std::span(found)), 0);
    require(std::abs(found[0]) <= most_imbalance_ * found[1],
            "there is no solution for the right-hand side '" + name + "'",
            fmt::format("no side holds a value and its mean is {} more than what flows through the "
                        "sides",
                        found[0]),
            "balance it, or let its mean be taken off");
  }

 private:
  using Direction = RealTransform::Direction;
  struct Both {
    RealTransform to_waves, to_values;
  };

  /// The mean of f less what flows through the sides, and the largest magnitude of f.
  std::array<double, 2> imbalance(const std::vector<T>& values) const {
    double mean = 0, largest = 0;
    for (const T value : values) {
      mean += static_cast<double>(value) / static_cast<double>(product(n_));
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    for (std::size_t a = 0; a < 3; ++a) {
      mean -= (ends_[a][0] + ends_[a][1]) / static_cast<double>(n_[a]);
    }
    return {mean, largest};
  }

  bool has_waves_along_z() const { return waves_[2] == Waves::periodic; }

  /// Once, by the rank that solves.
  void prepare() {
    if (memory_) return;
    memory_ = transform_memory(plane_ * n_[2]);
    const auto both = [&](const std::vector<RealTransform::Axis>& axes, Index count) {
      return std::make_unique<Both>(
          Both{RealTransform(axes, count, Direction::to_waves, memory_.get()),
               RealTransform(axes, count, Direction::to_values, memory_.get())});
    };
    planes_ = both({{n_[1], row_, waves_[1]}, {n_[0], 1, waves_[0]}}, 1);
    if (has_waves_along_z()) columns_ = both({{n_[2], plane_, waves_[2]}}, n_[0]);
  }

  void load(const std::vector<T>& values, Index k, double* plane) const {
    const auto of_side = [&](std::size_t a, Index i) {
      return (i == 0 ? ends_[a][0] : 0) + (i == n_[a] - 1 ? ends_[a][1] : 0);
    };
    const T* from = values.data() + k * n_[0] * n_[1];
    for (Index j = 0; j < n_[1]; ++j, from += n_[0]) {
      double* const row = plane + j * row_;
      const double beside = of_side(1, j) + of_side(2, k);
      for (Index i = 0; i < n_[0]; ++i) row[i] = static_cast<double>(from[i]) - beside;
      row[0] -= ends_[0][0];
      row[n_[0] - 1] -= ends_[0][1];
    }
  }

  void store(std::vector<T>& values, Index k, const double* plane) const {
    T* to = values.data() + k * n_[0] * n_[1];
    for (Index j = 0; j < n_[1]; ++j, to += n_[0]) {
      for (Index i = 0; i < n_[0]; ++i) to[i] = static_cast<T>(scale_ * plane[j * row_ + i]);
    }
  }

  /// All columns of waves with this number along y.
  void solve_row(Index j, double* row, std::vector<double>& scratch) const {
    if (has_waves_along_z()) {
      columns_->to_waves.run(row);
      for (Index k = 0; k < n_[2]; ++k) {
        double* const at = row + k * plane_;
        const double rest = eigenvalues_[1][static_cast<std::size_t>(j)] +
                            eigenvalues_[2][static_cast<std::size_t>(k)];
        for (Index i = 0; i < n_[0]; ++i)
          at[i] /= eigenvalues_[0][static_cast<std::size_t>(i)] + rest;
        if (is_singular_ && j == 0 && k == 0) at[0] = 0;
      }
      columns_->to_values.run(row);
      return;
    }
    if (is_singular_ && j == 0) take_mean_off(row);
    eliminate(j, row, scratch);
    for (Index k = n_[2] - 2; k >= 0; --k) {
      double* const at = row + k * plane_;
      const double *const above = at + plane_, *const c = scratch.data() + k * n_[0];
      for (Index i = 0; i < n_[0]; ++i) at[i] -= c[i] * above[i];
    }
    if (is_singular_ && j == 0) take_mean_off(row);
  }

  /// Thomas' way up, row by row: afterwards u(k) = values(k) - scratch(k) u(k + 1).
  void eliminate(Index j, double* row, std::vector<double>& scratch) const {
    const double a = per_h2_[2];
    for (Index k = 0; k < n_[2]; ++k) {
      double* const at = row + k * plane_;
      double* const c = scratch.data() + k * n_[0];
      double diagonal = -2 * a + eigenvalues_[1][static_cast<std::size_t>(j)];
      if (k == 0) diagonal += is_odd_[2][0] ? -a : a;
      if (k == n_[2] - 1) diagonal += is_odd_[2][1] ? -a : a;
      const double coupling = k == 0 ? 0 : a;
      const double* const below = k == 0 ? at : at - plane_;
      const double* const c_below = k == 0 ? c : c - n_[0];
      for (Index i = 0; i < n_[0]; ++i) {
        const double pivot =
            diagonal + eigenvalues_[0][static_cast<std::size_t>(i)] - coupling * c_below[i];
        c[i] = a / pivot;
        at[i] = (at[i] - coupling * below[i]) / pivot;
      }
      if (is_singular_ && j == 0 && k == n_[2] - 1) at[0] = c[0] = 0;  // for 0 / 0, a / 0
    }
  }

  /// Takes the mean off the waves that are constant along x and y.
  void take_mean_off(double* row) const {
    double sum = 0;
    for (Index k = 0; k < n_[2]; ++k) sum += row[k * plane_];
    for (Index k = 0; k < n_[2]; ++k) row[k * plane_] -= sum / static_cast<double>(n_[2]);
  }

  Index3 n_;
  Index row_, plane_;
  bool is_singular_;
  double most_imbalance_;
  Real3 per_h2_{};
  std::array<std::array<double, 2>, 3> ends_{};
  std::array<std::array<bool, 2>, 3> is_odd_{};
  std::array<Waves, 3> waves_{};
  std::array<std::vector<double>, 3> eigenvalues_;
  double scale_ = 1;
  std::shared_ptr<double[]> memory_;
  std::unique_ptr<Both> planes_, columns_;
};

template <class T>
Fourier<T>::Fourier(const Field<T>& u, const Field<T>& f, FourierOptions options) : u_(u), f_(f) {
  for (const Field<T>& field : {u, f}) {
    require(field.grid() == u.grid() && field.record()->location == Location::cell,
            "a Fourier solver refuses field '" + field.name() + "'",
            "both fields must live at the cells of one grid");
  }
  require_transforms();
  solve_ = std::make_shared<Solve>(*u.grid(), u.record()->boundary.front(), options);
}

template <class T>
void Fourier<T>::add_solve(Program& program) const {
  program.call(
      [u = u_, f = f_, solve = solve_]() mutable {
        Communicator& ranks = *u.grid()->context->communicator();
        const Box all = ranks.rank() == 0 ? u.grid()->domain(Location::cell) : Box{};
        std::vector<T> values = f.copy_out(all);
        solve->check(values, f.name(), ranks);
        if (ranks.rank() == 0) solve->run(values, domain_of(*u.grid()).some_executor());
        u.copy_in(values, all);
      },
      std::tie(f_), std::tie(u_));
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace goban
