// Passes of threads that follow each other through the planes, or work on parts of them.

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::pass_threads_test {
namespace {

using test::pattern;
using test::Results;

struct Drift {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.4f * u() + 0.2f * (u(1, 0, 0) + u(0, -1, 0) + u(0, 0, 1)) +
           0.1f * (u(-1, 0, 0) + u(0, 1, 0) + u(0, 0, -1) - u(0, 1, 1) - u(0, 0, -2));
  }
};
struct Press {
  GOBAN_FUNCTION void operator()(auto u, auto p) const {
    p = p() + 0.25f * (u(0, 0, 1) - u(0, -1, 0)) - 0.125f * p();
  }
};
struct Pull {
  GOBAN_FUNCTION void operator()(auto p, auto u) const { u = u() - 0.1f * (p(0, 1, 0) - p()); }
};

Results drift_and_press(const Settings& settings, Index3 cells, const BoundarySet& boundary) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = boundary});
  Field<float> u(grid, "u"), next(u, "next"), p(grid, "p");
  u.fill(pattern);
  p.fill([](Index3 at) { return pattern({at[2], at[0], at[1]}); });
  Program step("drift and press");
  step.apply(Drift{}, in(u), out(next));
  step.swap(u, next);
  step.apply(Press{}, in(u), inout(p));
  step.apply(Pull{}, in(p), inout(u));
  Engine engine(step);
  engine.prepare();
  if (settings.temporal_blocking > 1) {
    EXPECT_EQ(engine.steps_per_pass(), settings.temporal_blocking) << engine.pass_refusal();
  }
  StepClock clock;
  engine.run(7, clock);
  return {{"u", u.checksum()}, {"p", p.checksum()}};
}

TEST(PassThreads, ManyPlanesOrFew_HaveTheBitsOfTheReference) {
  const BoundarySet around(periodic), walls(mirror), fixed(constant(1));
  for (const Index3 cells : {Index3{10, 40, 130}, Index3{17, 60, 9}, Index3{12, 21, 70}}) {
    for (const BoundarySet& boundary : {around, walls, fixed}) {
      const Results want = drift_and_press(test::plainest(), cells, boundary);
      for (const int threads : {1, 3, 9}) {
        for (const int steps : {2, 3}) {
          Settings settings = test::plain_schedule();
          settings.threads = threads;
          settings.steps_per_exchange = settings.temporal_blocking = steps;
          EXPECT_EQ(drift_and_press(settings, cells, boundary), want)
              << cells[0] << " x " << cells[1] << " x " << cells[2] << ", "
              << test::options_of(settings);
        }
      }
    }
  }
}

}  // namespace
}  // namespace goban::pass_threads_test
