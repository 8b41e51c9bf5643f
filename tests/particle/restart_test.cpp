// Runs with bodies go on from checkpoints, on whatever ranks, to the same bits; and what they
// write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "goban/io/file/file.hpp"
#include "goban/particle/packing.hpp"
#include "tests/particle/suspension.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::restart_test {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  Index steps = 40;
  fs::path directory;
  Restart restart = {};
};

BodyShape red_cell() {
  BodyShape shape;
  shape.semi_axes = {2.4, 2.4, 1.2};
  return in_fluid(shape, 1.0 / 12);
}

/// The bodies at the end, and the checksum of the fluid.
std::pair<std::vector<Body>, std::uint64_t> run(const Wanted& wanted, const Settings& settings) {
  Runtime runtime(settings);
  test::Suspension s(runtime, {.cells = {16, 16, 20}, .drive = {1e-4, 0, 0}},
                     {.shapes = {red_cell()}, .repulsion = {.strength = 1e-4}});
  s.bodies.place(packed(s.grid, red_cell(), {.hematocrit = 0.15}));
  Simulation simulation(
      s.grid, s.step,
      {.steps = wanted.steps, .directory = wanted.directory.string(), .restart = wanted.restart});
  simulation.add(s.bodies.output(every(20)));
  simulation.series("crowd", s.bodies.columns(), every(10));
  simulation.checkpoint(every(10));
  simulation.run();
  return {s.bodies.all(), s.f.checksum()};
}

void expect_equal(const std::vector<Body>& a, const std::vector<Body>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_EQ(a[n].position, b[n].position) << n;
    EXPECT_EQ(a[n].quaternion, b[n].quaternion) << n;
    EXPECT_EQ(a[n].velocity, b[n].velocity) << n;
    EXPECT_EQ(a[n].rotation, b[n].rotation) << n;
  }
}

TEST(Restart, OnOtherRanksGoesOnToTheSameBits) {
  const test::ScratchFolder whole, parts;
  const auto [bodies, fluid] = run({.directory = whole.path()}, test::one_thread());
  ASSERT_GT(bodies.size(), 10);
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    run({.steps = 30, .directory = parts.path()}, settings);
  });
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    const auto [again, same_fluid] =
        run({.directory = parts.path(), .restart = restart_newest()}, settings);
    expect_equal(again, bodies);
    EXPECT_EQ(same_fluid, fluid);
  });
  for (const char* const file :
       {"suspension_crowd.csv", "suspension_bodies.0000000.vtp", "suspension_bodies.0000040.vtp"}) {
    EXPECT_EQ(read_text(parts.path() / file), read_text(whole.path() / file)) << file;
  }
}

TEST(BodyOutput, WritesPolyDataWithTensorsForGlyphs) {
  const test::ScratchFolder folder;
  Runtime runtime(test::one_thread());
  Grid grid(runtime,
            {.cells = {16, 16, 16}, .spacing = 0.5, .origin = {1, 2, 3}, .boundary = periodic});
  BodyShape shape;
  shape.semi_axes = {3, 2, 1};
  Bodies bodies(grid, {.shapes = {shape}});
  bodies.place({{.position = {4, 5, 6}}, {.position = {12, 11, 10}, .velocity = {0.1, 0, 0}}});
  Program step("still");
  Simulation simulation(grid, step, {.steps = 0, .directory = folder.path().string()});
  simulation.add(bodies.output(every(1)));
  simulation.run();
  const std::string text = read_text(folder.path() / "still_bodies.0000000.vtp");
  EXPECT_NE(text.find("<Piece NumberOfPoints=\"2\""), std::string::npos);
  EXPECT_NE(text.find("Name=\"axes\" NumberOfComponents=\"9\""), std::string::npos);
  const auto numbers = [&](std::size_t offset, std::size_t count) {
    std::vector<double> all(count);
    const std::size_t begin = text.find("\n_") + 2 + offset;
    std::memcpy(all.data(), text.data() + begin + 8, 8 * count);
    return all;
  };
  EXPECT_THAT(numbers(0, 6), testing::ElementsAre(3, 4.5, 6, 7, 7.5, 8));
  const std::size_t axes = (8 + 48) + 2 * (8 + 16) + 2 * (8 + 48);
  EXPECT_THAT(numbers(axes, 9), testing::ElementsAre(1.5, 0, 0, 0, 1, 0, 0, 0, 0.5));
}

}  // namespace
}  // namespace goban::restart_test
