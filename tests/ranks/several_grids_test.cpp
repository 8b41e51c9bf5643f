// A program over several grids on ranks of any kind: coarser grids are cut like the finest,
// gathered on one rank, or spread over others than have the cells above them.

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/between_grids.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban::several_grids_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;

struct Restrict {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const { coarse = mean_of_parts(fine); }
};
struct Correct {
  GOBAN_FUNCTION void operator()(auto site, auto coarse, auto fine) const {
    fine += 0.5 * interpolated(site, coarse);
  }
};

/// Values of all cells after some steps down to the coarsest of three grids and up again.
std::vector<double> values(const Ranks& ranks, Backend backend, const CoarseningOptions& options) {
  Settings settings;
  settings.communicator = ranks;
  settings.threads = 1;
  settings.backend = backend;
  settings.delay_microseconds = 10;
  Runtime runtime(settings);
  Grid fine(runtime, {.cells = {24, 16, 20}, .boundary = {periodic, mirror, wall_value(0.5)}});
  Grid middle = fine.coarsened({2, 2, 2}, options), coarse = middle.coarsened({2, 2, 1}, options);
  Field<double> u(fine, "u"), next(fine, "next"), b(middle, "b"), c(middle, "c"), d(coarse, "d");
  Field<double> e(coarse, "e");
  u.fill([](Index3 p) { return test::pattern(p); });
  Program step("step");
  step.apply(test::Diffusion<double>{0.1}, in(u), out(next));
  step.swap(u, next);
  step.apply(Restrict{}, in(u), out(b));
  step.apply(test::Diffusion<double>{0.1}, in(b), out(c));
  step.apply(Restrict{}, in(c), out(d));
  step.apply(test::Diffusion<double>{0.1}, in(d), out(e));
  step.apply(Correct{}, site, in(e), inout(c));
  step.apply(Correct{}, site, in(c), inout(u));
  StepClock clock;
  Engine(step).run(5, clock);
  return u.copy_out();
}

class SeveralGridsOnRanks : public AnyRanks {};

TEST_P(SeveralGridsOnRanks, HaveTheValuesOfOne) {
  const std::vector<double> expected = values(self_communicator(), Backend::reference, {});
  run([&](const Ranks& ranks) {
    for (const Backend backend : {Backend::cpu, Backend::emulated}) {
      for (const Index3 patches :
           {Index3{0, 0, 0}, Index3{1, 1, 1}, Index3{3, 1, 1}, Index3{1, 2, 2}}) {
        EXPECT_EQ(values(ranks, backend, {.patches = patches}), expected)
            << name_of(backend) << " " << patches[0] << patches[1] << patches[2];
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SeveralGridsOnRanks, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::several_grids_test
