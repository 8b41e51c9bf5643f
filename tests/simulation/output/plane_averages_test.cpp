#include "goban/simulation/output/plane_averages.hpp"

#include <gmock/gmock.h>

#include "goban/io/file/csv.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::plane_averages_test {
namespace {

using testing::HasSubstr;
using Values = std::vector<std::vector<double>>;

/// Two quantities on one plane and another that stays 0.
PlaneAverages averages_of(const std::vector<Values>& samples,
                          const std::vector<double>& times = {0, 1, 2}) {
  PlaneAverages averages(2, 2, {{0, 0}, {0, 1}});
  const auto self = self_communicator();
  const auto count = static_cast<Index>(samples[0][0].size());
  for (const Values& sample : samples) {
    const Values none(2, std::vector<double>(sample[0].size(), 0.0));
    const auto accumulate = [&] {
      averages.accumulate(0, sample);
      averages.accumulate(1, none);
    };
    accumulate();
    if (averages.samples() == 0) {
      averages.begin_with_means(*self, count);
      accumulate();
    }
    averages.add_sample(*self, count, times[static_cast<std::size_t>(averages.samples())]);
  }
  return averages;
}

TEST(PlaneAverages, AreThoseOfSmallSamplesByHand) {
  const PlaneAverages averages = averages_of({{{1, 3}, {2, 2}}, {{5, 7}, {-2, 6}}});
  EXPECT_EQ(averages.samples(), 2);
  EXPECT_DOUBLE_EQ(averages.mean(0, 0), 4);
  EXPECT_DOUBLE_EQ(averages.mean(0, 1), 2);
  EXPECT_DOUBLE_EQ(averages.covariance(0, 0), (9 + 1 + 1 + 9) / 4.0);
  EXPECT_DOUBLE_EQ(averages.covariance(0, 1), (1 * -4 + 3 * 4) / 4.0);
  EXPECT_EQ(averages.mean(1, 0), 0);
  EXPECT_EQ(averages.covariance(1, 1), 0);
}

TEST(PlaneAverages, CountEverySampleAsTheTimeAroundIt) {
  // The first 1/6, the second 3/6, the third 2/6 of the time.
  const PlaneAverages averages =
      averages_of({{{1, 3}, {2, 2}}, {{5, 7}, {-2, 6}}, {{0, 0}, {1, 3}}}, {0, 1, 3});
  EXPECT_DOUBLE_EQ(averages.mean(0, 0), (2 + 3 * 6 + 2 * 0) / 6.0);
  EXPECT_DOUBLE_EQ(averages.mean(0, 1), 2);
  EXPECT_DOUBLE_EQ(averages.covariance(0, 0), (5 + 3 * 37 + 2 * 0) / 6.0 - 100 / 9.0);
  EXPECT_DOUBLE_EQ(averages.covariance(0, 1), (4 + 3 * 16 + 2 * 0) / 6.0 - 20 / 3.0);
  EXPECT_EQ(averages.mean(1, 0), 0);
}

/// Products of 1e9 would leave nothing of a variance of 0.25.
TEST(PlaneAverages, KeepSmallFluctuationsOnALargeMean) {
  const PlaneAverages averages = averages_of({{{1e9, 1e9 + 1}, {0, 0}}, {{1e9 + 1, 1e9}, {0, 0}}});
  EXPECT_EQ(averages.mean(0, 0), 1e9 + 0.5);
  EXPECT_EQ(averages.covariance(0, 0), 0.25);
}

TEST(PlaneAverages, GoOnFromNumbersOfTheirOwn) {
  const std::vector<Values> samples{{{1, 3}, {2, 2}}, {{5, 7}, {-2, 6}}};
  const PlaneAverages whole = averages_of(samples), first = averages_of({samples[0]});
  PlaneAverages then(2, 2, {{0, 0}, {0, 1}});
  then.restore(first.state());
  then.accumulate(0, samples[1]);
  then.accumulate(1, Values(2, {0, 0}));
  then.add_sample(*self_communicator(), 2, 1);
  EXPECT_EQ(then.state().numbers, whole.state().numbers);
  EXPECT_EQ(then.state().last, whole.state().last);
  EXPECT_EQ(test::error_of([&] {
              then.restore({.samples = 1, .numbers = {1, 2}, .last = {1, 2}});
            }),
            "averages cannot go on from the checkpoint (it has those of other fields or planes); "
            "give the output another name");
}

class Averages : public SmallRuns {
 protected:
  struct Layers {
    Runtime runtime;
    Grid grid;
    Field<double> u;
    Field<float, 2> v;
    Simulation simulation;
    Layers(const Settings& settings, const fs::path& directory, Program step = Program("nothing"))
        : runtime(settings),
          grid(runtime, {.cells = {6, 5, 4}, .spacing = {1, 0.5, 2}}),
          u(grid, "u"),
          v(grid, "v"),
          simulation(grid, std::move(step),
                     {.steps = 2, .directory = directory, .measure_bandwidth = false}) {
      u.fill([](Index3 p) { return static_cast<double>(p[1] + 10 * (p[0] % 2)); });
      v.fill([](Index3 p, int component) { return component == 0 ? p[2] % 2 : p[0] % 2; });
    }
  };
};

TEST_F(Averages, OfAFieldAreWritten) {
  Layers layers({}, root_);
  layers.simulation.averages("averages_y", {{layers.u, "K"}, layers.v},
                             {.axis = Axis::y, .covariances = {{"u", "v[1]"}}}, every(1));
  layers.simulation.run();
  const CsvTable table = read_csv(root_ / "nothing_averages_y.0000002.csv");
  ASSERT_EQ(table.rows(), 5);
  const auto value = [&](const std::string& column, std::size_t row) {
    return table.values[table.column(column)][row];
  };
  for (std::size_t row = 0; row < 5; ++row) {
    const auto y = static_cast<double>(row);
    EXPECT_DOUBLE_EQ(value("y", row), 0.5 * (y + 0.5));
    EXPECT_DOUBLE_EQ(value("u", row), y + 5);
    EXPECT_DOUBLE_EQ(value("v[0]", row), 0.5);
    EXPECT_DOUBLE_EQ(value("variance of u", row), 25);
    EXPECT_DOUBLE_EQ(value("variance of v[1]", row), 0.25);
    EXPECT_DOUBLE_EQ(value("covariance of u and v[1]", row), 2.5);
  }
  EXPECT_EQ(table.columns[table.column("variance of u")].unit, "(K)2");
}

TEST_F(Averages, AreTheSameOnRanks) {
  const auto run = [&](const fs::path& directory, const Settings& settings) {
    SmallRun small({.settings = settings, .directory = directory});
    small.simulation().run();
  };
  run(root_ / "one", {});
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings;
    settings.communicator = communicator;
    run(root_ / "three", settings);
  });
  const std::string file = "simmer_planes.0000020.csv";
  EXPECT_THAT(content_of(root_ / "one" / file), HasSubstr("covariance of u and square"));
  EXPECT_EQ(content_of(root_ / "three" / file), content_of(root_ / "one" / file));
}

TEST_F(Averages, RefuseInOneLine) {
  Layers layers({}, root_);
  Field<double> face(layers.grid, "face", {.location = Location::face_y});
  Field<double> side(layers.grid, "side", {.location = Location::face_x});
  const auto refused = [&](std::vector<AnyField> fields, const AverageOptions& options) {
    return test::error_of(
        [&] { layers.simulation.averages("a", std::move(fields), options, every(1)); });
  };
  EXPECT_EQ(refused({}, {}), "averages 'a' have no fields");
  EXPECT_EQ(refused({layers.u, face}, {.axis = Axis::y}),
            "averages 'a' are refused ('u' and 'face' lie at different places along y); make one "
            "for each");
  EXPECT_THAT(refused({layers.v}, {.covariances = {{"v[0]", "v[2]"}}}),
              HasSubstr("averages have no 'v[2]' (there are v[0], v[1])"));
  EXPECT_THAT(refused({layers.u, side}, {.covariances = {{"u", "side"}}}),
              HasSubstr("they lie at different places of a cell"));
}

}  // namespace
}  // namespace goban::plane_averages_test
