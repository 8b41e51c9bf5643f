// From the keys of a case to the numbers of a model; traces and how they are compared.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "goban/io/case/read.hpp"
#include "goban/runtime/runtime.hpp"
#include "seismic/keys.hpp"
#include "seismic/step.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::seismic::seismic_case_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string granite = "[[layer]]\nvp = 6000\nvs = 3464\ndensity = 2700\n";

Case case_of(const std::vector<std::string>& more, const std::string& rock = granite) {
  static CaseSchema schema = [] {
    CaseSchema all;
    declare_keys(all);
    return all;
  }();
  const std::string text =
      "app = \"seismic\"\n[grid]\ncells = [40, 30, 35]\nspacing = 100\n[time]\nsteps = 1\n"
      "[boundary]\nx = \"absorbing\"\nz = [\"free\", \"absorbing\"]\n" +
      rock;
  return parse_case(schema, text, "waves.toml", more);
}
Model model_of(const std::vector<std::string>& more = {}, const std::string& rock = granite) {
  return read_model(case_of(more, rock));
}
std::string error_of_model(const std::vector<std::string>& more,
                           const std::string& rock = granite) {
  return test::error_of([&] { model_of(more, rock); });
}

TEST(SeismicCase, Moduli_AreThoseOfTheSpeeds) {
  const Rock rock = model_of().medium.at({0, 0, 0}, {0, 0, 0});
  EXPECT_DOUBLE_EQ(rock.mu(), 2700 * 3464.0 * 3464.0);
  EXPECT_DOUBLE_EQ(rock.lambda() + 2 * rock.mu(), 2700 * 36e6);
}

TEST(SeismicCase, LayersGradientsAndBodies_CountByDepth) {
  const Model model = model_of(
      {"body=[{shape=\"ellipsoid\", center=[1000, 1000, 0], semi_axes=[500, 500, 200], vp=1500, "
       "vs=0, density=1000}]"},
      "[[layer]]\ntop = 0\nvp = 2000\nvs = 1000\ndensity = 2000\nvp_gradient = 0.5\n"
      "[[layer]]\ntop = 1000\nvp = 5000\nvs = 2500\ndensity = 2500\n");
  const auto vp = [&](double x, double z) { return model.medium.at({}, {x, 1000, z}).vp; };
  EXPECT_EQ(vp(3000, -100), 2000);
  EXPECT_EQ(vp(3000, 400), 2200);
  EXPECT_EQ(vp(3000, 1000), 5000);
  EXPECT_EQ(vp(1000, 150), 1500);
  EXPECT_EQ(vp(1000, 250), 2125);
  GridOptions grid{.cells = {40, 30, 35}, .spacing = 100.0};
  EXPECT_EQ(speeds(model.medium, grid, *self_communicator()).fastest, 5000);
  EXPECT_EQ(speeds(model.medium, grid, *self_communicator()).slowest, 1000);
}

TEST(SeismicCase, ThicknessOfAbsorbingLayers_FollowsTheGrid) {
  EXPECT_EQ(model_of().absorber.width, 10);
  EXPECT_EQ(model_of({"absorber.thickness=600"}).absorber.width, 6);
  EXPECT_EQ(model_of({"absorber.thickness=610"}).absorber.width, 7);
  EXPECT_EQ(
      model_of({"absorber.thickness=600", "grid.spacing=50", "grid.cells=80,60,70"}).absorber.width,
      12);
  EXPECT_THAT(error_of_model({"absorber.thickness=600", "absorber.width=6"}),
              HasSubstr("absorber.width says it otherwise"));
}

/// Files of rock that is another in every cell, and the keys that name them.
std::vector<std::string> write_rock(const test::ScratchFolder& folder,
                                    const std::vector<Rock>& rock) {
  std::vector<std::string> keys;
  for (const auto& [name, member] : {std::pair("vp", &Rock::vp), std::pair("vs", &Rock::vs),
                                     std::pair("density", &Rock::density)}) {
    std::vector<float> values;
    for (const Rock& one : rock) values.push_back(static_cast<float>(one.*member));
    const fs::path file = folder / (std::string(name) + ".raw");
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(sizeof(float) * values.size()));
    keys.push_back(std::string("medium.") + name + "=" + file.string());
  }
  return keys;
}
std::vector<Rock> some_rock(Index3 cells) {
  std::vector<Rock> rock;
  for (Index n = 0; n < product(cells); ++n) {
    const auto part = static_cast<double>(n * 7 % 64) / 64;
    rock.push_back({3000 + 128 * part, 1500 - 64 * part, 2500 + 32 * part});
  }
  return rock;
}

TEST(SeismicCase, MediumFromFiles_FillsEveryCellOfEveryPatch) {
  const Index3 cells = {6, 5, 40};
  const std::vector<Rock> rock = some_rock(cells);
  const test::ScratchFolder folder;
  auto more = write_rock(folder, rock);
  more.insert(more.end(), {"grid.cells=[6, 5, 40]", "boundary.x=periodic"});
  const Case values = case_of(more, "");
  const Model model = read_model(values);
  const SpeedRange range = speeds(model.medium, grid_options(values), *self_communicator());
  EXPECT_EQ(range.fastest, 3126);
  EXPECT_EQ(range.slowest, 1437);
  Settings settings;
  settings.threads = 1;
  settings.cuts = {"", "", "13,27"};
  Runtime runtime(settings);
  Grid grid(runtime, grid_options(values));
  const WaveStep<3, double> step(grid, model, range.fastest, 1e-3);
  std::size_t n = 0;
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i, ++n) {
        ASSERT_EQ(step.density.get({i, j, k}), rock[n].density);
        ASSERT_EQ(step.lambda.get({i, j, k}), rock[n].lambda());
        ASSERT_EQ(step.compliance.get({i, j, k}), 1 / rock[n].mu());
      }
    }
  }
}

TEST(SeismicCase, FilesOfRockThatDoNotFit_AreRefused) {
  std::vector<Rock> rock = some_rock({2, 2, 40});
  const test::ScratchFolder folder;
  auto more = write_rock(folder, rock);
  more.insert(more.end(), {"grid.cells=[2, 2, 40]", "boundary.x=periodic"});
  EXPECT_THAT(error_of_model(more), HasSubstr("the medium is given twice"));
  rock[2 + 4 * 17].vs = 2900;
  write_rock(folder, rock);
  const auto scan = [&] {
    const Case values = case_of(more, "");
    speeds(read_model(values).medium, grid_options(values), *self_communicator());
  };
  EXPECT_THAT(test::error_of(scan), HasSubstr("cell 0 1 17 of the files has them"));
  EXPECT_THAT(error_of_model({more[0], more[1], more[3], more[4]}, ""),
              HasSubstr("the medium is incomplete"));
  more[3] = "grid.cells=[2, 2, 41]";
  EXPECT_THAT(error_of_model(more, ""), HasSubstr("does not fit"));
}

TEST(SeismicCase, RockWithQ_HasABand) {
  const std::string sediment =
      "[[layer]]\nvp = 2000\nvs = 1000\ndensity = 2000\nq_p = 50\nq_s = 25\n";
  const Model model = model_of({"attenuation.band=[0.5, 8]"}, sediment);
  ASSERT_TRUE(model.band);
  EXPECT_EQ(model.band->reference, 2);
  EXPECT_EQ(model.medium.at({}, {0, 0, 100}).p_loss, 0.02);
  EXPECT_FALSE(model_of().band);
  EXPECT_THAT(error_of_model({}, sediment), HasSubstr("attenuation has no band"));
  EXPECT_THAT(error_of_model({"attenuation.band=[0.5, 8]"}), HasSubstr("the band is of nothing"));
  EXPECT_THAT(error_of_model({"attenuation.reference=2"}),
              HasSubstr("the reference is of nothing"));
  EXPECT_THAT(error_of_model({"attenuation.band=[0.1, 8]"}, sediment),
              HasSubstr("a factor of 2 to 50 apart"));
  EXPECT_THAT(error_of_model({"attenuation.band=[1, 8]", "attenuation.reference=9"}, sediment),
              HasSubstr("the reference lies within the band"));
  const auto layer = [](const std::string& q) {
    return "[[layer]]\nvp = 2000\nvs = 1000\ndensity = 2000\n" + q;
  };
  EXPECT_THAT(error_of_model({}, layer("q_p = 80\nq_s = 20\n")), HasSubstr("q_p is at most 60"));
  EXPECT_THAT(error_of_model({}, layer("q_p = 8\n")), HasSubstr("Q is 10 at least"));
}

TEST(SeismicCase, TimeFunctions_HaveTheAreaOneOrTheirPeak) {
  const auto area = [](TimeFunction::Shape shape) {
    TimeFunction f;
    f.shape = shape;
    f.start = 0.5;
    f.duration = 0.3;
    double sum = 0;
    for (double t = 0; t < 12; t += 1e-3) sum += 1e-3 * f(t);
    return sum;
  };
  EXPECT_NEAR(area(TimeFunction::Shape::gaussian), 1, 1e-6);
  EXPECT_NEAR(area(TimeFunction::Shape::brune), 1, 1e-3);
  EXPECT_NEAR(area(TimeFunction::Shape::bump), 1, 1e-6);
  TimeFunction ricker;
  ricker.start = 2;
  ricker.duration = 4;
  EXPECT_EQ(ricker(2 + 6), 1);
  TimeFunction table;
  table.shape = TimeFunction::Shape::table;
  table.start = 1;
  table.table = {{0, 2}, {1, 4}};
  EXPECT_EQ(table(1.25), 2.5);
  EXPECT_EQ(table(0.5), 0);
  EXPECT_EQ(table(2.5), 0);
}

TEST(SeismicCase, SourceFromAFile_IsItsTable) {
  const test::ScratchFolder folder;
  const fs::path file = folder.store("time.csv", "# of a shot\nt,force\n0,0\n0.5,3\n1,0\n");
  const Model model =
      model_of({"source=[{position=[1000, 1000, 500], force=[0, 0, 2], "
                "time=\"file\", file=\"" +
                file.string() + "\"}]"});
  EXPECT_EQ(model.sources[0].time(0.25), 1.5);
  EXPECT_EQ((*model.sources[0].force)[2], 2);
}

TEST(SeismicCase, TablesOfSources_KeepTheirRowsAndTheirUnits) {
  const test::ScratchFolder folder;
  const fs::path file = folder / "time.csv";
  const std::string source =
      "source=[{position=[1000, 1000, 500], force=[0, 0, 2], time=\"file\", "
      "file=\"" +
      file.string() + "\"}]";
  for (const char* text : {"0,0\n0.5,3\n1,0", "t [ms],force\n0,0\n500,3\n1000,0\n",
                           "# t [ms]  rate [1/s]\n0 0\n500 3\n1000 0\n",
                           "t;rate [1/ms]\r\n0;0\r\n0.5;0.003\r\n1;0\r\n"}) {
    folder.store("time.csv", text);
    const TimeFunction time = model_of({source}).sources[0].time;
    EXPECT_EQ(time.table.size(), 3u) << text;
    EXPECT_DOUBLE_EQ(time(0.25), 1.5) << text;
    EXPECT_DOUBLE_EQ(time(0.75), 1.5) << text;
  }
  folder.store("time.csv", "t [ms],force [N]\n0,0\n500,3\n");
  EXPECT_THAT(error_of_model({source}), HasSubstr("N does not convert to 1"));
  folder.store("time.csv", "0,0\n1,nan\n");
  EXPECT_THAT(error_of_model({source}), HasSubstr("time.csv:2 ('nan' is not a finite number)"));
}

TEST(SeismicCase, References_AreConvertedToTheUnitsOfSeismograms) {
  const test::ScratchFolder folder;
  const fs::path file = folder.store("r.txt", "# t (ms)  vx [cm/s]\n0 5\n1 6");
  const Case values = case_of({"receiver=[{name=\"r1\", position=[1, 2, 3]}]",
                               "reference=[{file=\"" + file.string() +
                                   "\", receiver=\"r1\", "
                                   "quantities=[\"velocity_x\"], columns=[\"vx\"]}]"});
  const Trace trace = read_comparisons(values).at(0).reference;
  EXPECT_EQ(trace.time, (std::vector<double>{0, 1e-3}));
  EXPECT_EQ(trace.value, (std::vector<double>{0.05, 0.06}));
}

/// Moment tensors of slip: published for these mechanisms (Aki, Richards, box 4.4; x north, y east,
/// z down).
TEST(SeismicCase, SlipOnAFault_IsItsDoubleCouple) {
  const auto moment = [](const std::string& slip) {
    return model_of({"source=[{position=[1000, 1000, 900], strike_dip_rake=" + slip + "}]"})
        .sources[0]
        .moment;
  };
  const auto expect = [&](const std::string& slip, const std::array<double, 6>& expected) {
    const auto found = moment(slip);
    for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(found[n], expected[n], 1e-9) << slip << n;
  };
  expect("[0, 90, 0], seismic_moment=2", {0, 0, 0, 2, 0, 0});    // strike slip along x
  expect("[90, 90, 0], seismic_moment=2", {0, 0, 0, -2, 0, 0});  // along y
  expect("[0, 45, 90], seismic_moment=1", {0, -1, 1, 0, 0, 0});  // thrust, pressed along y
  expect("[0, 90, 90], seismic_moment=1", {0, 0, 0, 0, 0, -1});  // vertical dip slip
  const auto any = moment("[35, 62, -110], magnitude=3");
  double trace = 0, square = 0;
  for (std::size_t n = 0; n < 6; ++n) {
    trace += n < 3 ? any[n] : 0;
    square += (n < 3 ? 1 : 2) * any[n] * any[n];
  }
  const double scalar = std::pow(10, 13.6);
  EXPECT_NEAR(trace / scalar, 0, 1e-14);
  EXPECT_NEAR(std::sqrt(square / 2) / scalar, 1, 1e-14);
  EXPECT_THAT(error_of_model({"source=[{position=[1000, 1000, 900], strike_dip_rake=[0, 1, 2]}]"}),
              HasSubstr("neither a moment nor a magnitude"));
  EXPECT_THAT(
      error_of_model({"source=[{position=[1000, 1000, 900], force=[0, 0, 1], magnitude=4}]"}),
      HasSubstr("it is that of slip on a fault"));
}

TEST(SeismicCase, ValuesThatDoNotFitTogether_AreRefused) {
  EXPECT_THAT(error_of_model({"scheme.order=6"}), HasSubstr("it is 2, 4 or 8"));
  EXPECT_THAT(error_of_model({"scheme.dimensions=2"}), HasSubstr("one cell along y"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"free\", \"absorbing\"]"}),
              HasSubstr("the surface is the low side of z"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"periodic\", \"absorbing\"]"}),
              HasSubstr("one side alone is periodic"));
  EXPECT_THAT(error_of_model({"boundary.x=absorbin"}), HasSubstr("did you mean absorbing"));
  EXPECT_THAT(error_of_model({"absorber.width=21"}), HasSubstr("40 cells along x are too few"));
  EXPECT_THAT(error_of_model({}, "[[layer]]\nvp = 1000\nvs = 900\ndensity = 1\n"),
              HasSubstr("at most 0.866 vp"));
  EXPECT_THAT(error_of_model({}, ""), HasSubstr("there is no rock"));
  EXPECT_THAT(error_of_model({"source=[{position=[1, 2, 4000], force=[1, 0, 0]}]"}),
              HasSubstr("outside the grid"));
  EXPECT_THAT(error_of_model({"source=[{position=[2000, 2, 3]}]"}),
              HasSubstr("neither a force nor a moment"));
  EXPECT_THAT(error_of_model({"source=[{position=[2000, 2, 3], force=[1, 0, 0], time=\"file\"}]"}),
              HasSubstr("belong together"));
  EXPECT_THAT(error_of_model({"initial.wave=p"}), HasSubstr("periodic along all axes"));
  EXPECT_THAT(error_of_model({"output.surface.peak_velocity=true", "boundary.z=absorbing"}),
              HasSubstr("there is no free surface"));
}

TEST(SeismicCase, Receivers_LieInTheGridAndHaveTheirOwnNames) {
  const auto names = [](const std::string& receivers) {
    const Case values = case_of({"receiver=[" + receivers + "]"});
    return read_receivers(values, read_model(values));
  };
  EXPECT_EQ(names("{name=\"a\", position=[2000, 2, 3]}")[0].name, "a");
  EXPECT_THAT(test::error_of([&] {
                names("{name=\"a\", position=[2000, 2, 3]}, {name=\"a\", position=[2100, 2, 3]}");
              }),
              HasSubstr("two receivers are called a"));
}

/// 10 cells of 100 m along both sides of x and below; none along y, and above is the surface.
TEST(SeismicCase, SourcesAndReceiversInAbsorbingLayersAreRefused) {
  const auto refusal = [](const std::string& place) {
    const Case values = case_of({"receiver=[{name=\"a\", position=" + place + "}]"});
    return test::error_of([&] { read_receivers(values, read_model(values)); });
  };
  for (const char* inside : {"[1000, 0, 0]", "[3000, 3000, 2500]"}) EXPECT_EQ(refusal(inside), "");
  EXPECT_THAT(refusal("[990, 0, 0]"), HasSubstr("10 cells along the low side of x damp all waves"));
  EXPECT_THAT(refusal("[3010, 0, 0]"), HasSubstr("the high side of x"));
  EXPECT_THAT(refusal("[2000, 0, 2510]"), HasSubstr("the high side of z"));
  EXPECT_THAT(error_of_model({"source=[{position=[500, 500, 1500], force=[1, 0, 0]}]"}),
              HasSubstr("the source lies in an absorbing layer"));
}

TEST(SeismicCase, AReceiverToCompareWithIsOneOfThoseThereAre) {
  const auto error = [](const std::string& receivers) {
    const Case values = case_of({"receiver=" + receivers,
                                 "reference=[{file=\"measured.csv\", receiver=\"r1\", "
                                 "quantities=[\"velocity_x\"], columns=[\"vx\"]}]"});
    return test::error_of([&] { read_comparisons(values); });
  };
  EXPECT_THAT(
      error("[{name=\"r2\", position=[1, 2, 3]}, {name=\"far\", position=[2, 2, 3]}]"),
      HasSubstr("there is no receiver \"r1\" (the receivers are r2, far); did you mean r2?"));
  EXPECT_THAT(error("[]"), HasSubstr("(the case has none); add [[receiver]]"));
}

TEST(SeismicCase, CommittedCases_CanBeRead) {
  Index read = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(GOBAN_SOURCE_DIR) / "cases/seismic")) {
    if (entry.path().extension() != ".toml") continue;
    CaseSchema schema;
    declare_keys(schema);
    const Case values = read_case(schema, entry.path());
    const Model model = read_model(values);
    EXPECT_GT(speeds(model.medium, grid_options(values), *self_communicator()).fastest, 0)
        << entry.path();
    read_receivers(values, model);
    ++read;
  }
  EXPECT_GE(read, 4);
}

Trace wave(double frequency, double delay, double height, double interval) {
  Trace trace;
  for (double t = 0; t < 8; t += interval) {
    trace.time.push_back(t);
    trace.value.push_back(height * std::sin(2 * std::numbers::pi * frequency * (t - delay)) *
                          std::exp(-std::pow((t - delay - 4) / 0.8, 2)));
  }
  return trace;
}

TEST(SeismicMisfit, OfATraceWithItselfIsNone) {
  const Misfit none = misfit(wave(1, 0, 1, 0.013), wave(1, 0, 1, 0.02));
  EXPECT_LT(none.relative_l2, 1e-4);
  EXPECT_LT(none.of_envelope, 1e-4);
  EXPECT_NEAR(none.peak_ratio, 1, 1e-3);
  EXPECT_NEAR(none.delay, 0, 1e-3);
}
TEST(SeismicMisfit, SeesHeightAndDelay) {
  const Misfit higher = misfit(wave(1, 0, 1.1, 0.02), wave(1, 0, 1, 0.02));
  EXPECT_NEAR(higher.relative_l2, 0.1, 1e-3);
  EXPECT_NEAR(higher.of_envelope, 0.1, 1e-3);
  EXPECT_NEAR(higher.peak_ratio, 1.1, 1e-3);
  EXPECT_NEAR(misfit(wave(1, 0.2, 1, 0.02), wave(1, 0, 1, 0.02)).delay, 0.2, 5e-3);
}
TEST(SeismicMisfit, LowPass_KeepsSlowWavesAndStopsFastOnes) {
  Trace slow = wave(0.5, 0, 1, 0.01);
  const Trace fast = wave(12, 0, 1, 0.01), alone = slow;
  for (std::size_t i = 0; i < slow.value.size(); ++i) slow.value[i] += fast.value[i];
  EXPECT_GT(misfit(slow, alone).relative_l2, 0.9);
  EXPECT_LT(misfit(slow, alone, 3).relative_l2, 1e-3);
}
TEST(SeismicMisfit, Envelope_IsTheHeightOfAWave) {
  const Trace trace = wave(3, 0, 2, 0.01);
  const auto height = envelope(trace.value);
  EXPECT_NEAR(height[400], 2, 0.01);
  EXPECT_NEAR(height[480], 2 * std::exp(-1.0), 0.01);
}

}  // namespace
}  // namespace goban::seismic::seismic_case_test
