// What memory and processors get wrong without saying so is found, and nothing else is.

#include <bit>
#include <random>

#include "goban/checkpoint/inventory.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::silent_error_test {
namespace {

/// Diffusion in a medium: what flows out of one cell flows into the next.
struct Exchange {
  GOBAN_FUNCTION void operator()(auto u, auto medium, auto next) const {
    const auto flow = [&](auto there, auto of) { return 0.5f * (medium() + of) * (there - u()); };
    next = u() + 0.1f * (flow(u(1, 0, 0), medium(1, 0, 0)) + flow(u(-1, 0, 0), medium(-1, 0, 0)) +
                         flow(u(0, 1, 0), medium(0, 1, 0)) + flow(u(0, -1, 0), medium(0, -1, 0)) +
                         flow(u(0, 0, 1), medium(0, 0, 1)) + flow(u(0, 0, -1), medium(0, 0, -1)));
  }
};

/// A field that steps change and one that none does, in a closed box.
class ClosedBox {
 public:
  struct Options {
    Index steps = 40;
    Settings settings = {};
    fs::path directory = {};
    Restart restart = {};
    double conserved_within = 0;  ///< 0: nothing is looked at
    Index rows = 10;              ///< steps between two
  };
  explicit ClosedBox(const Options& options)
      : runtime_(options.settings),
        grid_(runtime_, {.cells = {19, 12, 9}, .boundary = periodic}),
        u(grid_, "u"),
        next_(grid_, "next"),
        medium_(grid_, "medium"),
        simulation(grid_, step(),
                   {.steps = options.steps,
                    .directory = options.directory.string(),
                    .restart = options.restart,
                    .measure_bandwidth = false}) {
    u.fill([](Index3 i) { return 1 + std::sin(0.3 * static_cast<double>(i[0] + i[1] * i[2])); });
    medium_.fill([](Index3 i) { return i[0] % 3 == 0 ? 0.2 : 1.0; });
    simulation.checkpoint(every(8));
    if (options.conserved_within == 0) return;
    Column content = sum_of(u);
    content.conserved_within = options.conserved_within;
    simulation.series("balance", {content, maximum_of(u)}, every(options.rows));
  }

  /// The value with one of its bits flipped.
  void flip(Index3 at, int bit) {
    u.set(at, std::bit_cast<float>(std::bit_cast<std::uint32_t>(u.get(at)) ^ (1u << bit)));
  }

 private:
  Program step() {
    Program program("box");
    program.apply(Exchange{}, in(u), in(medium_), out(next_));
    program.swap(u, next_);
    return program;
  }

  Runtime runtime_;
  Grid grid_;

 public:
  Field<float> u;

 private:
  Field<float> next_, medium_;

 public:
  Simulation simulation;
};

class SilentErrors : public SmallRuns {
 protected:
  /// What ends the run; empty: nothing did.
  static std::string error_of(ClosedBox& box) {
    try {
      box.simulation.run();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::corrupted) << error.what();
      return error.what();
    }
    return {};
  }
  fs::path directory() const { return root_ / "run"; }
  std::mt19937 random_{20261124};
  Index3 anywhere() {
    Index3 at{};
    for (int a = 0; a < 3; ++a) at[a] = static_cast<Index>(random_() % std::array{19, 12, 9}[a]);
    return at;
  }
};

/// Flips in memory of a field, at any bit, step and cell.
TEST_F(SilentErrors, ThatChangeWhatIsConservedAreFoundAtTheNextLook) {
  constexpr double within = 1e-6;
  int felt = 0, found = 0;
  for (int trial = 0; trial < test::in_short_or_long(60, 4000); ++trial) {
    ClosedBox box({.conserved_within = within});
    box.simulation.options().directory = directory();
    box.simulation.options().nan_check = 0;
    const Index step = 1 + static_cast<Index>(random_() % 29);
    double change = 0;
    box.simulation.on(at_steps({step}), [&](const Clock&) {
      const double before = box.u.sum();
      box.flip(anywhere(), static_cast<int>(random_() % 32));
      change = std::abs(box.u.sum() - before) / before;
    });
    std::string error;
    try {
      box.simulation.run();
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    const bool is_large = !(change <= 1.1 * within);  // infinite, too
    felt += is_large ? 1 : 0;
    found += is_large && !error.empty() ? 1 : 0;
    const bool is_small = change <= 0.9 * within;
    EXPECT_TRUE(!is_small || error.empty()) << change << ": " << error;
    const auto saved = list_checkpoints(directory() / "chk");
    if (!error.empty() && !saved.empty()) {
      EXPECT_LE(saved.front().step, step);
    }
    fs::remove_all(directory());
  }
  EXPECT_GT(felt, 10) << "the test shows nothing";
  EXPECT_GE(found, 0.99 * felt);
}

TEST_F(SilentErrors, AreNamedByWhatIsConserved) {
  ClosedBox box({.directory = directory(), .conserved_within = 1e-6});
  box.simulation.on(at_steps({12}), [&](const Clock&) { box.u.set({3, 2, 1}, 5.0f); });
  const std::string error = error_of(box);
  EXPECT_EQ(error.find("'sum of u' of series 'balance' is not conserved (step 16: "), 0u) << error;
  EXPECT_NE(error.find("of which 1e-06 may change); look at the memory"), std::string::npos);
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 8);
}

TEST_F(SilentErrors, AreNotSeenWhereThereAreNone) {
  const Index steps = test::in_short_or_long(3000, 1'000'000);
  ClosedBox box({.steps = steps, .directory = directory(), .conserved_within = 1e-5, .rows = 10});
  box.simulation.checkpoint(every(steps / 4));
  EXPECT_EQ(error_of(box), "");
}

TEST_F(SilentErrors, WhatIsZeroCannotBeWatched) {
  ClosedBox box({.directory = directory(), .conserved_within = 1e-6});
  box.u.fill(0);
  try {
    box.simulation.run();
    ADD_FAILURE() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()),
              "'sum of u' of series 'balance' cannot be watched (it is 0, of which there are no "
              "parts); leave it out of what is conserved");
  }
}

}  // namespace
}  // namespace goban::silent_error_test
