// Soundings, fields and ground from files.

#include <gmock/gmock.h>

#include <fstream>

#include "atmosphere/keys.hpp"
#include "atmosphere/sounding.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/npy.hpp"
#include "tests/apps/atmosphere_run.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::atmosphere::atmosphere_files_test {
namespace {

using ::testing::HasSubstr;

class AtmosphereFiles : public ::testing::Test {
 protected:
  std::string store(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  std::string store(const std::string& name, Index3 extents, auto value) const {
    Array array(ElementType::float64, extents, 1, name);
    const auto values = array.template as<double>();
    std::size_t n = 0;
    for (Index k = 0; k < extents[2]; ++k) {
      for (Index j = 0; j < extents[1]; ++j) {
        for (Index i = 0; i < extents[0]; ++i) values[n++] = value(i, j, k);
      }
    }
    write_npy(folder_.path() / name, array.view());
    return (folder_.path() / name).string();
  }
  static Case case_of(const std::vector<std::string>& more) {
    static CaseSchema schema = [] {
      CaseSchema all;
      declare_keys(all);
      return all;
    }();
    const std::string text =
        "app = \"atmosphere\"\n[grid]\ncells = [16, 8, 12]\nspacing = [1000, 1000, 500]\n"
        "[time]\nsteps = 1\n";
    return parse_case(schema, text, "atmosphere.toml", more);
  }
  static Model model_of(const std::vector<std::string>& more) { return read_model(case_of(more)); }
  static std::string error_of_model(const std::vector<std::string>& more) {
    return test::error_of([&] { model_of(more); });
  }

  const GridOptions space_{.cells = {16, 8, 12}, .spacing = {1000, 1000, 500}};
  test::ScratchFolder folder_;
};

const char* const wrf =
    "1000 300 14\n"
    "200 301 12 2 1\n"
    "4000 316 4 10 -3\n"
    "9000 340 0.2 20 -7\n";
const char* const table =
    "# the same\n"
    "z [km]; theta [K]; qv [g/kg]; u [m/s]; v [cm/s]\n"
    "0; 300; 14; 2; 100\n"
    "0.2; 301; 12; 2; 100\n"
    "4; 316; 4; 10; -300\n"
    "9; 340; 0.2; 20; -700\n";

TEST_F(AtmosphereFiles, SoundingsOfWrfAndTablesSayTheSame) {
  const Model one = model_of({"base.sounding=" + store("input_sounding", wrf)});
  const Model other = model_of({"base.sounding=" + store("a.csv", table)});
  EXPECT_EQ(one.surface_pressure, 1e5);
  EXPECT_EQ(one.theta(100), 300.5);
  EXPECT_EQ(one.wind_at(2100)[0], 6);
  EXPECT_EQ(one.wind_at(0)[1], 1);
  for (const double z : {0.0, 100.0, 1234.0, 5999.0}) {
    EXPECT_DOUBLE_EQ(one.theta(z), other.theta(z));
    for (std::size_t a = 0; a < 2; ++a) EXPECT_DOUBLE_EQ(one.wind_at(z)[a], other.wind_at(z)[a]);
    EXPECT_NEAR(one.profile->at(one.profile->vapor, z), other.profile->at(other.profile->vapor, z),
                1e-17);
  }
}

/// dp/dz = -g rho, the vapour that of the sounding.
TEST_F(AtmosphereFiles, AirOfASoundingIsInBalance) {
  const Model model =
      model_of({"base.sounding=" + store("input_sounding", wrf), "moisture.base=sounding"});
  const Sounding air(model, 6000);
  for (const double z : {500.0, 2000.0, 3900.0}) {
    const double p = air.pressure(z, 0), q_v = air.vapor(z);
    EXPECT_NEAR(q_v, model.profile->at(model.profile->vapor, z), 1e-6);
    const double temperature = model.theta(z) * std::pow(p / 1e5, 287.0 / 1004);
    const double density = p / (287 * temperature) * (1 + q_v) / (1 + q_v * 461.5 / 287);
    const double slope = (air.pressure(z + 50, 0) - air.pressure(z - 50, 0)) / 100;
    EXPECT_NEAR(slope / (-9.81 * density), 1, 1e-5) << z;
  }
}

TEST_F(AtmosphereFiles, WhatIsNoSoundingIsRefusedInOneLine) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> keys{"base.sounding=" + store("s.csv", text)};
    keys.insert(keys.end(), more.begin(), more.end());
    return error_of_model(keys);
  };
  EXPECT_THAT(refused("z,tetha\n0,300\n9000,340\n"),
              HasSubstr("has no column 'theta' (there are z, tetha)"));
  EXPECT_THAT(refused("z,theta\n0,300\n0,340\n"), HasSubstr("heights do not grow: 0 follows 0"));
  EXPECT_THAT(refused("z,theta\n0,27\n9000,40\n"), HasSubstr("a theta of 27 is none of air"));
  EXPECT_THAT(refused("z,theta,qv\n0,300,14\n9000,340,1\n"),
              HasSubstr("a qv of 14 is none of air); it is in kg/kg"));
  EXPECT_THAT(refused("z,theta,qv,rh\n0,300,0,0\n9000,340,0,0\n"), HasSubstr("qv and rh"));
  EXPECT_THAT(refused("1000 300\n0 300 14 1 2\n9000 340 1 1 2\n"),
              HasSubstr("2 numbers above rows of 5"));
  EXPECT_THAT(refused("z,theta\n0,300\n5000,340\n"), HasSubstr("the lid lies at 6000 m"));
  EXPECT_THAT(refused("z,theta\n0,300\n9000,340\n", {"moisture.base=sounding"}),
              HasSubstr("it has none"));
  EXPECT_THAT(refused(wrf, {"base.pressure=99000"}), HasSubstr("the first line"));
  EXPECT_THAT(refused(wrf, {"base.stability=0.01"}), HasSubstr("base.stability is refused"));
  EXPECT_THAT(refused(wrf, {"base.warmer=1"}), HasSubstr("it is what the sounding says"));
  EXPECT_THAT(error_of_model({"moisture.base=sounding"}), HasSubstr("base.sounding names none"));
  const Case dry = case_of({"base.sounding=" + store("s.csv", wrf)});
  read_model(dry);
  EXPECT_THAT(dry.warnings(), ::testing::ElementsAre(HasSubstr("its humidity is not used")));
}

/// A wind that changes with height, over flat ground that turns, in moist air.
TEST_F(AtmosphereFiles, AWindThatChangesWithHeightStaysWhatItIs) {
  Model model = model_of({"base.sounding=" + store("s.csv", table), "moisture.base=sounding",
                          "base.wind=[-8, 0]", "air.rotation=1e-3", "air.diffusivity=100"});
  SmallAtmosphere<3, double> air(timed(model, space_, 4, 100), space_);
  air.run_until(100);
  air.observe();
  EXPECT_LE(std::abs(air.step.largest_w.value()), 1e-10);
  const auto velocity = air.step.velocity.copy_out({{3, 2, 0}, {4, 3, 12}});
  for (std::size_t k = 0; k < 12; ++k) {
    const auto wind = model.wind_at(500 * (static_cast<double>(k) + 0.5));
    EXPECT_NEAR(velocity[k], wind[0], 1e-10);
    EXPECT_NEAR(velocity[12 + k], wind[1], 1e-10);
  }
  EXPECT_GT(velocity[11] - velocity[0], 8);
}

TEST_F(AtmosphereFiles, FieldsOfFilesAreTheAirAtFirst) {
  const auto humidity = [](Index i, Index, Index k) {
    return 1e-3 * static_cast<double>(12 - k) + 1e-4 * static_cast<double>(i % 2);
  };
  const auto heat = [](Index i, Index j, Index k) {
    return 300 + static_cast<double>(k) + 0.1 * static_cast<double>(i % 3 + j % 2);
  };
  const Index3 cells{16, 8, 12};
  const Model model = model_of(
      {"moisture.base=relative", "initial.theta=" + store("t.npy", cells, heat),
       "initial.vapor=" + store("q.npy", cells, humidity),
       "initial.u=" + store("u.npy", cells, [](Index, Index j, Index) { return 3.0 + j; }),
       "initial.w=" + store("w.npy", cells, [](Index, Index, Index k) { return 0.1 * k; }),
       "initial.rain=" + store("r.npy", cells, [](Index i, Index, Index) { return 1e-5 * i; })});
  SmallAtmosphere<3, double> air(model, space_);
  air.observe();
  const auto at = [](const auto& field, Index3 cell) { return field.get(cell); };
  for (const Index3 cell : {Index3{0, 0, 0}, Index3{7, 3, 5}, Index3{15, 7, 11}}) {
    EXPECT_NEAR(at(air.step.air.theta, cell), heat(cell[0], cell[1], cell[2]), 1e-10);
    EXPECT_NEAR(at(air.step.water->ratio.vapor, cell), humidity(cell[0], cell[1], cell[2]), 1e-15);
    EXPECT_NEAR(at(air.step.water->ratio.rain, cell), 1e-5 * static_cast<double>(cell[0]), 1e-17);
  }
  EXPECT_NEAR(air.step.velocity.copy_out({{5, 4, 3}, {6, 5, 4}})[0], 7, 1e-12);
  EXPECT_NEAR(air.step.velocity.copy_out({{5, 4, 3}, {6, 5, 4}})[2], 0.3, 1e-12);
  // The pressure is in balance with what lies above: dp/dz = -g rho between centres.
  const auto p = air.step.air.pressure.copy_out({{2, 1, 4}, {3, 2, 6}});
  const auto rho = air.step.air.density.copy_out({{2, 1, 4}, {3, 2, 6}});
  EXPECT_NEAR((p[0] - p[1]) / (9.81 * 500 * (rho[0] + rho[1]) / 2), 1, 1e-9);
  EXPECT_THAT(error_of_model({"initial.cloud=" + store("c.npy", cells, humidity)}),
              HasSubstr("the air is dry"));
  EXPECT_THAT(error_of_model({"initial.u=" + store("s.npy", {16, 8, 11}, humidity)}),
              HasSubstr("16 x 8 x 12"));
}

TEST_F(AtmosphereFiles, PressureOfAFileIsThatOfTheAir) {
  const auto pressure = [](Index i, Index, Index k) {
    return 1e5 * std::exp(-0.06 * static_cast<double>(k)) + static_cast<double>(i);
  };
  const Model model = model_of({"initial.pressure=" + store("p.npy", {16, 8, 12}, pressure)});
  SmallAtmosphere<3, double> air(model, space_);
  air.observe();
  EXPECT_NEAR(air.step.air.pressure.get({7, 3, 5}), pressure(7, 3, 5), 1e-7);
}

double hill(double x, double y) { return 900 * std::exp(-x * x / 9 - y * y / 4); }

TEST_F(AtmosphereFiles, GroundOfTablesAndArraysIsThatOfTheColumns) {
  std::string rows = "# m\n";
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 16; ++i) rows += (i ? "," : "") + std::to_string(hill(i - 6.0, j - 3.0));
    rows += "\n";
  }
  const std::vector<std::string> shape{"terrain.shape=file", "terrain.steepest=10"};
  const auto ground_of = [&](const std::string& file) {
    std::vector<std::string> keys = shape;
    keys.push_back("terrain.file=" + file);
    GridState grid;
    grid.cells = {16, 8, 12};
    grid.spacing = {1000, 1000, 500};
    grid.origin = {};
    grid.boundary = BoundarySet(periodic, periodic, mirror);
    return Levels(model_of(keys), grid);
  };
  const Levels a = ground_of(store("h.csv", rows));
  const Levels b = ground_of(store("h.npy", {16, 8, 1}, [](Index i, Index j, Index) {
    return hill(static_cast<double>(i) - 6, static_cast<double>(j) - 3);
  }));
  // Two columns of the file for one, along both axes.
  const Levels fine = ground_of(store("f.npy", {32, 16, 1}, [](Index i, Index j, Index) {
    return static_cast<double>(i + 10 * j);
  }));
  const Levels coarse = ground_of(store(
      "g.npy", {8, 4, 1}, [](Index i, Index, Index) { return static_cast<double>(i % 8) * 8; }));
  for (const auto& [i, j] : {std::pair<Index, Index>{6, 3}, {0, 0}, {9, 5}, {-7, 3}}) {
    const double exact = hill(static_cast<double>((i + 16) % 16) - 6, static_cast<double>(j) - 3);
    EXPECT_NEAR(a.ground(i, j), exact, 1e-6);
    EXPECT_DOUBLE_EQ(b.ground(i, j), exact);
    EXPECT_NEAR(a.face({i, j, 0}), exact, 1e-6);
  }
  EXPECT_DOUBLE_EQ(fine.ground(3, 2), 0.5 * (6 + 7) + 10 * 0.5 * (4 + 5));
  EXPECT_DOUBLE_EQ(coarse.ground(3, 2), 8 + 8 * 0.25);
}

TEST_F(AtmosphereFiles, SteepGroundIsSmoothedAsFarAsItMustBe) {
  const auto file = store("h.npy", {16, 8, 1},
                          [](Index i, Index j, Index) { return i == 6 && j == 3 ? 2000.0 : 0.0; });
  const Case values = case_of({"terrain.shape=file", "terrain.file=" + file});
  const Model model = read_model(values);
  const auto& h = *model.terrain.columns;
  double sum = 0, steepest = 0;
  for (std::size_t n = 0; n < h.size(); ++n) {
    sum += h[n];
    if (n % 16 > 0) steepest = std::max(steepest, std::abs(h[n] - h[n - 1]));
  }
  EXPECT_NEAR(sum, 2000, 1e-9);  // periodic: no ground is lost
  EXPECT_LE(steepest, 250);
  EXPECT_GT(steepest, 100);  // no more than needed
  EXPECT_THAT(values.warnings(), ::testing::ElementsAre(HasSubstr("smoothed in 1 pass:")));
}

TEST_F(AtmosphereFiles, MapsSayWhatTheSurfaceIsLike) {
  const Index3 map{16, 8, 1};
  const auto half = [](double low, double high) {
    return [=](Index i, Index, Index) { return i < 8 ? low : high; };
  };
  const Model model = model_of({"surface.kind=land", "base.wind=[10, 0]",
                                "surface.roughness_file=" + store("z.npy", map, half(0, 0.5)),
                                "surface.temperature_file=" + store("t.npy", map, half(280, 320))});
  SmallAtmosphere<3, double> air(timed(model, space_, 2, 2), space_);
  air.run(1);
  air.observe();
  EXPECT_LT(air.step.theta_deviation.get({4, 3, 0}), 0);
  EXPECT_GT(air.step.theta_deviation.get({12, 3, 0}), 0);
  const auto u = air.step.velocity.copy_out({{0, 3, 0}, {16, 4, 1}});
  EXPECT_NEAR(u[4], 10 / (1 + 2 * 1.35e-3 * 10 / 500), 1e-3);
  EXPECT_NEAR(u[12], 10 / (1 + 2 * std::pow(0.4 / std::log(250 / 0.5), 2) * 10 / 500), 1e-3);
  EXPECT_THAT(error_of_model({"surface.wetness_file=w.npy"}), HasSubstr("say \"sea\""));
  EXPECT_THAT(error_of_model({"surface.kind=sea",
                              "surface.temperature_file=" + store("c.npy", map, half(20, 25))}),
              HasSubstr("20 K is refused"));
}

TEST_F(AtmosphereFiles, WhatIsNoGroundIsRefusedInOneLine) {
  const auto refused = [&](Index3 extents, double height) {
    return error_of_model(
        {"terrain.shape=file",
         "terrain.file=" + store("h.npy", extents, [&](Index, Index, Index) { return height; })});
  };
  EXPECT_THAT(refused({8, 16, 1}, 0), HasSubstr("transpose it"));
  EXPECT_THAT(refused({16, 9, 1}, 0), HasSubstr("the grid has 16 and 8"));
  EXPECT_THAT(refused({16, 8, 1}, -3),
              HasSubstr("-3 m is refused (numbers lie between 0 and 9000)"));
  EXPECT_THAT(refused({16, 8, 1}, 3500), HasSubstr("the lid lies at 6000 m"));
  EXPECT_THAT(error_of_model({"terrain.shape=file"}), HasSubstr("the shape has no file"));
  EXPECT_THAT(error_of_model({"terrain.file=h.npy"}), HasSubstr("belong together"));
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_files_test
