// Kernels are launched in ways that the GPU can do, also where it has less shared memory than the
// one they were made for, and on grids of more planes and rows than one launch takes.

#include <gtest/gtest.h>

#include <cstdlib>

#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/stencil/operators.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::other_gpus_test {
namespace {

struct DiffuseFar {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u() + 0.1f * laplacian<8>(u); }
};
struct Pair {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto next_u, auto next_v) const {
    next_u = u() + 0.1f * laplacian<2>(u) + v();
    next_v = v() + 0.1f * laplacian<2>(v) - u();
  }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};
struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[1](1, 0, 0);
    next[1] = f[0](0, -1, 0);
  }
};

class OtherGpus : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    const std::string refusal = test::error_of([] { cuda::rehearse(GetParam(), 1); });
    if (!refusal.empty()) GTEST_SKIP() << refusal;
    if (!cuda::nvrtc_refusal().empty()) GTEST_SKIP() << cuda::nvrtc_refusal();
    setenv("GOBAN_KERNEL_CACHE", kernels_.path().c_str(), 1);
  }
  static Settings settings(const std::string& launches, int steps) {
    Settings settings;
    settings.backend = Backend::cuda;
    settings.devices = {0};
    settings.launches = launches;
    settings.temporal_blocking = settings.steps_per_exchange = steps;
    return settings;
  }
  /// Returns the steps of a pass. The GPU is given kernels.
  static int run(const Program& step, Index steps) {
    const int before = cuda::rehearsed_launches();
    Engine engine(step);
    StepClock clock;
    engine.run(steps, clock);
    engine.synchronize();
    EXPECT_GT(cuda::rehearsed_launches(), before);
    return engine.steps_per_pass();
  }
  const test::ScratchFolder kernels_;
};

/// Others sweep, whatever is asked for.
TEST_P(OtherGpus, HaveRoomForTilesThatMarch) {
  const bool copies_ahead = GetParam() == 90;
  for (const int steps : {1, 2, 4}) {
    Runtime runtime(settings("march", steps));
    Grid grid(runtime, {.cells = {64, 48, 32}});
    const Field<float> u(grid, "u"), next(grid, "next"), v(grid, "v"), next_v(grid, "next v");
    Program near("near"), far("far"), pair("pair");
    near.apply(test::Diffusion<float>{}, in(u), out(next));
    near.swap(u, next);
    far.apply(DiffuseFar{}, in(u), out(next));
    far.swap(u, next);
    pair.apply(Pair{}, in(u), in(v), out(next), out(next_v));
    pair.swap(u, next).swap(v, next_v);
    // One field marches four steps in a pass, two fields march two.
    EXPECT_EQ(run(near, 8), copies_ahead && steps == 4 ? 4 : 1);
    if (steps == 1) run(far, 8);
    if (steps == 2) {
      EXPECT_EQ(run(pair, 8), copies_ahead ? 2 : 1);
    }
  }
}

TEST_P(OtherGpus, TakeGridsOfManyPlanesAndRows) {
  for (const Index3 cells : {Index3{8, 4, 140000}, Index3{8, 1200000, 4}}) {
    for (const char* launches :
         {"preset", "1x1 32x1x1 planes", "1x1 32x1x1 slabs", "1x2 256x1x1"}) {
      Runtime runtime(settings(launches, 1));
      Grid grid(runtime, {.cells = cells, .boundary = mirror});
      const Field<float> u(grid, "u"), next(grid, "next");
      const Field<InPlace<float>, 2> f(grid, "f"), after(f, "after");
      const Parameter<double> total("total");
      Program step("step");
      step.apply(test::Diffusion<float>{}, in(u), out(next));
      step.swap(u, next);
      step.reduce(Value{}, in(u), sum, into(total));
      step.apply(Pull{}, in(f), out(after));
      step.swap(f, after);
      run(step, 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, OtherGpus, testing::Values(75, 80, 86, 90, 120),
                         [](const auto& info) { return "Sm" + std::to_string(info.param); });

}  // namespace
}  // namespace goban::other_gpus_test
