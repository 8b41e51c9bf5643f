// NaN and infinity are found wherever they are, whatever computes it, before anything is saved.

#include <random>

#include "goban/checkpoint/inventory.hpp"
#include "tests/long.hpp"
#include "tests/ranks.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::nonfinite_test {
namespace {

/// Values stay where they are, so that what is planted is found where it was.
struct Halve {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c) const {
    a = 0.5f * a();
    for (int i = 0; i < 2; ++i) b[i] = 0.5 * b[i]();
    c = 0.5f * c();
  }
};

constexpr Index3 cells{17, 11, 13};
constexpr Index interval = 6;

/// Where a value is planted.
struct Planted {
  int field = 0, component = 0;
  Index3 at{};
  double value = 0;
  Index step = 0;
};

class NonfiniteValues : public SmallRuns {
 protected:
  fs::path directory() const { return root_ / "run"; }

  void expect_found(const Planted& planted, const Settings& settings) const {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = mirror});
    Field<float> a(grid, "a");
    Field<double, 2> b(grid, "b");
    Field<half> c(grid, "c");
    a.fill(1);
    b.fill(1);
    c.fill(half(1));
    Program step("halve");
    step.apply(Halve{}, inout(a), inout(b), inout(c));
    Simulation simulation(grid, step,
                          {.steps = 100,
                           .directory = directory().string(),
                           .nan_check = interval,
                           .measure_bandwidth = false});
    simulation.checkpoint(every(4));
    simulation.adjust(1, [&](const Clock& clock) {
      if (clock.step != planted.step) return;
      const Index3 at = planted.at;
      if (planted.field == 0) a.set(at, static_cast<float>(planted.value));
      if (planted.field == 1) b.set(at, planted.value, planted.component);
      if (planted.field == 2) c.set(at, half(static_cast<float>(planted.value)));
    });
    try {
      simulation.run();
      ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::diverged);
      // What is saved is looked at, too: at most three steps later.
      const Index found =
          std::min((planted.step + 3) / 4 * 4, (planted.step + interval - 1) / interval * interval);
      std::string where = fmt::format(
          "field '{}' holds NaN or infinity (step {}, cell ({}, {}, {})", "abc"[planted.field],
          std::max(found, planted.step), planted.at[0], planted.at[1], planted.at[2]);
      if (planted.field == 1) where += fmt::format(", component {}", planted.component);
      EXPECT_EQ(std::string(error.what()).find(where + ")"), 0u) << error.what() << "\n" << where;
    }
  }
};

TEST_F(NonfiniteValues, AreFoundInAnyFieldAtAnyPlaceOfAnyRankAndDevice) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::mt19937 random(20261124);
  std::vector<Index3> places;  // corners, the middle of edges and faces, inside
  for (int n = 0; n < 27; ++n) {
    Index3 at{};
    for (int axis = 0, code = n; axis < 3; ++axis, code /= 3) {
      at[axis] = (cells[axis] - 1) * (code % 3) / 2;
    }
    places.push_back(at);
  }
  const int some = test::in_short_or_long(9, 1);
  int tried = 0;
  for (const int ranks : {1, 3}) {
    for (const Backend backend : {Backend::cpu, Backend::emulated}) {
      for (std::size_t n = random() % static_cast<unsigned>(some); n < 4 * places.size();
           n += static_cast<std::size_t>(some)) {
        Planted planted{.at = places[n / 4], .step = 5 + static_cast<Index>(random() % 12)};
        planted.field = static_cast<int>(n % 4 == 3 ? 1 : n % 4);
        planted.component = n % 4 == 3 ? 1 : 0;
        planted.value = std::array{std::nan(""), infinity, -infinity}[random() % 3];
        SCOPED_TRACE(fmt::format("{} ranks, place {}, step {}", ranks, n, planted.step));
        test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
          Settings settings;
          settings.communicator = communicator;
          settings.backend = backend;
          if (ranks == 1) settings.patches = {2, 1, 2};
          expect_found(planted, settings);
        });
        const auto newest = list_checkpoints(directory() / "chk").front();
        EXPECT_EQ(newest.step, (planted.step - 1) / 4 * 4) << "saved before it was planted";
        EXPECT_TRUE(verify_checkpoint(newest.path).good);
        fs::remove_all(directory());
        ++tried;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(tried, 40);
}

/// As values fade, they become subnormal, which is no reason to stop.
TEST_F(NonfiniteValues, AreNotWhatIsVerySmall) {
  Runtime runtime{Settings{}};
  Grid grid(runtime, {.cells = cells, .boundary = mirror});
  Field<float> a(grid, "a");
  Field<double, 2> b(grid, "b");
  Field<half> c(grid, "c");
  a.fill(1e-36f);
  b.fill(1e-306);
  c.fill(half(1e-4f));
  Program step("halve");
  step.apply(Halve{}, inout(a), inout(b), inout(c));
  Simulation simulation(grid, step, {.steps = 200, .nan_check = 1, .measure_bandwidth = false});
  EXPECT_EQ(simulation.run(), RunStatus::finished);
  EXPECT_EQ(a.maximum(), 0);
}

}  // namespace
}  // namespace goban::nonfinite_test
