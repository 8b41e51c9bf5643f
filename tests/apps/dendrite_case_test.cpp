// Cases of dendritic growth: what the keys mean and what is refused.

#include "dendrite/keys.hpp"
#include "dendrite/step.hpp"
#include "goban/base/error.hpp"
#include "goban/goban.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "tests/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace goban {

const Application& dendrite_application();

namespace dendrite::dendrite_case_test {
namespace {

const std::string least =
    "app = \"dendrite\"\ngrid.cells = [8, 16, 1]\ngrid.spacing = 1e-8\ntime.steps = 1\n";
const std::string seed = "[[nucleus]]\nradius = 3e-8\n";

Case parsed(const std::string& text) {
  CaseSchema schema;
  declare_keys(schema);
  return parse_case(schema, least + text, "case.toml");
}

/// The message of the error that setting the case up ends with.
std::string refusal(const std::string& text) {
  try {
    const Case values = parsed(text);
    Runtime runtime(run_settings(values));
    dendrite_application().setup(values, runtime);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "none";
}

TEST(DendriteCase, Interface_IsFourCellsWide) {
  const Model model = read_model(parsed(seed));
  EXPECT_DOUBLE_EQ(model.alloy.width, 4e-8);
  EXPECT_DOUBLE_EQ(read_model(parsed("alloy.width = \"60 nm\"\n" + seed)).alloy.width, 6e-8);
}

TEST(DendriteCase, Nuclei_DefaultToTheMiddle) {
  const Model model = read_model(parsed(seed + "[[nucleus]]\nshape = \"layer\"\nheight = 2e-8\n"));
  ASSERT_EQ(model.nuclei.size(), 2u);
  EXPECT_DOUBLE_EQ(model.nuclei[0].center[0], 4e-8);
  EXPECT_DOUBLE_EQ(model.nuclei[0].center[1], 8e-8);
  EXPECT_GT(model.phase_at({4e-8, 8e-8, 0}, {8, 16, 1}), 0.9);
  EXPECT_GT(model.phase_at({0, 0, 0}, {8, 16, 1}), 0.7);
  EXPECT_LT(model.phase_at({0, 15e-8, 0}, {8, 16, 1}), 0.1);
}

TEST(DendriteCase, ScatteredNuclei_LieAtTheLowEndWhereTheSeedSays) {
  const std::string scattered = "scattered.count = 3\nscattered.radius = 2e-8\n";
  const Model model = read_model(parsed(scattered));
  ASSERT_EQ(model.nuclei.size(), 3u);
  for (const Nucleus& nucleus : model.nuclei) {
    EXPECT_GE(nucleus.center[0], 0);
    EXPECT_LE(nucleus.center[0], 8e-8);
    EXPECT_EQ(nucleus.center[1], 0);
  }
  EXPECT_EQ(read_model(parsed(scattered)).nuclei[1].center, model.nuclei[1].center);
  EXPECT_NE(read_model(parsed(scattered + "run.seed = 2\n")).nuclei[1].center,
            model.nuclei[1].center);
}

TEST(DendriteCase, PullingSpeed_IsACoolingRate) {
  const Model model = read_model(
      parsed("temperature.gradient = \"20 K/um\"\ntemperature.pulling_speed = 0.01\n" + seed));
  EXPECT_DOUBLE_EQ(model.alloy.cooling_rate, 2e5);
}

TEST(DendriteCase, Coupling_DefaultsToAnInterfaceWithoutKinetics) {
  const Model model = read_model(parsed("model = \"thermal\"\n" + seed));
  EXPECT_NEAR(model.thermal.coupling, 15.957, 1e-3);
  EXPECT_NEAR(model.thermal.capillary_length() * model.thermal.coupling, 0.8839, 1e-4);
}

TEST(DendriteCase, WhatDoesNotFit_IsRefused) {
  EXPECT_EQ(refusal(seed), "none");
  EXPECT_EQ(refusal("thermal.width = 2\n" + seed),
            "case.toml:5:17: thermal.width is refused (it belongs to model = \"thermal\")");
  EXPECT_EQ(refusal("model = \"thermal\"\nalloy.noise = 2\n" + seed),
            "case.toml:6:15: alloy.noise is refused (it belongs to model = \"alloy\")");
  EXPECT_EQ(refusal("[[nucleus]]\nshape = \"layer\"\n"),
            "case.toml:6:9: a layer has no height; add height = \"1 um\" to its table");
  EXPECT_NE(refusal("").find("there is no nucleus"), std::string::npos);
  EXPECT_NE(refusal("scattered.count = 3\n" + seed).find("a count and a radius"),
            std::string::npos);
  EXPECT_NE(refusal("temperature.cooling_rate = 3\ntemperature.pulling_speed = 1\n" + seed),
            "none");
  EXPECT_NE(refusal("time.dt = 1\n" + seed).find("the scheme is stable up to"), std::string::npos);
  EXPECT_NE(refusal("alloy.anisotropy = 0.07\n" + seed), "none");
}

TEST(DendriteCase, RowsOfManyNucleiAreTheirCells) {
  const Model model = read_model(parsed("scattered.count = 200\nscattered.radius = 2e-9\n" + seed));
  Runtime runtime;
  Grid grid(runtime, {.cells = {600, 40, 1}, .spacing = 1e-9, .boundary = mirror});
  GrowthStep<double> step(grid, model, 1e-9);
  Field<double> expected(grid, "expected");
  expected.fill([&](Position position) { return model.phase_at(position, grid.cells()); });
  EXPECT_EQ(step.phase.copy_out(), expected.copy_out());
}

TEST(DendriteCase, FieldsOfFilesAreWhatARunStartsWith) {
  const test::ScratchFolder folder;
  const auto write = [&](const std::string& name, double scale) {
    Array array(ElementType::float64, {8, 16, 1});
    const auto values = array.as<double>();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<double>(i);
    write_npy(folder / name, array.view());
    return (folder / name).string();
  };
  const std::string phase = "initial.phase = \"" + write("phase.npy", 1.0 / 128) + "\"\n";
  const std::string excess = "initial.liquid_excess = \"" + write("excess.npy", -0.01) + "\"\n";
  const Model model = read_model(parsed(phase + excess));
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 16, 1}, .spacing = 1e-8, .boundary = mirror});
  GrowthStep<double> step(grid, model, 1e-9);
  EXPECT_EQ(step.phase.get({3, 2, 0}), 19.0 / 128);
  EXPECT_EQ(step.other.get({3, 2, 0}), -0.19);
  EXPECT_NE(refusal(phase + seed).find("nuclei are refused"), std::string::npos);
  EXPECT_NE(refusal(phase + "model = \"thermal\"\n" + excess).find("belongs to model"),
            std::string::npos);
}

TEST(DendriteCase, CellsThatAreNoCubes_AreRefused) {
  CaseSchema schema;
  declare_keys(schema);
  const Case values = parse_case(
      schema, "app = \"dendrite\"\ngrid.cells = [8, 8, 8]\ngrid.spacing = [1, 2, 1]\n" + seed,
      "case.toml");
  EXPECT_THROW(read_model(values), Error);
}

/// Growth in a frame that moves, in a folder of its own.
class DendriteRestart : public ::testing::Test {
 protected:
  nlohmann::json run(const std::string& folder, Index steps, const std::string& patches) const {
    const Case values = parse_case(
        schema(),
        "app = \"dendrite\"\ngrid.cells = [24, 40, 1]\ngrid.spacing = 1e-8\ntime.steps = " +
            std::to_string(steps) + "\nrun.threads = 1\nrun.patches = " + patches +
            "\nboundary.x = \"periodic\"\nalloy.composition = 1\nalloy.noise = 2\n"
            "alloy.kinetic_coefficient = 0.03\ntemperature.undercooling = 30\n"
            "temperature.gradient = 1e7\ntemperature.pulling_speed = 0.2\n"
            "tip.every = 10\ntip.highest = 0.4\noutput.series.every = 25\n"
            "[[nucleus]]\nshape = \"layer\"\nheight = 12e-8\n",
        "case.toml");
    Runtime runtime(run_settings(values));
    const auto setup = dendrite_application().setup(values, runtime);
    SimulationOptions& options = setup->simulation().options();
    options.directory = root_ / folder;
    options.restart = restart_newest();
    options.measure_bandwidth = false;
    setup->simulation().checkpoint(at_end());
    setup->simulation().run();
    return nlohmann::json::parse(content(folder, "summary.json"));
  }
  std::string content(const std::string& folder, const std::string& file) const {
    return root_.content(folder + "/" + file);
  }

 private:
  static const CaseSchema& schema() {
    static const CaseSchema all = [] {
      CaseSchema keys;
      declare_keys(keys);
      return keys;
    }();
    return all;
  }
  const test::ScratchFolder root_;
};

TEST_F(DendriteRestart, OfAMovingFrame_GoesOnAsIfNothingHadHappened) {
  const auto whole = run("whole", 600, "[1, 1, 1]");
  EXPECT_GE(whole["results"]["cells_moved"].get<double>(), 5);
  run("parts", 330, "[1, 1, 1]");  // between two looks and on one
  run("parts", 415, "[2, 1, 1]");
  const auto parts = run("parts", 600, "[1, 2, 1]");
  EXPECT_EQ(parts["restarted_from"], 415);
  EXPECT_EQ(parts["checksum"], whole["checksum"]);
  EXPECT_EQ(parts["results"], whole["results"]);
  EXPECT_EQ(content("parts", "case_series.csv"), content("whole", "case_series.csv"));
}

}  // namespace
}  // namespace dendrite::dendrite_case_test
}  // namespace goban
