#include "goban/performance/measure/calibration_sweeps.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/base/links.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/field/field.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/performance/model/update_work.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {
namespace {

struct CopyCell {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u(); }
};

template <class T>
struct SevenPoints {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + T(0.1) * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                           u(0, 0, -1) - T(6) * u());
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

/// Four chains of products and sums, which need not wait for each other.
template <class T, int Length>
struct Products {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto x = u();
    const auto chain = [&](T first) {
      auto sum = x + first;
      unroll<Length>([&](auto) { sum = sum * x + first; });
      return sum;
    };
    next = (chain(T(0.1)) + chain(T(0.2))) + (chain(T(0.3)) + chain(T(0.4)));
  }
};

template <class T>
struct MeanOfBox {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto row = [&](int j, int k) { return u(-1, j, k) + u(0, j, k) + u(1, j, k); };
    next = T(1.0 / 27) * (row(-1, -1) + row(0, -1) + row(1, -1) + row(-1, 0) + row(0, 0) +
                          row(1, 0) + row(-1, 1) + row(0, 1) + row(1, 1));
  }
};

/// Moves fields from a cell to itself and to its neighbours across faces and edges.
struct MoveFields {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next[0] = u[0]();
    unroll<18>([&](auto n) {
      constexpr Index3 link = face_and_edge_links[n];
      constexpr int x = static_cast<int>(link[0]), y = static_cast<int>(link[1]),
                    z = static_cast<int>(link[2]);
      next[n + 1] = u[n + 1](-x, -y, -z);
    });
  }
};

struct CountNeighbors {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto cell = [&](int i, int j, int k) { return within<0, 1>(u(i, j, k)); };
    const auto row = [&](int j, int k) { return cell(-1, j, k) + cell(0, j, k) + cell(1, j, k); };
    const auto n = row(-1, -1) + row(0, -1) + row(1, -1) + row(-1, 0) + row(1, 0) + cell(-1, 0, 0) +
                   cell(1, 0, 0) + row(-1, 1) + row(0, 1) + row(1, 1);
    next = select(n >= 5 && n <= 7, 1, 0);
  }
};

/// Two fields, one of which steers the other by the direction of its slope.
template <class T>
struct Anisotropic {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto& steering = u[0];
    const auto around = [&](const auto& f) {
      const auto faces =
          f(1, 0, 0) + f(-1, 0, 0) + f(0, 1, 0) + f(0, -1, 0) + f(0, 0, 1) + f(0, 0, -1);
      const auto edges = f(1, 1, 0) + f(-1, 1, 0) + f(1, -1, 0) + f(-1, -1, 0) + f(1, 0, 1) +
                         f(-1, 0, 1) + f(1, 0, -1) + f(-1, 0, -1) + f(0, 1, 1) + f(0, -1, 1) +
                         f(0, 1, -1) + f(0, -1, -1);
      return T(0.1) * faces + T(0.03) * edges - T(0.96) * f();
    };
    const auto x = steering(1, 0, 0) - steering(-1, 0, 0),
               y = steering(0, 1, 0) - steering(0, -1, 0),
               z = steering(0, 0, 1) - steering(0, 0, -1);
    const auto xx = x * x, yy = y * y, zz = z * z;
    const auto square = xx + yy + zz + T(0.01);
    const auto share = (xx * xx + yy * yy + zz * zz) / (square * square);
    const auto rate = (T(1) + T(0.05) * share) * (T(1) + T(0.05) * share);
    const auto change = around(u[0]) * rate + T(0.1) * u[0]() * (T(1) - u[0]()) * (u[0]() - T(0.5));
    next[0] = u[0]() + T(0.2) * change / (rate + T(1));
    next[1] = u[1]() + T(0.2) * around(u[1]) - T(0.1) * change / sqrt(square);
  }
};

/// The difference between staggered places, of four points along an axis.
template <int Axis, class T>
GOBAN_FUNCTION auto difference(const auto& f) {
  constexpr int x = Axis == 0, y = Axis == 1, z = Axis == 2;
  return T(1.125) * (f(x, y, z) - f()) + T(-0.0417) * (f(2 * x, 2 * y, 2 * z) - f(-x, -y, -z));
}

/// Waves take two sweeps, of velocity and of stress. In one, three fields are changed in place by
/// differences of six, over means of a seventh ...
template <class T>
struct Accelerate {
  GOBAN_FUNCTION void operator()(auto v, auto s, auto rock) const {
    const auto scale = [&](const auto& beside) { return T(0.05) * reciprocal(rock[0]() + beside); };
    v[0] += scale(rock[0](-1, 0, 0)) *
            (difference<0, T>(s[0]) + difference<1, T>(s[3]) + difference<2, T>(s[4]));
    v[1] += scale(rock[0](0, -1, 0)) *
            (difference<0, T>(s[3]) + difference<1, T>(s[1]) + difference<2, T>(s[5]));
    v[2] += scale(rock[0](0, 0, -1)) *
            (difference<0, T>(s[4]) + difference<1, T>(s[5]) + difference<2, T>(s[2]));
  }
};
/// ... in the other these six by differences of the three, by a field and means of another.
template <class T>
struct Deform {
  GOBAN_FUNCTION void operator()(auto s, auto v, auto rock) const {
    const auto x = difference<0, T>(v[0]), y = difference<1, T>(v[1]), z = difference<2, T>(v[2]);
    const auto swelling = T(0.05) * rock[0]() * (x + y + z);
    const auto twice = T(0.05) * reciprocal(rock[1]());
    s[0] += swelling + twice * x;
    s[1] += swelling + twice * y;
    s[2] += swelling + twice * z;
    const auto scale = [&](const auto& a, const auto& b, const auto& c) {
      return T(0.05) * reciprocal((rock[1]() + a) + (b + c));
    };
    s[3] += scale(rock[1](-1, 0, 0), rock[1](0, -1, 0), rock[1](-1, -1, 0)) *
            (difference<1, T>(v[0]) + difference<0, T>(v[1]));
    s[4] += scale(rock[1](-1, 0, 0), rock[1](0, 0, -1), rock[1](-1, 0, -1)) *
            (difference<2, T>(v[0]) + difference<0, T>(v[2]));
    s[5] += scale(rock[1](0, -1, 0), rock[1](0, 0, -1), rock[1](0, -1, -1)) *
            (difference<2, T>(v[1]) + difference<1, T>(v[2]));
  }
};

struct Total {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of a step, in the fastest of some turns: what else the machine does only adds.
double seconds_of_step(Engine& engine, const SweepMeter& meter, StepClock clock = {}) {
  const auto seconds_of = [&](Index steps) {
    const auto start = std::chrono::steady_clock::now();
    engine.run(steps, clock);
    engine.synchronize();
    return seconds_since(start);
  };
  engine.prepare();
  seconds_of(meter.first_steps);
  cpu::wait_for_code();
  Index steps = std::min<Index>(16, meter.first_steps);
  double seconds = seconds_of(steps);
  for (; seconds < meter.least_seconds; seconds = seconds_of(steps)) steps *= 2;
  std::vector<double> turns{seconds};
  while (std::ssize(turns) < meter.turns) turns.push_back(seconds_of(steps));
  std::sort(turns.begin(), turns.end());
  if (meter.spreads) meter.spreads->push_back(turns[turns.size() / 2] / turns.front() - 1);
  return turns.front() / static_cast<double>(steps);
}

/// Values of a cell that a sweep reads or writes, and that its fields hold; bytes of one.
struct CellValues {
  double moved = 0, held = 0, bytes = 0;
};

SweepOfMany measured(const SweepMeter& meter, Index3 cells, const Program& step,
                     const CellValues& values) {
  const Stage& stage = *step.stages().front();
  const UpdateWork work = work_of_update(stage, meter.context.settings().backend == Backend::cuda);
  Engine engine(step);
  SweepOfMany sweep{work.operations + work.integers, work.reads, values.moved,
                    static_cast<double>(stage.footprint.bytes_per_update()),
                    seconds_of_step(engine, meter)};
  if (!meter.machine) return sweep;
  const auto count = static_cast<double>(product(cells));
  const StepPrediction predicted = engine.predicted_step(*meter.machine);
  sweep.predicted = predicted.seconds;
  sweep.halo = predicted.busy.halo;
  sweep.features = {count,
                    count * values.held * values.bytes,
                    work.reads,
                    sweep.moves,
                    values.bytes,
                    predicted.busy.share_of_operations(),
                    static_cast<double>(meter.context.settings().temporal_blocking)};
  return sweep;
}

template <class T, int Components = 1, class Functor>
SweepOfMany measured(const SweepMeter& meter, Index3 cells, Functor functor,
                     const BoundarySet& boundary = BoundarySet{constant(0)}) {
  Grid grid(meter.context, {.cells = cells, .boundary = boundary});
  Field<T, Components> u(grid, "u"), next(grid, "next");
  u.fill(T(1));
  next.fill(T(1));
  Program step("calibration");
  step.apply(functor, in(u), out(next));
  step.swap(u, next);
  return measured(meter, cells, step, {2.0 * Components, 2.0 * Components, sizeof(T)});
}

/// Measures a functor over so many fields that it changes in place, others that it reads, and those
/// of the medium.
template <class T, int Changed, int Others, int Medium, class Functor>
SweepOfMany measured_in_place(const SweepMeter& meter, Index3 cells, Functor functor,
                              const BoundarySet& boundary) {
  Grid grid(meter.context, {.cells = cells, .boundary = boundary});
  Field<T, Changed> changed(grid, "changed");
  Field<T, Others> others(grid, "others");
  Field<T, Medium> medium(grid, "medium");
  changed.fill(T(1));
  others.fill(T(1));
  medium.fill(T(1));
  Program step("calibration");
  step.apply(functor, inout(changed), in(others), in(medium));
  constexpr double once = Others + Medium;
  return measured(meter, cells, step, {2 * Changed + once, Changed + once, sizeof(T)});
}

}  // namespace

double seconds_of_copy(const SweepMeter& meter, Index3 cells) {
  return measured<float>(meter, cells, CopyCell{}).seconds;
}

SweepOfMany heat(const SweepMeter& meter, Index3 cells, Arithmetic kind,
                 const BoundarySet& boundary) {
  return kind == Arithmetic::double_precision
             ? measured<double>(meter, cells, SevenPoints<double>{}, boundary)
             : measured<float>(meter, cells, SevenPoints<float>{}, boundary);
}

std::array<SweepOfMany, 2> products(const SweepMeter& meter, Index3 cells, Arithmetic kind) {
  if (kind == Arithmetic::double_precision) {
    return {measured<double>(meter, cells, Products<double, 16>{}),
            measured<double>(meter, cells, Products<double, 32>{})};
  }
  return {measured<float>(meter, cells, Products<float, 16>{}),
          measured<float>(meter, cells, Products<float, 32>{})};
}

SweepOfMany star(const SweepMeter& meter, Index3 cells, Arithmetic kind,
                 const BoundarySet& boundary) {
  return kind == Arithmetic::double_precision
             ? measured<double>(meter, cells, Star<double>{}, boundary)
             : measured<float>(meter, cells, Star<float>{}, boundary);
}

SweepOfMany mean_of_box(const SweepMeter& meter, Index3 cells, Arithmetic kind) {
  return kind == Arithmetic::double_precision ? measured<double>(meter, cells, MeanOfBox<double>{})
                                              : measured<float>(meter, cells, MeanOfBox<float>{});
}

SweepOfMany count_of_integers(const SweepMeter& meter, Index3 cells, const BoundarySet& boundary) {
  return measured<std::uint8_t>(meter, cells, CountNeighbors{}, boundary);
}

SweepOfMany moving_fields(const SweepMeter& meter, Index3 cells) {
  return measured<float, 19>(meter, cells, MoveFields{});
}

namespace {

template <class T, int Components, class Functor>
SweepOfKind kind(bool is_of_passes = false) {
  return {2.0 * Components * sizeof(T), is_of_passes,
          [](const SweepMeter& meter, Index3 cells, const BoundarySet& boundary) {
            return measured<T, Components>(meter, cells, Functor{}, boundary);
          }};
}

template <class T, int Changed, int Others, int Medium, class Functor>
SweepOfKind kind_in_place() {
  return {double(Changed + Others + Medium) * sizeof(T), false,
          [](const SweepMeter& meter, Index3 cells, const BoundarySet& boundary) {
            return measured_in_place<T, Changed, Others, Medium>(meter, cells, Functor{}, boundary);
          }};
}

}  // namespace

std::vector<SweepOfKind> sweeps_of_many_kinds() {
  return {kind<float, 1, SevenPoints<float>>(true),
          kind<double, 1, SevenPoints<double>>(true),
          kind<float, 1, CopyCell>(),
          kind<float, 1, Star<float>>(),
          kind<double, 1, Star<double>>(),
          kind<float, 1, MeanOfBox<float>>(),
          kind<double, 1, MeanOfBox<double>>(),
          kind<float, 1, Products<float, 16>>(),
          kind<double, 1, Products<double, 16>>(),
          kind<std::uint8_t, 1, CountNeighbors>(),
          kind<float, 19, MoveFields>(),
          kind<double, 19, MoveFields>(),
          kind<float, 2, Anisotropic<float>>(),
          kind<double, 2, Anisotropic<double>>(),
          kind_in_place<float, 3, 6, 1, Accelerate<float>>(),
          kind_in_place<double, 3, 6, 1, Accelerate<double>>(),
          kind_in_place<float, 6, 3, 2, Deform<float>>(),
          kind_in_place<double, 6, 3, 2, Deform<double>>()};
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

namespace {

/// Two fields and how one is made of the other.
struct HeatProgram {
  HeatProgram(const SweepMeter& meter, Index3 cells)
      : grid(meter.context, {.cells = cells, .boundary = BoundarySet{constant(0)}}),
        u(grid, "u"),
        next(grid, "next") {
    u.fill(1.0f);
    next.fill(1.0f);
  }
  void add_sweep(Program& program) const {
    program.apply(SevenPoints<float>{}, in(u), out(next));
    program.swap(u, next);
  }
  void add_sum(Program& program) const { program.reduce(Total{}, in(u), sum, into(total)); }

  Grid grid;
  Field<float> u, next;
  Parameter<double> total{"total", 0};
};

}  // namespace

double seconds_of_runs(const SweepMeter& meter, Index3 cells, int loops, Sums sums) {
  const HeatProgram heat(meter, cells);
  Program body("body"), step("calibration");
  heat.add_sweep(body);
  if (sums == Sums::one) heat.add_sum(step);
  for (int loop = 0; loop < loops; ++loop) {
    heat.add_sweep(step);
    step.repeat(2, body);
  }
  Engine engine(step);
  return seconds_of_step(engine, meter);
}

double seconds_of_rounds(const SweepMeter& meter, Index3 cells, int rounds, Round what) {
  const HeatProgram heat(meter, cells);
  const Parameter<double> done("rounds", 0), other("number", 0);
  Program round("round"), step("calibration");
  for (int sweep = 0; sweep < what.sweeps; ++sweep) heat.add_sweep(round);
  for (int one = 0; one < what.sums; ++one) heat.add_sum(round);
  const auto count = [](auto& number) { number = number + 1; };
  for (int one = 0; one < what.scalars; ++one) round.compute(count, inout(other));
  round.compute(count, inout(done));
  step.compute([](auto& number) { number = 0; }, out(done));
  step.until(done > rounds - 0.5, 1, rounds, round, Program("check"));
  Engine engine(step);
  return seconds_of_step(engine, meter);
}

double seconds_of_time_steps(const SweepMeter& meter, Index3 cells, TimeStep length) {
  const HeatProgram heat(meter, cells);
  const Parameter<double> computed("length", 1);
  Program step("calibration");
  heat.add_sum(step);
  step.compute([](auto total, auto& seconds) { seconds = 1 / (1 + total * total); }, in(heat.total),
               out(computed));
  heat.add_sweep(step);
  heat.add_sweep(step);
  Engine engine(step);
  StepClock clock;
  if (length == TimeStep::computed) clock.dt_parameter = computed.record();
  return seconds_of_step(engine, meter, clock);
}

double seconds_to_write(const std::filesystem::path& path, std::size_t bytes) {
  const std::string content(bytes, 'g');
  const auto start = std::chrono::steady_clock::now();
  write_file(path, content);
  return seconds_since(start);
}

}  // namespace goban
