// Cases of heat conduction: what the keys mean and what is refused.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "heat/keys.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace goban {

const Application& heat_application();

namespace heat::heat_case_test {
namespace {

const std::string least = "app = \"heat\"\ngrid.cells = [4, 3, 2]\ngrid.spacing = 0.5\n";

Case parsed(const std::string& text, const std::filesystem::path& file = "case.toml") {
  CaseSchema schema;
  declare_keys(schema);
  return parse_case(schema, least + text, file);
}

/// The message of the error that setting the case up ends with.
std::string refusal(const std::string& text, const std::filesystem::path& file = "case.toml") {
  try {
    const Case values = parsed(text, file);
    Runtime runtime(run_settings(values));
    heat_application().setup(values, runtime);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "none";
}

TEST(HeatCase, Boundary_WordsAndValuesWithUnits) {
  const Model model =
      read_model(parsed("boundary.x = [\"wall_value 2.5 kK\", \"gradient -3 K/mm\"]\n"
                        "boundary.y = \"mirror\"\nboundary.z = [\"constant 4\", \"mirror\"]\n"));
  using Kind = BoundaryCondition::Kind;
  EXPECT_EQ(model.boundary.at(Axis::x, Side::low).kind, Kind::wall_value);
  EXPECT_EQ(model.boundary.at(Axis::x, Side::low).value, 2500);
  EXPECT_EQ(model.boundary.at(Axis::x, Side::high).kind, Kind::gradient);
  EXPECT_EQ(model.boundary.at(Axis::x, Side::high).value, -3000);
  EXPECT_EQ(model.boundary.at(Axis::y, Side::low).kind, Kind::mirror);
  EXPECT_EQ(model.boundary.at(Axis::y, Side::high).kind, Kind::mirror);
  EXPECT_EQ(model.boundary.at(Axis::z, Side::low).kind, Kind::constant);
}

/// Along an axis of one cell nothing varies: what is round is cut through its centre, wherever that
/// lies along the axis.
TEST(HeatCase, ShapesInThePlaneAreCutThroughTheirCentre) {
  const std::string flat = "app = \"heat\"\ngrid.cells = [8, 8, 1]\ngrid.spacing = 0.5\n";
  const auto parsed = [&](const std::string& term) {
    CaseSchema schema;
    declare_keys(schema);
    return parse_case(schema, flat + "initial = [{" + term + ", value = 1}]\n", "a.toml");
  };
  const auto initial = [&](const std::string& term) { return read_model(parsed(term)).initial[0]; };
  const auto warnings_of = [&](const std::string& term) {
    const Case values = parsed(term);
    read_model(values);
    return values.warnings();
  };
  const Position center{1.75, 1.75, 0.25};
  for (const char* shape : {"gaussian", "sphere"}) {
    const Profile profile =
        initial("shape = \"" + std::string(shape) + "\", center = [1.75, 1.75, 0], radius = 0.2");
    EXPECT_EQ(profile.shape_at(center), 1) << shape;
  }
  const Profile mode = initial("shape = \"mode\", functions = \"cosine\"");
  EXPECT_DOUBLE_EQ(mode.shape_at({0, 0, 0.25}), 1);
  const auto refused = [&](const std::string& term) {
    return test::error_of([&] { initial(term); });
  };
  EXPECT_NE(refused("shape = \"mode\", waves = [1, 1, 1]").find("along an axis of one cell"),
            std::string::npos);
  for (const char* nothing : {"shape = \"sphere\", center = [2, 2, 0], radius = 0.2",
                              "shape = \"cylinder\", center = [2, 2, 0], radius = 0.2",
                              "shape = \"box\", lower = [0.3, 0, 0], upper = [0.7, 4, 1]"}) {
    EXPECT_THAT(warnings_of(nothing), ::testing::ElementsAre(::testing::HasSubstr(
                                          "does nothing (the centre of no cell lies within it)")))
        << nothing;
  }
}

TEST(HeatCase, Convection_IsACoefficientAndATemperature) {
  const Model model = read_model(parsed(
      "boundary.x = [\"convection 25 W/(m2 K) 0.3 kK\", \"mirror\"]\n"
      "boundary.y = [\"mirror\", \"convection 10 300 K + 1 K*t\"]\nboundary.z = \"mirror\"\n"));
  EXPECT_EQ(model.convection[0], (std::array<double, 2>{25, 0}));
  EXPECT_EQ(model.convection[1], (std::array<double, 2>{0, 10}));
  EXPECT_EQ(model.boundary.at(Axis::x, Side::low).kind, BoundaryCondition::Kind::wall_value);
  EXPECT_EQ(model.boundary.at(Axis::x, Side::low).value, 300);
  EXPECT_EQ(model.boundary.at(Axis::y, Side::high).value_at(5), 305);
  EXPECT_TRUE(model.has_conductances());
  EXPECT_EQ(refusal("boundary.x = \"convection 25\"\n"),
            "case.toml:4:14: \"convection 25\" is refused (a heat transfer coefficient and the "
            "temperature of the fluid are expected); write for example \"convection 25 W/(m2 K) "
            "300 K\"");
  EXPECT_NE(refusal("boundary.x = \"convection 0 300 K\"\n"), "none");
  EXPECT_NE(refusal("boundary.x = \"convection 5 300 K\"\nscheme.order = 4\ntime.steps = 1\n"),
            "none");
}

void run_in(const test::ScratchFolder& folder, const Case& values) {
  Runtime runtime(run_settings(values));
  const auto setup = heat_application().setup(values, runtime);
  setup->simulation().options().directory = folder.path();
  setup->simulation().options().measure_bandwidth = false;
  setup->simulation().run();
}

/// What a user sees who says nothing of precisions: increments far below the temperature count.
TEST(HeatCase, ByDefault_SmallIncrementsAreKept) {
  const std::string battery =
      "[time]\nend = 0.05\n[medium]\nconductivity = 20\nheat_capacity = 2e6\n"
      "[boundary]\nx = \"mirror\"\ny = \"mirror\"\nz = \"mirror\"\n"
      "[[initial]]\nshape = \"uniform\"\nvalue = 298.15\n"
      "[[source]]\nshape = \"uniform\"\npower = 1e4\n[checkpoint]\nat_end = false\n";
  CaseSchema schema;
  declare_keys(schema);
  const auto run = [&](const std::string& precision) {
    const Case values = parse_case(
        schema,
        "app = \"heat\"\ngrid.cells = [4, 4, 4]\ngrid.spacing = \"0.1 mm\"\n" + precision + battery,
        "case.toml");
    const test::ScratchFolder folder;
    run_in(folder, values);
    const auto summary = nlohmann::json::parse(std::ifstream(folder.path() / "summary.json"));
    return std::pair(summary["results"]["mean_temperature"].get<double>() - 298.15,
                     values.warnings());
  };
  const auto [rise, warnings] = run("");
  EXPECT_NEAR(rise, 0.05 * 1e4 / 2e6, 1e-9);
  EXPECT_TRUE(warnings.empty());
  const auto [lost, said] = run("run.precision = \"float32\"\n");
  EXPECT_LT(lost, 1e-4);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("increments are lost; leave run.precision at float64"), std::string::npos)
      << said[0];
}

/// Samples come where steps meet their moments, at distances that vary.
TEST(HeatCase, AveragesOverTime_AreThoseOfTheTime) {
  const std::string warming =
      "[time]\nend = 1\ndt = 0.03\n[boundary]\nx = \"mirror\"\ny = \"mirror\"\n"
      "z = \"mirror\"\n[[source]]\nshape = \"uniform\"\npower = 2\n[checkpoint]\nat_end = false\n"
      "[[output.averages]]\nname = \"a\"\nfields = [\"temperature\"]\nevery_time = 0.1\n"
      "[output.statistics]\nfields = [\"temperature\"]\nevery_time = 0.25\nfrom = 0.2\n";
  const Case values = parsed(warming);
  const test::ScratchFolder folder;
  run_in(folder, values);
  const CsvTable table = read_csv(folder.path() / "case_averages_a.0000034.csv");
  for (const double mean : table.values[table.column("temperature")]) {
    EXPECT_NEAR(mean, 2 * 1.02 / 2, 1e-12);
  }
  for (const double variance : table.values[table.column("variance of temperature")]) {
    EXPECT_NEAR(variance, 2.04 * 2.04 / 12, 0.01);
  }
}

TEST(HeatCase, WallsAndSources_MayVaryInTime) {
  const std::string varying =
      "boundary.x = [\"wall_value 300 K + 1 kK*t\", \"mirror\"]\nboundary.y = \"mirror\"\n"
      "[[source]]\nshape = \"uniform\"\npower = \"2 kW/m3 * t\"\n"
      "[[source]]\nshape = \"uniform\"\npower = 5\n";
  const Model model = read_model(parsed(varying));
  EXPECT_EQ(model.boundary.at(Axis::x, Side::low).value_at(2), 2300);
  ASSERT_EQ(model.varying_sources.size(), 1u);
  EXPECT_EQ(model.varying_sources[0].power.at(3), 6000);
  ASSERT_EQ(model.sources.size(), 1u);
  EXPECT_EQ(model.sources[0].amplitude, 5);
  EXPECT_NE(refusal("problem.kind = \"steady\"\n" + varying)
                .find("a steady state is that of values that stay"),
            std::string::npos);
}

TEST(HeatCase, Boundary_TyposAreNamed) {
  EXPECT_EQ(
      refusal("boundary.x = \"miror\"\n"),
      "case.toml:4:14: unknown boundary condition miror (the conditions are periodic, mirror, "
      "constant, wall_value, gradient, convection); did you mean mirror?");
  EXPECT_EQ(refusal("boundary.y = \"wall_value\"\n").substr(0, 43),
            "case.toml:4:14: \"wall_value\" is refused (it");
  EXPECT_NE(refusal("boundary.x = [\"periodic\", \"mirror\"]\n"), "none");
}

TEST(HeatCase, Profiles_DefaultToTheMiddleAndTheEndsOfTheGrid) {
  const Model model =
      read_model(parsed("[[initial]]\nshape = \"gaussian\"\nvalue = 3\nradius = 0.1\n"
                        "[[source]]\nshape = \"box\"\npower = 5\nupper = [1, 1.5, 1]\n"));
  ASSERT_EQ(model.initial.size(), 1u);
  EXPECT_EQ(model.initial[0].center, (Real3{1, 0.75, 0.5}));
  EXPECT_EQ(model.initial[0].amplitude, 3);
  ASSERT_EQ(model.sources.size(), 1u);
  EXPECT_EQ(model.sources[0].amplitude, 5);
  EXPECT_EQ(model.sources[0].shape_at({0.25, 0.25, 0.25}), 1);
  EXPECT_EQ(model.sources[0].shape_at({1.25, 0.25, 0.25}), 0);
}

TEST(HeatCase, Sphere_NeedsARadius) {
  EXPECT_EQ(refusal("[[inclusion]]\nshape = \"sphere\"\nconductivity = 2\n"),
            "case.toml:5:9: a sphere has no radius; add radius = \"1 mm\" to its table");
}

TEST(HeatCase, TimeStep_BeyondStabilityIsRefused) {
  const std::string message = refusal("time.dt = 0.1\ntime.steps = 1\n");
  EXPECT_EQ(message.substr(0, 44), "case.toml:4:11: time.dt = 0.1 s is refused (");
  EXPECT_EQ(refusal("time.dt = 0.04\ntime.steps = 1\n"), "none");
}

TEST(HeatCase, TimeStep_DividesTheEnd) {
  const Case values = parsed("time.end = 1\n");
  Runtime runtime;
  const auto setup = heat_application().setup(values, runtime);
  const double dt = setup->simulation().options().dt.current();
  EXPECT_NEAR(1 / dt, std::round(1 / dt), 1e-12);
  EXPECT_LE(dt, 0.9 * 0.25 / 6);
}

TEST(HeatCase, KeysThatDoNotFitTheProblem_AreRefused) {
  EXPECT_NE(refusal("problem.kind = \"steady\"\ntime.dt = 1\n"), "none");
  EXPECT_NE(refusal("problem.kind = \"steady\"\nrun.precision = \"float32\"\n"), "none");
  EXPECT_NE(refusal("problem.kind = \"effective\"\nboundary.x = \"mirror\"\n"), "none");
  EXPECT_NE(refusal("problem.tolerance = 1e-3\ntime.steps = 1\n"), "none");
  const std::string multigrid = "problem.solver = \"multigrid\"\n";
  EXPECT_NE(refusal(multigrid + "problem.kind = \"effective\"\n"), "none");
  EXPECT_NE(refusal(multigrid + "problem.kind = \"steady\"\nrun.layout = \"kij\"\n"), "none");
  EXPECT_EQ(refusal(multigrid + "problem.kind = \"steady\"\n"), "none");
  EXPECT_THAT(
      refusal("scheme.order = 6\ntime.steps = 1\n"),
      ::testing::HasSubstr("order 6 is refused (its differences reach 3 cells, along z there "
                           "are 2); take order 4, or 3 cells along z"));
  EXPECT_NE(refusal("scheme.order = 3\ntime.steps = 1\n"), "none");
  EXPECT_NE(refusal("scheme.order = 4\ntime.steps = 1\n[[inclusion]]\nshape = \"box\"\n"
                    "conductivity = 2\n"),
            "none");
  EXPECT_NE(refusal("medium.phases = [\"1: 2\"]\ntime.steps = 1\n"), "none");
}

class HeatImage : public ::testing::Test {
 protected:
  void write(std::size_t voxels) {
    std::string grey(voxels, 7);
    for (std::size_t i = 0; i < voxels; i += 3) grey[i] = static_cast<char>(200);
    folder_.store("image.raw", grey);
  }
  const test::ScratchFolder folder_;
};

TEST_F(HeatImage, GreyValues_BecomeConductivities) {
  write(24);
  const Model model = read_model(
      parsed("medium.image = \"image.raw\"\nmedium.phases = [\"200: 5\", \"7: 40 mW/(m K)\"]\n",
             folder_ / "case.toml"));
  const Array cells = model.medium.image->read({{0, 0, 0}, {4, 3, 2}});
  EXPECT_EQ(cells.at(0, 0, 0), 5);
  EXPECT_EQ(cells.at(1, 0, 0), 0.04);
  EXPECT_EQ(cells.at(3, 2, 1), 0.04);
  EXPECT_EQ(cells.at(2, 1, 0), 5);
}

TEST_F(HeatImage, AGreyValueWithoutConductivity_IsNamedWithItsCell) {
  write(24);
  const std::string message =
      refusal("medium.image = \"image.raw\"\nmedium.phases = [\"200: 5\"]\ntime.steps = 1\n",
              folder_ / "case.toml");
  EXPECT_NE(message.find("grey value 7 has no conductivity (cell 1 0 0 of the image has it); add "
                         "\"7: 1.0\""),
            std::string::npos)
      << message;
}

TEST_F(HeatImage, OfAnotherSize_IsRefused) {
  write(23);
  const std::string message =
      refusal("medium.image = \"image.raw\"\nmedium.phases = [\"200: 5\"]\ntime.steps = 1\n",
              folder_ / "case.toml");
  EXPECT_NE(message.find("4 x 3 x 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace heat::heat_case_test
}  // namespace goban
