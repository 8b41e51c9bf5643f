// Ways and precisions of halos between ranks.

#include <cmath>
#include <set>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks/any_ranks.hpp"
#include "tests/thread_ranks/slow_links.hpp"

namespace goban::halos_test {
namespace {

using test::AnyRanks;
using test::error_of;
using Ranks = std::shared_ptr<Communicator>;

constexpr Index3 cells{23, 19, 17};
constexpr int steps = 12;

/// Reads what comes from below alone: halos go one way.
struct Rise {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + 0.25f * (u(0, 0, -1) + u(0, -1, -1));
  }
};

/// Values after some steps, which none of them exceeds: all of the grid, on each rank. `used` gets
/// the ways that halos of this rank have gone.
template <class T, class Functor = test::Diffusion<ArithmeticOf<T>>>
std::vector<T> diffused(Settings settings, const Ranks& ranks, double scale = 1,
                        const BoundaryCondition& boundary = periodic,
                        std::set<Transport>* used = nullptr) {
  settings.communicator = ranks;
  settings.threads = 1;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = boundary});
  Field<T> u(grid, "u"), next(grid, "next");
  u.fill([&](Index3 p) { return static_cast<T>(scale * (0.1 + test::pattern(p))); });
  Program step("diffusion");
  step.apply(Functor{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  engine.run(steps, clock);
  if (used) {
    for (const auto& [rank, way] : domain_of(*grid.state()).channels().neighbors())
      used->insert(way);
  }
  return u.copy_out();
}

struct Copy {
  GOBAN_FUNCTION void operator()(auto u, auto same) const { same = u(); }
};

/// Faces that a sweep has read, those on walls with the values that these have.
std::vector<double> read_faces(const Ranks& ranks, Overlap overlap) {
  Settings settings;
  settings.communicator = ranks;
  settings.threads = 1;
  settings.overlap = overlap;
  Runtime runtime(settings);
  const BoundarySet walls{periodic, periodic, wall_value(1.75)};
  Grid grid(runtime, {.cells = cells, .boundary = walls});
  Field<double> u(grid, "u", {Location::face_z, &walls}), same(u, "same");
  u.fill([&](Index3 p) { return test::pattern(p); });
  Program step("read");
  step.apply(Copy{}, in(u), out(same));
  StepClock clock;
  Engine(step).run(1, clock);
  return same.copy_out();
}

Settings on_devices(Transport transport) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.delay_microseconds = 20;
  settings.transport = transport;
  return settings;
}

/// Steps an exchange and overlaps, between emulated devices by this way alone.
void expect_same_bits(const Ranks& ranks, Settings settings) {
  const auto expected = diffused<float>({}, self_communicator());
  const auto risen = diffused<float, Rise>({}, self_communicator(), 1, mirror);
  for (const auto& [together, overlap] : {std::pair{1, Overlap::none},
                                          {1, Overlap::two_kernel},
                                          {2, Overlap::one_kernel},
                                          {3, Overlap::none}}) {
    settings.steps_per_exchange = together;
    settings.overlap = overlap;
    const std::string how = std::to_string(together) + " " + name_of(overlap);
    std::set<Transport> used;
    EXPECT_EQ(diffused<float>(settings, ranks, 1, periodic, &used), expected) << how;
    EXPECT_EQ((diffused<float, Rise>(settings, ranks, 1, mirror, &used)), risen) << how;
    if (ranks->size() > 1) {
      EXPECT_EQ(used, std::set{settings.transport}) << how;
    }
  }
}

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class Halos : public AnyRanks {};

TEST_P(Halos, WallFacesAreSetBeforeTheyAreRead) {
  run([](const Ranks& ranks) {
    const auto expected = read_faces(self_communicator(), Overlap::none);
    for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      EXPECT_EQ(read_faces(ranks, overlap), expected) << name_of(overlap);
    }
  });
}

TEST_P(Halos, SlowLinksChangeNoBit) {
  run([](const Ranks& ranks) {
    const auto expected = diffused<float>({}, self_communicator());
    for (const int together : {1, 2, 3}) {
      Settings settings;
      settings.steps_per_exchange = together;
      const auto slow = with_slow_links(ranks, {.latency = 1e-4, .bytes_per_second = 1e8});
      EXPECT_EQ(diffused<float>(settings, slow), expected) << together;
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

TEST_P(Halos, RuntimesKnowTheirRank) {
  run([](const Ranks& ranks) {
    const Runtime runtime(Settings{.communicator = ranks, .threads = 1});
    EXPECT_EQ(runtime.rank(), ranks->rank());
    EXPECT_EQ(runtime.ranks(), ranks->size());
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
    EXPECT_EQ(domain_of(*grid.state()).channels().neighbors(), expected);
  });
}

/// Memory of emulated devices is the host's, which every MPI takes.
TEST_P(Halos, OfDevicesGoByMpi) {
  run([](const Ranks& ranks) { expect_same_bits(ranks, on_devices(Transport::mpi)); });
}

TEST_P(Halos, OfSeveralDevicesARankGoByMpi) {
  run([](const Ranks& ranks) {
    Settings settings = on_devices(Transport::mpi);
    settings.patches = {1, 2, 4};
    const auto expected = diffused<float>({}, self_communicator());
    EXPECT_EQ(diffused<float>(settings, ranks), expected);
    settings.overlap = Overlap::two_kernel;
    settings.steps_per_exchange = 2;
    EXPECT_EQ(diffused<float>(settings, ranks), expected);
  });
}

TEST_P(Halos, OfDevicesTakeTheFirstWayThereIs) {
  run([](const Ranks& ranks) {
    if (ranks->size() == 1) return;
    std::set<Transport> used;
    const auto found = diffused<float>(on_devices(Transport::automatic), ranks, 1, periodic, &used);
    EXPECT_EQ(found, diffused<float>({}, self_communicator()));
    EXPECT_EQ(used, std::set{test::is_in_threads() ? Transport::peer : Transport::mpi});
  });
}

INSTANTIATE_TEST_SUITE_P(On, Halos, testing::ValuesIn(test::rank_counts()));

TEST(HalosOfThreads, AWayThatIsNotThereIsRefusedOnAllRanks) {
  test::run_ranks(2, [](const Ranks& ranks) {
    Settings settings;
    for (const Transport transport : {Transport::peer, Transport::nccl, Transport::mpi}) {
      settings.transport = transport;
      const std::string refused =
                            std::string("the transport ") + name_of(transport) + " is refused (",
                        suggestion = "); use the transport host or auto";
      EXPECT_EQ(error_of([&] { diffused<float>(settings, ranks); }),
                refused + "what computes is cpu, 1 thread" + suggestion);
      settings.halo_precision = HaloPrecision::half;
      EXPECT_EQ(error_of([&] { diffused<float>(settings, ranks); }),
                refused + "messages between GPUs are not rounded" + suggestion);
      settings.halo_precision = HaloPrecision::full;
    }
    settings.transport = Transport::host;
    EXPECT_EQ(diffused<float>(settings, ranks), diffused<float>({}, self_communicator()));
  });
}

TEST(HalosOfThreads, OfDevicesAreStoredThere) {
  for (const int n : {2, 3, 4, 6, 8}) {
    test::run_ranks(
        n, [](const Ranks& ranks) { expect_same_bits(ranks, on_devices(Transport::peer)); });
  }
}

/// Counts the halos of other ranks' patches that the sweeps of a schedule store into.
int count_stored(const Schedule& schedule) {
  int stored = 0;
  for (const Operation& op : schedule.operations) {
    for (const Operation& edge : op.edges) stored += !schedule.patches.is_local(edge.patch);
  }
  return stored;
}

TEST(HalosOfThreads, SweepsStoreWhereDevicesReachEachOther) {
  test::run_ranks(2, [](const Ranks& ranks) {
    for (const Transport transport : {Transport::peer, Transport::host}) {
      Settings settings = on_devices(transport);
      settings.communicator = ranks;
      settings.patches = {1, 2, 2};
      Runtime runtime(settings);
      Grid grid(runtime, {.cells = cells, .boundary = periodic});
      Field<float> u(grid, "u"), next(grid, "next");
      Program step("diffusion");
      step.apply(test::Diffusion<float>{}, in(u), out(next));
      step.swap(u, next);
      Engine engine(step);
      // Both of a rank's patches have a neighbour of the other rank on either side along z.
      EXPECT_EQ(count_stored(engine.schedule()), transport == Transport::peer ? 4 : 0);
    }
  });
}

TEST(HalosOfThreads, OfDevicesGoAtOnce) {
  for (const int n : {1, 2, 3, 4, 6, 8}) {
    test::run_ranks(
        n, [](const Ranks& ranks) { expect_same_bits(ranks, on_devices(Transport::nccl)); });
  }
}

TEST(HalosOfThreads, RanksOfSeveralDevicesJoinNoGroup) {
  test::run_ranks(2, [](const Ranks& ranks) {
    Settings settings = on_devices(Transport::nccl);
    settings.patches = {1, 1, 3};
    EXPECT_EQ(error_of([&] { diffused<float>(settings, ranks); }),
              "the transport nccl is refused (a rank computes on 2 devices, one may join); use the "
              "transport host or auto");
  });
}

TEST(HalosOfThreads, GroupsAreOfRanksThatHavePatches) {
  const auto expected = diffused<float>({}, self_communicator());
  test::run_ranks(4, [&](const Ranks& ranks) {
    Settings settings = on_devices(Transport::nccl);
    settings.patches = {1, 1, 3};
    settings.steps_per_exchange = 2;  // which ways are opened for twice
    EXPECT_EQ(diffused<float>(settings, ranks), expected);
  });
}

/// Threads of several machines do not write to each other's devices.
TEST(HalosOfThreads, WaysDifferFromPairToPair) {
  const auto expected = diffused<float>({}, self_communicator());
  const auto on_machines = [&](const std::vector<int>& machines, Index3 patches,
                               const std::set<Transport>& ways) {
    test::run_ranks(
        static_cast<int>(machines.size()),
        [&](const Ranks& ranks) {
          Settings settings = on_devices(Transport::automatic);
          settings.patches = patches;
          std::set<Transport> used;
          EXPECT_EQ(diffused<float>(settings, ranks, 1, periodic, &used), expected);
          EXPECT_EQ(used, ways);
        },
        machines);
  };
  on_machines({0, 0, 1, 1}, {1, 2, 2}, {Transport::peer, Transport::nccl});
  on_machines({0, 0, 1, 1}, {1, 4, 2}, {Transport::peer, Transport::mpi});
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
  EXPECT_NE(
      refusal.find("cannot travel as half (it is too large); use a higher precision of halos"),
      std::string::npos)
      << refusal;
}

}  // namespace
}  // namespace goban::halos_test
