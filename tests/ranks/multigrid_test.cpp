// The multigrid on ranks of any kind: its coarser grids are cut like the finest, or gathered.

#include "goban/solver/multigrid.hpp"

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban::multigrid_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;

std::vector<double> solution(const Ranks& ranks, Backend backend, const MultigridOptions& options) {
  Settings settings;
  settings.communicator = ranks;
  settings.threads = 1;
  settings.backend = backend;
  settings.delay_microseconds = 10;
  Runtime runtime(settings);
  BoundarySet sides{periodic, mirror, wall_value(0.5)};
  Grid grid(runtime, {.cells = {32, 16, 16}, .boundary = sides});
  Field<double> u(grid, "u"), f(grid, "f");
  u.fill(0);
  f.fill([](Index3 p) { return test::pattern(p) - 0.5; });
  const Multigrid<double> multigrid(u, f, options);
  Program step("step");
  multigrid.add_solve(step, 1e-6, 20);
  StepClock clock;
  Engine(step).run(1, clock);
  return u.copy_out();
}

class MultigridOnRanks : public AnyRanks {};

TEST_P(MultigridOnRanks, HasTheBitsOfOne) {
  const std::vector<double> expected =
      solution(self_communicator(), Backend::reference, {.coarsest = 4});
  run([&](const Ranks& ranks) {
    for (const Backend backend : {Backend::cpu, Backend::emulated}) {
      for (const std::vector<Index3>& patches :
           {std::vector<Index3>{}, {{1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}}) {
        EXPECT_EQ(solution(ranks, backend, {.coarsest = 4, .patches = patches}), expected)
            << name_of(backend) << " " << patches.size();
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, MultigridOnRanks, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::multigrid_test
