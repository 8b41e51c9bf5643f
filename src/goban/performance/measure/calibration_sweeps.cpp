#include "goban/performance/measure/calibration_sweeps.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/field/field.hpp"
#include "goban/io/file/atomic_file.hpp"

namespace goban {
namespace {

struct CopyCell {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u(); }
};

struct SevenPoints {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.1f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                         u(0, 0, -1) - 6.0f * u());
  }
};

template <class T>
struct Star {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto around = [&](int j) {
      return u(j, 0, 0) + u(-j, 0, 0) + u(0, j, 0) + u(0, -j, 0) + u(0, 0, j) + u(0, 0, -j);
    };
    next = T(0.5) * u() + T(0.1) * around(1) + T(-0.02) * around(2) + T(0.004) * around(3) +
           T(-0.0007) * around(4);
  }
};

/// Four chains of sixteen products and sums, which need not wait for each other.
template <class T>
struct Products {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto x = u();
    const auto chain = [&](T first) {
      auto sum = x + first;
      unroll<16>([&](auto) { sum = sum * x + first; });
      return sum;
    };
    next = (chain(T(0.1)) + chain(T(0.2))) + (chain(T(0.3)) + chain(T(0.4)));
  }
};

struct CountNeighbors {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto row = [&](int j, int k) { return u(-1, j, k) + u(0, j, k) + u(1, j, k); };
    const auto n = row(-1, -1) + row(0, -1) + row(1, -1) + row(-1, 0) + row(1, 0) + u(-1, 0, 0) +
                   u(1, 0, 0) + row(-1, 1) + row(0, 1) + row(1, 1);
    next = select(n >= 5 && n <= 7, 1, 0);
  }
};

struct Total {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of a step, in the fastest of some turns: what else the machine does only adds.
double seconds_of_step(Engine& engine, const SweepMeter& meter) {
  StepClock clock;
  const auto seconds_of = [&](Index steps) {
    const auto start = std::chrono::steady_clock::now();
    engine.run(steps, clock);
    engine.synchronize();
    return seconds_since(start);
  };
  engine.prepare();
  seconds_of(40);  // kernels are compiled and tried, cycles recorded
  Index steps = 16;
  double seconds = seconds_of(steps);
  for (; seconds < meter.least_seconds; seconds = seconds_of(steps)) steps *= 2;
  for (int turn = 1; turn < meter.turns; ++turn) seconds = std::min(seconds, seconds_of(steps));
  return seconds / static_cast<double>(steps);
}

template <class T, class Functor>
SweepOfMany measured(const SweepMeter& meter, Index3 cells, Functor functor,
                     const BoundarySet& boundary = BoundarySet{constant(0)}) {
  Grid grid(meter.context, {.cells = cells, .boundary = boundary});
  Field<T> u(grid, "u"), next(grid, "next");
  u.fill(T(1));
  next.fill(T(1));
  Program step("calibration");
  step.apply(functor, in(u), out(next));
  step.swap(u, next);
  const Footprint& footprint = step.stages().front()->footprint;
  Engine engine(step);
  return {static_cast<double>(footprint.flops + footprint.integer_operations),
          static_cast<double>(footprint.reads.size()) - 1,
          static_cast<double>(footprint.bytes_per_update()), seconds_of_step(engine, meter)};
}

}  // namespace

double seconds_of_copy(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, CopyCell{}).seconds;
}

SweepOfMany heat(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, SevenPoints{});
}

double seconds_with_mirrors(const SweepMeter& meter, Index3 cells, std::optional<Axis> axis) {
  BoundarySet boundary{constant(0)};
  for (const Side side : both_sides) {
    if (axis) boundary.at(*axis, side) = mirror;
  }
  return measured<float>(meter, cells, SevenPoints{}, boundary).seconds;
}

SweepOfMany products_in_single_precision(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, Products<float>{});
}

SweepOfMany products_in_double_precision(const SweepMeter& meter, Index3 cells) {
  return measured<double>(meter, cells, Products<double>{});
}

double seconds_of_sum(const SweepMeter& meter, Index3 cells) {
  Grid grid(meter.context, {.cells = cells});
  Field<float> u(grid, "u");
  u.fill(1.0f);
  Parameter<double> total("total", 0);
  Program step("calibration");
  step.reduce(Total{}, in(u), sum, into(total));
  Engine engine(step);
  return seconds_of_step(engine, meter);
}

SweepOfMany star_in_single_precision(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, Star<float>{});
}

SweepOfMany star_in_double_precision(const SweepMeter& meter, Index3 cells) {
  return measured<double>(meter, cells, Star<double>{});
}

SweepOfMany count_of_integers(const SweepMeter& meter, Index3 cells) {
  return measured<std::uint8_t>(meter, cells, CountNeighbors{});
}

SweepOfMany passes_of_four(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, SevenPoints{});
}

double seconds_to_write(const std::filesystem::path& path, std::size_t bytes) {
  const std::string content(bytes, 'g');
  const auto start = std::chrono::steady_clock::now();
  write_file(path, content);
  return seconds_since(start);
}

}  // namespace goban
