// Whatever the ranks, patches, threads and devices, fluid and bodies have the same bits.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "goban/base/mix.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/particle/packing.hpp"
#include "tests/gpu.hpp"
#include "tests/particle/suspension.hpp"
#include "tests/ranks.hpp"

namespace goban::bits_test {
namespace {

BodyShape red_cell() {
  BodyShape shape;
  shape.semi_axes = {2.4, 2.4, 0.9};
  shape.density = 1.1;
  shape.kernel_widths = {1.9, 1.9, 0.8};
  shape.friction = 3;
  shape.rotational_friction = 8;
  shape.strain_friction = 2;
  return shape;
}

std::uint64_t hash_of(const std::vector<Body>& bodies) {
  std::uint64_t hash = bodies.size();
  const auto add = [&](const auto& numbers) {
    for (const double x : numbers) hash = mix(hash ^ std::bit_cast<std::uint64_t>(x));
  };
  for (const Body& body : bodies) {
    add(body.position);
    add(body.quaternion);
    add(body.velocity);
    add(body.rotation);
  }
  return hash;
}

struct State {
  std::uint64_t bodies = 0, fluid = 0;
  bool operator==(const State&) const = default;
};

/// A crowd that flows through a channel, or around a box.
State state_after(Index steps, const Settings& settings, bool has_walls,
                  const std::function<void(Domain&)>& halfway = {}) {
  Runtime runtime(settings);
  BodyOptions options{
      .shapes = {red_cell()}, .repulsion = {.strength = 1e-4, .width = 1}, .gravity = {0, 1e-4, 0}};
  if (has_walls) options.wall_strength = 0.01;
  test::Suspension s(
      runtime, {.cells = {18, 17, 40}, .drive = {2e-4, 0, 5e-5}, .has_walls = has_walls}, options);
  PackingOptions packing{.hematocrit = 0.2};
  if (has_walls) packing.region = Box{{0, 2, 0}, {18, 15, 40}};
  s.bodies.place(packed(s.grid, red_cell(), packing));
  s.run(steps / 2);
  if (halfway) halfway(domain_of(*s.grid.state()));
  s.run(steps - steps / 2);
  EXPECT_EQ(s.bodies.all().size(), static_cast<std::size_t>(s.bodies.count()));
  return {hash_of(s.bodies.all()), s.f.checksum()};
}

TEST(Bits, AreThoseOfOneRankOnAnyRanks) {
  for (const bool has_walls : {false, true}) {
    const State alone = state_after(40, test::one_thread(), has_walls);
    for (const int ranks : {2, 7, 8}) {
      test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
        Settings settings = test::one_thread();
        settings.communicator = communicator;
        settings.backend = ranks == 2 ? Backend::emulated : Backend::cpu;
        EXPECT_EQ(state_after(40, settings, has_walls), alone) << ranks << " ranks";
      });
    }
  }
}

/// Longer than bodies keep an order, with looks at them from time to time.
TEST(Bits, AreThoseOfHostsOnDevicesThatKeepBodies) {
  const auto hashes_of = [](const Settings& settings) {
    Runtime runtime(settings);
    test::Suspension s(runtime, {.cells = {16, 15, 14}, .drive = {2e-4, 0, 5e-5}},
                       {.shapes = {red_cell()}, .repulsion = {.strength = 1e-4, .width = 1}});
    s.bodies.place(packed(s.grid, red_cell(), {.hematocrit = 0.2}));
    std::vector<std::uint64_t> hashes;
    for (const Index steps : {0, 1, 30, 260}) {
      s.run(steps);
      hashes.push_back(hash_of(s.bodies.all()));
      hashes.push_back(std::bit_cast<std::uint64_t>(s.bodies.momentum()[0]));
    }
    const double share = s.bodies.share();  // emulated devices have no time
    EXPECT_TRUE(settings.backend == Backend::emulated ? share == 0 : share > 0 && share < 1);
    return hashes;
  };
  const auto plain = hashes_of(test::one_thread());
  Settings emulated = test::one_thread();
  emulated.backend = Backend::emulated;
  emulated.delay_microseconds = 20;
  EXPECT_EQ(hashes_of(emulated), plain);
  if (!test::has_gpu()) return;
  Settings gpu = test::one_thread();
  gpu.backend = Backend::cuda;
  gpu.devices = {0};
  EXPECT_EQ(hashes_of(gpu), plain);
}

TEST(Bits, StayWhenTheGridIsCutAnew) {
  const State alone = state_after(20, test::one_thread(), false);
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = test::one_thread();
    settings.communicator = communicator;
    const State recut = state_after(20, settings, false, [](Domain& domain) {
      Decomposition decomposition = domain.decomposition();
      for (auto& cuts : decomposition.cuts) {
        if (cuts.size() == 3) cuts[1] += 4;
      }
      domain.redistribute(decomposition);
    });
    EXPECT_EQ(recut, alone);
  });
}

TEST(Bits, AreThoseOfOnePatchOnAnyPatchesThreadsAndDevices) {
  const State plain = state_after(20, test::one_thread(), true);
  Settings cut = test::one_thread();
  cut.cuts = {"7,11", "", "19,21"};
  cut.threads = 2;
  EXPECT_EQ(state_after(20, cut, true), plain);
  Settings emulated = test::one_thread();
  emulated.backend = Backend::emulated;
  EXPECT_EQ(state_after(20, emulated, true), plain);
  const State around = state_after(20, test::one_thread(), false);
  EXPECT_EQ(state_after(20, emulated, false), around);
  emulated.cuts = {"7,11", "", ""};
  EXPECT_EQ(state_after(20, emulated, true), plain);
  Settings threads;
  threads.threads = 4;
  EXPECT_EQ(state_after(20, threads, false), around);
  if (test::has_gpu()) {
    Settings gpu = test::one_thread();
    gpu.backend = Backend::cuda;
    gpu.devices = {0};
    EXPECT_EQ(state_after(20, gpu, true), plain);
    EXPECT_EQ(state_after(20, gpu, false), around);
    gpu.cuts = {"7,11", "", "19,21"};
    EXPECT_EQ(state_after(20, gpu, true), plain);
  }
  Settings reference = test::one_thread();
  reference.backend = Backend::reference;
  EXPECT_EQ(state_after(5, reference, true), state_after(5, test::one_thread(), true));
}

}  // namespace
}  // namespace goban::bits_test
