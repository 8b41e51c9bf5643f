// Red cells: the keys of a case, tubes that repeat themselves, cells that flow through them.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <numbers>

#include "blood/keys.hpp"
#include "blood/red_cells.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/file.hpp"
#include "goban/simulation/application/application.hpp"
#include "tests/apps/blood_run.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {
const Application& blood_application();
}

namespace goban::blood::blood_cells_test {
namespace {

using ::testing::HasSubstr;

const std::string tube = R"(
[vessel]
periodic = "x"
[[segment]]
begin = [0, 0, 0]
end = ["32 um", 0, 0]
radius = "11 um"
)";

const std::string open_tube = R"(
[vessel]
[[segment]]
begin = ["-20 um", 0, 0]
end = ["52 um", 0, 0]
radius = "11 um"
[[opening]]
name = "in"
center = ["1 um", 0, 0]
normal = [-1, 0, 0]
radius = "11 um"
kind = "velocity"
speed = 0.2
[[opening]]
name = "out"
center = ["31 um", 0, 0]
normal = [1, 0, 0]
radius = "11 um"
kind = "pressure"
)";

/// The same along (2, 1, 0).
const std::string tilted_tube = R"(
[vessel]
[[segment]]
begin = ["0 um", "-1.8 um", 0]
end = ["44 um", "20.2 um", 0]
radius = "11 um"
[[opening]]
name = "in"
center = ["8.6 um", "2.5 um", 0]
normal = [-2, -1, 0]
radius = "11 um"
kind = "velocity"
speed = 0.2
[[opening]]
name = "out"
center = ["35.4 um", "15.9 um", 0]
normal = [2, 1, 0]
radius = "11 um"
kind = "pressure"
)";
const std::vector<std::string> in_larger_grid = {"grid.cells=[22, 22, 13]"};

Case parsed(const std::string& more, const std::vector<std::string>& words = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const std::string text =
      "app = \"blood\"\n[grid]\ncells = [16, 13, 13]\nspacing = \"2 um\"\norigin = [0, \"-12.8 "
      "um\", \"-12.9 um\"]\n[time]\nsteps = 1\n[flow]\nviscosity = \"1.2e-6 m2/s\"\ndensity = "
      "1000\nspeed = \"0.2 m/s\"\nforce = [3e7, 0, 0]\n[scheme]\nlattice_speed = 0.02\n";
  return parse_case(schema, text + more, "cells.toml", words);
}

VesselCase case_of(const std::string& more, const std::vector<std::string>& words = {}) {
  return read_case(parsed(more, words));
}

GridOptions grid_options_of(const VesselCase& all) {
  GridOptions options{.cells = all.vessel->fluid.box(), .boundary = {periodic, mirror, mirror}};
  if (!all.model.periodic) options.boundary = mirror;
  options.spacing = all.model.length_unit;
  options.origin = {0, -12.8e-6, -12.9e-6};
  return options;
}

/// The tube of the case on its active cells.
class RunningTube : public SmallVessel<double> {
 public:
  explicit RunningTube(const VesselCase& all, const Settings& settings = {})
      : SmallVessel<double>(all.model, grid_options_of(all), all.vessel, settings, Cells::active),
        all_(all) {}
  /// Over that of plasma.
  double viscosity() {
    sum_up();
    const double radius = all_.pipe_radius / all_.model.length_unit;
    return std::numbers::pi * std::pow(radius, 4) * step.force(0) /
           (8 * step.transports[0].value() / 16) / all_.model.viscosity();
  }
  /// Red cells in what flows, over those in the tube.
  double enrichment() {
    sum_up();
    const Box whole{{0, 0, 0}, {16, 13, 13}};
    return step.cells->bodies.transport(whole)[0] / step.transports[0].value() /
           step.cells->bodies.hematocrit();
  }

 private:
  VesselCase all_;
};

std::string error_of_running(const std::string& more, const std::vector<std::string>& words = {}) {
  return test::error_of([&] { RunningTube{case_of(more, words)}; });
}

using Numbers = std::function<std::vector<double>(const Settings&)>;

void expect_the_same_on_patches_ranks_and_devices(const Numbers& numbers) {
  Settings alone, patches, devices;
  alone.threads = 1;
  patches.patches = {3, 1, 1};
  patches.threads = 2;
  devices.backend = Backend::emulated;
  devices.patches = {2, 1, 1};
  const std::vector<double> expected = numbers(alone);
  EXPECT_EQ(numbers(patches), expected);
  EXPECT_EQ(numbers(devices), expected);
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = alone;
    settings.communicator = ranks;
    EXPECT_EQ(numbers(settings), expected);
  });
}

TEST(BloodCells, HaveTheSizeOfTheCase) {
  const Model model = case_of(tube + "[cells]\nhematocrit = 0.3\nthickness = \"3 um\"\n").model;
  const BodyOptions options = options_of(model.cells, model);
  EXPECT_DOUBLE_EQ(options.shapes[0].semi_axes[0], 2);
  EXPECT_NEAR(options.shapes[0].semi_axes[2], 0.75, 1e-15);
  EXPECT_NEAR(options.shapes[0].density, 1.1, 1e-15);
  // 0.05 viscosity speed diameter^2 in lattice units
  EXPECT_NEAR(options.repulsion.strength, 0.05 * model.viscosity() * 0.02 * 16, 1e-12);
  EXPECT_NEAR(options.wall_strength, 200 * model.viscosity() * 0.02 * 4, 1e-9);
}

TEST(BloodCells, OneByOneLieWhereTheCaseSays) {
  const VesselCase all =
      case_of(tube +
              "[[cell]]\nposition = [\"10 um\", \"2 um\", 0]\naxis = [1, 1, 0]\n[[cell]]\nposition "
              "= [\"24 um\", 0, 0]\n");
  RunningTube running(all);
  const auto bodies = running.step.cells->bodies.all();
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_NEAR(bodies[0].position[0], 5, 1e-12);
  EXPECT_NEAR(bodies[0].position[1], 7.4, 1e-12);
  double axes[3][3];
  device::body_axes(state_of(0, bodies[0]).quaternion, axes);
  EXPECT_NEAR(axes[2][0], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(axes[2][1], std::sqrt(0.5), 1e-12);
}

TEST(BloodCells, ThatCannotBe_AreRefusedInALine) {
  EXPECT_THAT(
      error_of_running(tube + "[cells]\nhematocrit = 0.3\n[[cell]]\nposition = [0, 0, 0]\n"),
      HasSubstr("red cells are placed twice"));
  EXPECT_THAT(
      error_of_running(tube + "[cells]\nhematocrit = 0.9\ndiameter = \"10 um\"\n"),
      HasSubstr("bodies cannot be packed (at a hematocrit of 0.9 they could not be kept 0.05 nodes "
                "apart within the active cells); take fewer bodies or a smaller gap"));
  EXPECT_THAT(error_of_running(tube + "[[cell]]\nposition = [\"10 um\", 0, 0]\n[[cell]]\nposition "
                                      "= [\"11 um\", 0, 0]\n"),
              HasSubstr("bodies 0 and 1 overlap (their surfaces are"));
  EXPECT_THAT(error_of_running(tube + "[[cell]]\nposition = [\"10 um\", \"12 um\", \"12 um\"]\n"),
              HasSubstr("body 0 is refused ((5, 12.4, 12.45) lies outside of the grid)"));
  EXPECT_THAT(
      error_of_running(tube + "[cells]\ndiameter = \"28 um\"\n[[cell]]\nposition = [0, 0, 0]\n"),
      HasSubstr("bodies 14 nodes long are refused"));
  EXPECT_THAT(error_of_running(open_tube + "[[cell]]\nposition = [\"30 um\", 0, 0]\n"),
              HasSubstr("a [[cell]] at an opening is refused (at (3e-05, 0, 0) it would leave at "
                        "once); place it further inside"));
}

TEST(BloodCells, OfATubeWithoutAny_HasTheViscosityOfPlasma) {
  RunningTube running(case_of(tube));
  running.run(1500);
  EXPECT_NEAR(running.viscosity(), 1, 0.02);
}

/// Pries, Neuhaus, Gaehtgens, Am. J. Physiol. 263 (1992) H1770: a tube of 22 um, hematocrit 0.33 in
/// what it discharges, 1.36.
TEST(BloodCells, MakeBloodViscousAndFlowFasterThanIt) {
  RunningTube running(case_of(tube + "[cells]\nhematocrit = 0.28\n"));
  EXPECT_NEAR(running.step.cells->bodies.hematocrit(), 0.28, 0.02);
  running.run(1500);
  double viscosity = 0, enrichment = 0;
  for (int n = 0; n < 5; ++n) {
    running.run(50);
    viscosity += running.viscosity() / 5;
    enrichment += running.enrichment() / 5;
  }
  EXPECT_NEAR(viscosity, 1.36, 0.2 * 1.36);
  EXPECT_GT(enrichment, 1.08);
  EXPECT_LT(enrichment, 1.3);
}

TEST(BloodCells, FlowWithTheSameBitsOnPatchesRanksAndDevices) {
  const VesselCase all = case_of(tube + "[cells]\nhematocrit = 0.3\n");
  const auto populations = [&](const Settings& settings) {
    RunningTube running(all, settings);
    running.run(30);
    return running.step.f.copy_out();
  };
  expect_the_same_on_patches_ranks_and_devices(populations);
}

/// Cells of an open tube, where `inlet`, in nodes, is the middle of its first opening.
void expect_to_enter(const VesselCase& all, const Real3& inlet) {
  using namespace vectors;
  RunningTube running(all);
  const Real3 axis = -1.0 * all.model.openings[0].normal;
  const double radius = all.model.openings[0].radius / all.model.length_unit;
  const Bodies& cells = running.step.cells->bodies;
  const Index count = cells.count();
  ASSERT_GT(count, 3);
  std::vector<Body> before = cells.all();
  Index entries = 0;
  for (int n = 0; n < test::in_short_or_long(40, 4000); ++n) {
    running.run(25);
    const std::vector<Body> now = cells.all();
    ASSERT_EQ(static_cast<Index>(now.size()), count);
    for (std::size_t b = 0; b < now.size(); ++b) {
      const Real3 from = now[b].position - inlet;
      const double along = dot(from, axis), earlier = dot(before[b].position - inlet, axis);
      EXPECT_LT(norm(from - along * axis), radius) << b;
      if (along > earlier - 1) continue;
      ++entries;
      EXPECT_GT(earlier, 8.5) << b;
      EXPECT_GT(along, 3.5) << b;
      EXPECT_LT(along, 8.5) << b;
    }
    before = now;
  }
  EXPECT_GT(entries, count);
}

TEST(BloodCells, ThatComeToAnOpeningEnterAtAnother) {
  expect_to_enter(case_of(open_tube + "[cells]\nhematocrit = 0.15\n"), {0.5, 6.4, 6.45});
}

TEST(BloodCells, EnterThroughTiltedOpeningsAlongTheirNormals) {
  expect_to_enter(case_of(tilted_tube + "[cells]\nhematocrit = 0.15\n", in_larger_grid),
                  {4.3, 7.65, 6.45});
}

const std::string two_cells =
    "[[cell]]\nposition = [\"21 um\", 0, \"3 um\"]\n[[cell]]\nposition = [\"13 um\", 0, 0]\n";

TEST(BloodCells, EnterAtTheSamePlacesOnPatchesRanksAndDevices) {
  const VesselCase all = case_of(open_tube + two_cells);
  const auto positions = [&](const Settings& settings) {
    RunningTube running(all, settings);
    running.run(80);
    const std::vector<Body> cells = running.step.cells->bodies.all();
    EXPECT_LT(cells[0].position[0], 9);  // it has come in again
    std::vector<double> numbers = running.step.f.copy_out();
    for (const Body& body : cells) {
      numbers.insert(numbers.end(), body.position.begin(), body.position.end());
    }
    return numbers;
  };
  expect_the_same_on_patches_ranks_and_devices(positions);
}

struct PartOfRun {
  int steps = 80, ranks = 1;
  Restart restart = {};
};

/// The cells at the end, as a file has them.
std::string cells_of_run(const test::ScratchFolder& folder, const PartOfRun& part) {
  const Case values =
      parsed(open_tube + two_cells + "[checkpoint]\nevery = 10\n[output.cells]\nat_end = true\n",
             {"time.steps=" + std::to_string(part.steps)});
  test::run_ranks(part.ranks, [&](const std::shared_ptr<Communicator>& ranks) {
    Settings settings;
    settings.threads = 1;
    settings.communicator = ranks;
    Runtime runtime(settings);
    const auto setup = blood_application().setup(values, runtime);
    SimulationOptions& options = setup->simulation().options();
    options.directory = folder.path();
    options.restart = part.restart;
    setup->simulation().run();
  });
  const auto file = fmt::format("cells_bodies.{:07}.vtp", part.steps);
  return read_text(folder.path() / file);
}

/// Checkpoints between the steps in which cells are looked for, too.
TEST(BloodCells, GoOnOnOtherRanksToTheSameBits) {
  const test::ScratchFolder whole, parts;
  cells_of_run(parts, {.steps = 30, .ranks = 3});
  EXPECT_EQ(cells_of_run(parts, {.ranks = 2, .restart = restart_newest()}),
            cells_of_run(whole, {}));
}

}  // namespace
}  // namespace goban::blood::blood_cells_test
