#include "goban/performance/measure/halo_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "goban/performance/measure/least_squares.hpp"

namespace goban {
namespace {

/// A sweep whose halos are so many planes of values of so many bytes.
class HaloSweep {
 public:
  using Seconds = std::function<double(Index3 cells, const BoundarySet& boundary)>;
  HaloSweep(Seconds seconds, double planes, double bytes)
      : seconds_(std::move(seconds)), planes_(planes), bytes_(bytes) {}

  /// Seconds of a step with constant ghosts, which nothing has to be done for.
  double alone(Index3 cells) {
    const auto [at, is_new] = alone_.try_emplace(cells, 0.0);
    if (is_new) at->second = seconds_(cells, BoundarySet{constant(0)});
    return at->second;
  }
  /// How much longer a step takes with halos of an axis that are not constant, beside their bytes.
  double of_halo(Index3 cells, Axis axis, const BoundaryCondition& condition, double bandwidth) {
    BoundarySet boundary{constant(0)};
    for (const Side side : both_sides) boundary.at(axis, side) = condition;
    const double bytes = 2 * bytes_ * values(cells, axis) / bandwidth;
    return std::max(0.0, seconds_(cells, boundary) - alone(cells) - bytes);
  }
  /// The values of one plane on both sides, and those of all planes.
  static double rows(Index3 cells, Axis axis) {
    return 2 * static_cast<double>(product(cells) / cells[index_of(axis)]);
  }
  double values(Index3 cells, Axis axis) const { return planes_ * rows(cells, axis); }

 private:
  Seconds seconds_;
  double planes_, bytes_;
  std::map<Index3, double> alone_;
};

class HaloCalibrator {
 public:
  HaloCalibrator(DeviceRates& device, const SweepMeter& meter, double most_bytes)
      : device_(device), meter_(meter) {
    const auto most = static_cast<Index>(std::cbrt(most_bytes / 8)) / 32 * 32;
    few_ = device.is_gpu ? 64 : 32;
    many_ = std::max(2 * few_, std::min<Index>(device.is_gpu ? 320 : 128, most));
    sweeps_.push_back(sweep(heat, 1, Arithmetic::single_precision));
    // Sweeps of CPUs that reach far take much longer than their halos, which cannot be told then.
    if (device.is_gpu) sweeps_.push_back(sweep(star, depth, Arithmetic::single_precision));
  }

  void measure() {
    const std::array<double, 2> filled = times(Axis::x, mirror);
    device_.gather = filled[0];
    device_.gather_row = filled[1];
    device_.gather_in_rows = times(Axis::y, mirror)[0];
    device_.end_sends = times(Axis::x, periodic)[0];
    device_.plane_sends = times(Axis::z, periodic)[0];
    device_.double_sends = device_.byte_sends = 0;
    if (!device_.is_gpu) return;
    device_.double_sends = at_ends(sweep(star, depth, Arithmetic::double_precision), depth);
    device_.byte_sends = at_ends({[&](Index3 cells, const BoundarySet& boundary) {
                                    return count_of_integers(meter_, cells, boundary).seconds;
                                  },
                                  1, 1},
                                 1);
  }

 private:
  static constexpr double depth = 4;
  using Sweep = SweepOfMany (*)(const SweepMeter&, Index3, Arithmetic, const BoundarySet&);

  HaloSweep sweep(Sweep measured, double planes, Arithmetic kind) const {
    return {[this, measured, kind](Index3 cells, const BoundarySet& boundary) {
              return measured(meter_, cells, kind, boundary).seconds;
            },
            planes, kind == Arithmetic::double_precision ? 8.0 : 4.0};
  }
  /// Cubes on GPUs. On CPUs, where others disturb, halos are told by grids that are so thin across
  /// them that they take about as long as the sweep.
  Index3 grid(Axis axis, Index edge) const {
    Index3 cells{edge, edge, edge};
    if (!device_.is_gpu) cells[index_of(axis)] = axis == Axis::x ? 64 : 4;
    return cells;
  }
  double of_halo(HaloSweep& sweep, Index edge, Axis axis, const BoundaryCondition& condition) {
    return sweep.of_halo(grid(axis, edge), axis, condition, device_.memory_bandwidth());
  }
  /// Seconds of a value and of a row's end, apart from what a halo takes however large it is.
  std::array<double, 2> times(Axis axis, const BoundaryCondition& condition) {
    const bool has_rows = axis == Axis::x && condition.kind != periodic_kind;
    const bool has_values = device_.is_gpu || !has_rows;
    const Index3 small = grid(axis, few_), large = grid(axis, many_);
    std::vector<LinearEquation> equations;
    for (HaloSweep& sweep : sweeps_) {
      const double values = sweep.values(large, axis) - sweep.values(small, axis);
      const double rows = HaloSweep::rows(large, axis) - HaloSweep::rows(small, axis);
      equations.push_back(
          {{has_values ? values : 0, has_rows ? rows : 0, 0},
           of_halo(sweep, many_, axis, condition) - of_halo(sweep, few_, axis, condition),
           1 / sweep.alone(large)});
    }
    const std::array<double, 3> seconds = least_squares_above_zero(equations);
    return {seconds[0], seconds[1]};
  }
  /// Seconds of a value that is sent at a row's end.
  double at_ends(HaloSweep sweep, double planes) {
    const Index3 cells = grid(Axis::x, many_);
    const double seconds = of_halo(sweep, many_, Axis::x, periodic);
    return std::max(0.0, seconds) / (planes * HaloSweep::rows(cells, Axis::x));
  }

  DeviceRates& device_;
  const SweepMeter& meter_;
  Index few_, many_;  ///< cells along an edge
  std::vector<HaloSweep> sweeps_;
};

}  // namespace

void measure_halos(DeviceRates& device, const SweepMeter& meter, double most_bytes) {
  HaloCalibrator(device, meter, most_bytes).measure();
}

}  // namespace goban
