// Cells and faces updated in place by one sweep, which has one more face than cells at walls.

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::faces_in_place_test {
namespace {

struct Push {  // the cell and its lower faces along x and y
  GOBAN_FUNCTION void operator()(auto cell, auto x, auto y, auto from) const {
    cell += 0.25 * (from(1, 0, 0) - from());
    x += 0.125 * (from() - from(-1, 0, 0));
    y += 0.125 * (from() - from(0, -1, 0));
  }
};
struct Pull {
  GOBAN_FUNCTION void operator()(auto from, auto cell, auto x, auto y) const {
    from += 0.5 * (cell(0, 0, 1) - cell()) + 0.25 * (x(1, 0, 0) - x() + y(0, 1, 0) - y());
  }
};

test::Results run(const Settings& settings, int stages) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {13, 12, 11}, .boundary = constant(0.5)});
  Field<double> cell(grid, "cell"), x(grid, "x", {.location = Location::face_x}),
      y(grid, "y", {.location = Location::face_y}), from(grid, "from");
  cell.fill([](Position p) { return std::sin(3 * p.x + 5 * p.y + 7 * p.z); });
  from.fill([](Position p) { return std::cos(5 * p.x + 3 * p.y + 2 * p.z); });
  x.fill(0.25);
  y.fill(-0.25);
  Program step("faces");
  for (int n = 0; n < stages; ++n) {
    step.apply(Push{}, inout(cell), inout(x), inout(y), in(from))
        .over({{0, 0, n}, {14, 13, n + 5}});
  }
  step.apply(Pull{}, inout(from), in(cell), in(x), in(y));
  StepClock clock;
  Engine(step).run(5, clock);
  return {{"cell", cell.checksum()}, {"x", x.checksum()}, {"from", from.checksum()}};
}

TEST(FacesInPlace, SameBitsEveryWay) {
  test::SettingsProduct all;
  all.cuts = {{"", "", ""}, {"6,7", "", ""}, {"7,6", "5,7", ""}};
  all.backends = {Backend::cpu, Backend::emulated};
  all.steps_per_exchange = {1, 2};
  all.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  test::expect_same_bits([](const Settings& settings) { return run(settings, 2); }, all.all());
}

/// The face at the wall is one, however many sweeps there are.
TEST(FacesInPlace, HalosDoNotGrowWithTheNumberOfSweeps) {
  Settings settings = test::plain_schedule();
  settings.cuts[0] = "6,7";
  settings.steps_per_exchange = 2;
  EXPECT_EQ(run(settings, 6), run(test::plainest(), 6));
}

}  // namespace
}  // namespace goban::faces_in_place_test
