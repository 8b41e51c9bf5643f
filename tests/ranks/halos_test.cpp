// Ways and precisions of halos between ranks.

#include <cmath>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/domain.hpp"
#include "goban/domain/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban {
namespace {

using test::AnyRanks;
using test::error_of;
using Ranks = std::shared_ptr<Communicator>;

constexpr Index3 cells{23, 19, 17};
constexpr int steps = 12;

/// Values after some steps of diffusion, which none of them exceeds: all of the grid, on each rank.
template <class T>
std::vector<T> diffused(Settings settings, const Ranks& ranks, double scale = 1) {
  settings.communicator = ranks;
  settings.threads = 1;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = periodic});
  Field<T> u(grid, "u"), next(grid, "next");
  u.fill([&](Index3 p) { return static_cast<T>(scale * (0.1 + test::pattern(p))); });
  Program step("diffusion");
  step.apply(test::Diffusion<ArithmeticOf<T>>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  engine.run(steps, clock);
  return u.copy_out();
}

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class Halos : public AnyRanks {};

TEST_P(Halos, SlowLinksChangeNoBit) {
  run([](const Ranks& ranks) {
    const auto expected = diffused<float>({}, self_communicator());
    for (const int together : {1, 2, 3}) {
      Settings settings;
      settings.steps_per_exchange = together;
      settings.link = {.latency = 1e-4, .bytes_per_second = 1e8};
      EXPECT_EQ(diffused<float>(settings, ranks), expected) << together;
    }
  });
}

/// An exchange before every step adds at most the rounding of a halo, as no step makes errors grow.
TEST_P(Halos, RoundedHalosStayWithinTheirBound) {
  run([](const Ranks& ranks) {
    const auto exact = diffused<double>({}, self_communicator());
    EXPECT_EQ(diffused<double>({}, ranks), exact);
    for (const auto& [precision, bound] : {std::pair{HaloPrecision::single, std::ldexp(1.0, -24)},
                                           std::pair{HaloPrecision::half, std::ldexp(1.0, -11)}}) {
      Settings settings;
      settings.halo_precision = precision;
      settings.steps_per_exchange = 1;
      const double error = largest(diffused<double>(settings, ranks), exact);
      EXPECT_LE(error, steps * bound * 1.1) << name_of(precision);
      if (ranks->size() > 1) {
        EXPECT_GT(error, bound / 100) << name_of(precision);
      }
    }
  });
}

TEST_P(Halos, WhatIsNarrowAlreadyIsNotRounded) {
  run([](const Ranks& ranks) {
    Settings settings;
    settings.halo_precision = HaloPrecision::single;
    EXPECT_EQ(diffused<float>(settings, ranks), diffused<float>({}, self_communicator()));
    settings.halo_precision = HaloPrecision::half;
    EXPECT_EQ(diffused<half>(settings, ranks), diffused<half>({}, self_communicator()));
  });
}

TEST_P(Halos, NeighborsAreCounted) {
  run([](const Ranks& ranks) {
    Settings settings;
    settings.communicator = ranks;
    settings.patches = {1, 1, ranks->size()};
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = mirror});
    Field<float> u(grid, "u"), next(grid, "next");
    Program step("diffusion");
    step.apply(test::Diffusion<float>{}, in(u), out(next));
    Engine engine(step);
    StepClock clock;
    engine.run(1, clock);
    std::set<std::pair<int, Transport>> expected;
    for (const int other : {ranks->rank() - 1, ranks->rank() + 1}) {
      if (other >= 0 && other < ranks->size()) expected.emplace(other, Transport::host);
    }
    EXPECT_EQ(domain_of(*grid.state()).ways().neighbors(), expected);
  });
}

INSTANTIATE_TEST_SUITE_P(On, Halos, testing::ValuesIn(test::rank_counts()));

TEST(HalosOfThreads, AWayThatIsNotThereIsRefusedOnAllRanks) {
  test::run_ranks(2, [](const Ranks& ranks) {
    Settings settings;
    settings.transport = Transport::peer;
    EXPECT_EQ(
        error_of([&] { diffused<float>(settings, ranks); }),
        "ranks 0 and 1 cannot write to each other's GPUs (what computes is cpu, 1 thread) use the "
        "transport host or auto");
    settings.link.latency = 1;
    EXPECT_EQ(error_of([&] { diffused<float>(settings, ranks); }),
              "the transport peer is refused (messages between GPUs cannot be made slow) use the "
              "transport host or auto");
    settings.transport = Transport::host;
    settings.link = {};
    EXPECT_EQ(diffused<float>(settings, ranks), diffused<float>({}, self_communicator()));
  });
}

TEST(HalosOfThreads, MachinesChangeNoBit) {
  const auto expected = diffused<float>({}, self_communicator());
  const std::vector<std::vector<int>> all = {
      {0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}, {0, 1, 1, 0, 1}, {0, 1, 2, 0, 1, 2, 0, 1}};
  for (const auto& machines : all) {
    test::run_ranks(
        static_cast<int>(machines.size()),
        [&](const Ranks& ranks) { EXPECT_EQ(diffused<float>({}, ranks), expected); }, machines);
  }
}

TEST(HalosOfThreads, ValuesThatDoNotFitAreRefused) {
  Settings settings;
  settings.halo_precision = HaloPrecision::half;
  const std::string refusal = error_of([&] {
    test::run_ranks(2, [&](const Ranks& ranks) { diffused<double>(settings, ranks, 1e6); });
  });
  EXPECT_NE(refusal.find("cannot travel as half (it is too large) use a higher precision of halos"),
            std::string::npos)
      << refusal;
}

}  // namespace
}  // namespace goban
