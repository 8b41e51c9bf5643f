// Runs on active cells: files, and restarts on other patches, ranks and devices.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "goban/domain/data/domain.hpp"
#include "goban/goban.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_run_test {
namespace {

namespace fs = std::filesystem;

constexpr Index3 box{26, 20, 17};

struct Run {
  Index steps = 20;
  Restart restart{};
  std::function<bool(Index3)> is_active = test::is_pore;
  bool outputs = false;
};

test::Results run(const Settings& settings, const fs::path& folder, const Run& wanted) {
  Runtime runtime(settings);
  Grid grid(
      runtime,
      {.cells = box, .boundary = {periodic, mirror, wall_value(1)}, .active = wanted.is_active});
  Field<float> u(grid, "u"), next(grid, "next");
  Field<double, 3> v(grid, "v");
  u.fill(test::pattern);
  v.fill(0.5);
  Program step("step");
  step.apply(test::Diffusion<float>{0.1f}, in(u), out(next));
  step.apply([](auto u, auto v) { v[1] = v[1]() + u(0, 0, 1); }, in(u), inout(v));
  step.swap(u, next);
  SimulationOptions options;
  options.steps = wanted.steps;
  options.directory = folder;
  options.restart = wanted.restart;
  options.measure_bandwidth = false;
  Simulation simulation(grid, step, options);
  simulation.checkpoint(every(7));
  if (wanted.outputs) {
    simulation.output({u, v}, every(10));
    simulation.picture(u, {.axis = Axis::z}, at_end());
    simulation.probe({u}, {{3.5, 4.5, 5.5}}, every(5));
  }
  simulation.run();
  return {{"u", u.checksum()}, {"v", v.checksum()}};
}

class ListRuns : public ::testing::Test {
 protected:
  test::ScratchFolder folder_;
  fs::path at(const std::string& name) const { return folder_.path() / name; }
};

TEST_F(ListRuns, GoOnWithOtherPatchesRanksAndDevices) {
  const test::Results expected = run({}, at("whole"), {});
  const Settings three{.patches = {3, 1, 1}, .threads = 1};
  const Settings devices{
      .backend = Backend::emulated, .patches = {2, 1, 1}, .delay_microseconds = 10};
  int n = 0;
  for (const Settings& first : {Settings{}, three, devices}) {
    for (const Settings& then : {Settings{}, three, devices}) {
      const fs::path folder = at("parts" + std::to_string(n++));
      run(first, folder, {.steps = 14});
      EXPECT_EQ(run(then, folder, {.restart = restart_newest()}), expected);
    }
  }
  const fs::path folder = at("ranks");
  run(three, folder, {.steps = 14});
  const auto go_on = [&](const Settings& settings) {
    return run(settings, folder, {.restart = restart_newest()});
  };
  for (const test::Results& found : test::results_of_ranks(4, go_on, {})) {
    EXPECT_EQ(found, expected);
  }
}

/// Bytes of the files of a folder whose names end so.
std::map<std::string, std::string> files_in(const fs::path& folder, const std::string& ending) {
  std::map<std::string, std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(file.path(), folder).string();
    if (name.ends_with(ending)) files[name] = read_text(file.path());
  }
  return files;
}

TEST_F(ListRuns, InPartsLeaveTheSameFilesAndGoOnInOthers) {
  const test::Results expected = run({}, at("whole"), {.outputs = true});
  const auto in_parts = [](int parts, Index patches) {
    return Settings{.patches = {patches, 1, 1}, .parts = parts, .threads = 1};
  };
  const Settings devices{
      .backend = Backend::emulated, .patches = {2, 1, 1}, .parts = 2, .delay_microseconds = 10};
  const std::vector<Settings> all{in_parts(1, 1), in_parts(4, 4), in_parts(4, 2), in_parts(6, 3),
                                  devices};
  int n = 0;
  for (const Settings& first : all) {
    const fs::path folder = at("first" + std::to_string(n++));
    run(first, folder, {.outputs = true});
    const auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
    EXPECT_EQ(summary.at("list").at("read_of_others") > 0, first.patches[0] > 1);
    EXPECT_LT(summary.at("list").at("imbalance"), 0.5);
    for (const char* const ending : {".bin", ".vtkhdf", ".csv", ".png"}) {
      EXPECT_EQ(files_in(folder, ending), files_in(at("whole"), ending)) << ending;
    }
    for (const Settings& then : all) {
      const fs::path again = at("again" + std::to_string(n++));
      run(first, again, {.steps = 14});
      EXPECT_EQ(run(then, again, {.restart = restart_newest()}), expected);
    }
  }
  const auto go_on = [&](const Settings& settings) {
    return run(settings, at("ranks"), {.steps = 14});
  };
  test::results_of_ranks(3, go_on, in_parts(3, 3));
  EXPECT_EQ(run(in_parts(1, 2), at("ranks"), {.restart = restart_newest()}), expected);
}

TEST_F(ListRuns, SayWhereInTheBoxAValueIsNotFinite) {
  constexpr Index3 bad{13, 7, 8};
  ASSERT_TRUE(test::is_pore(bad));
  for (const int parts : {1, 3}) {
    Runtime runtime({.patches = {3, 1, 1}, .parts = parts, .threads = 1});
    Grid grid(runtime, {.cells = box, .active = test::is_pore});
    Field<float> u(grid, "u");
    u.fill([&](Index3 cell) { return cell == bad ? std::nanf("") : 1.0f; });
    Program step("step");
    step.apply([](auto u) { u = 2 * u(); }, inout(u));
    Simulation simulation(grid, step, {.steps = 4, .directory = folder_.path() / "nan"});
    EXPECT_NE(test::error_of([&] { simulation.run(); }).find("cell (13, 7, 8)"), std::string::npos);
  }
}

TEST_F(ListRuns, RefuseCheckpointsOfOtherCells) {
  run({}, at("run"), {.steps = 14});
  const auto shifted = [](Index3 i) { return test::is_pore({(i[0] + 1) % box[0], i[1], i[2]}); };
  const std::string refusal = test::error_of(
      [&] { run({}, at("run"), {.restart = restart_newest(), .is_active = shifted}); });
  EXPECT_NE(refusal.find("2 found, 2 refused"), std::string::npos) << refusal;
}

TEST_F(ListRuns, LeaveFilesOfActiveCells) {
  run({}, at("run"), {.outputs = true});
  std::set<std::string> names;
  for (const auto& file : fs::directory_iterator(at("run"))) {
    if (file.path().extension() != ".json") names.insert(file.path().filename().string());
  }
  for (const char* const ending : {"_u_v.cells.vtkhdf", "_u_v.0000010.vtkhdf", "_u_v.xdmf"}) {
    const bool is_there = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.ends_with(ending);
    });
    EXPECT_EQ(is_there, have_hdf5()) << ending;
  }
}

}  // namespace
}  // namespace goban::list_run_test
