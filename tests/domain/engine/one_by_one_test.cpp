// Sweeps that compute one cell at a time say so, and what would be faster.

#include <gmock/gmock.h>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::one_by_one_test {
namespace {

struct Threshold {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() > 0.5 ? u(1, 0, 0) : u(-1, 0, 0);
  }
};

TEST(OneByOne, DescriptionNamesWhatComputesOneCellAtATimeAndWhatHelps) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {14, 13, 9}});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("steps");
  step.apply(Threshold{}, in(u), out(next));
  const double weight = 0.25;
  const double* shown = &weight;
  step.apply([shown](auto from, auto to) { to = *shown * from(); }, in(next), out(u));
  const std::string text = Engine(step).describe();
  EXPECT_THAT(text, testing::HasSubstr("one cell at a time (branches on values of cells; with "
                                       "select(mask, a, b) in place of if and ?: it would"));
  EXPECT_THAT(text, testing::HasSubstr("one cell at a time (its type does not show that"));
}

}  // namespace
}  // namespace goban::one_by_one_test
