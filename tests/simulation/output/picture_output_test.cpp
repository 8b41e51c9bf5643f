// Pictures of a run: what they say, and colours that mean the same in all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/goban.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/value_range.hpp"
#include "tests/error_text.hpp"
#include "tests/png_file.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::picture_output_test {
namespace {

struct AddOne {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u() + 1.0f; }
};

class Pictures : public SmallRuns {
 protected:
  /// A field that is everywhere the number of steps; a picture of every second.
  void run(const fs::path& directory, Index steps, PictureOptions options, When when = every(2),
           Restart restart = {}, bool has_checkpoints = true) {
    Runtime runtime;
    Grid grid(runtime, {.cells = {6, 6, 4}, .spacing = 0.5});
    Field<float> u(grid, "u"), next(grid, "next");
    u.fill(0.0f);
    Program step("count");
    step.apply(AddOne{}, in(u), out(next));
    step.swap(u, next);
    Simulation simulation(grid, step,
                          {.steps = steps,
                           .dt = 0.001,
                           .directory = directory,
                           .length_unit = "m",
                           .time_unit = "s",
                           .restart = restart,
                           .measure_bandwidth = false});
    options.colors = Colormap::sequential;
    simulation.picture(u, options, when);
    if (has_checkpoints) simulation.checkpoint(every(4), {.at_end = false});
    description_ = simulation.dry_run();
    simulation.run();
  }
  /// Returns the color in the middle of the plot.
  static Color color_in(const fs::path& directory, Index step) {
    const Image image = test::read_png(directory / fmt::format("count_u_z.{:07}.png", step));
    const std::uint8_t* pixel = image.at(image.width / 3, image.height / 2);
    return {pixel[0], pixel[1], pixel[2]};
  }
  static bool keeps_values(const fs::path& directory) { return fs::exists(directory / ".frames"); }
  static void lose_values(const fs::path& directory) { fs::remove_all(directory / ".frames"); }

  std::string description_;
};

TEST_F(Pictures, OfARunHaveOneRange) {
  run(root_, 8, {}, every(2), {}, false);
  for (const Index step : {0, 2, 4, 6, 8}) {
    const double share = static_cast<double>(step) / 8;
    EXPECT_EQ(color_in(root_, step), color_at(Colormap::sequential, share)) << step;
  }
  EXPECT_FALSE(keeps_values(root_));
}

TEST_F(Pictures, HaveTheirOwnRangeWhereThatIsAskedFor) {
  run(root_, 4, {.one_range = false});
  for (const Index step : {2, 4}) {
    EXPECT_EQ(color_in(root_, step), color_at(Colormap::sequential, 0.5)) << step;
  }
  EXPECT_FALSE(keeps_values(root_));
}

TEST_F(Pictures, OfARunThatGoesOnHaveOneRangeAgain) {
  run(root_, 4, {});
  EXPECT_TRUE(keeps_values(root_));
  EXPECT_EQ(color_in(root_, 4), color_at(Colormap::sequential, 1));
  run(root_, 8, {}, every(2), restart_newest());
  for (const Index step : {0, 2, 4, 6, 8}) {
    const double share = static_cast<double>(step) / 8;
    EXPECT_EQ(color_in(root_, step), color_at(Colormap::sequential, share)) << step;
  }
}

TEST_F(Pictures, KeepTheRangeThatIsThereWhereNothingCanBeRedrawn) {
  run(root_, 4, {});
  lose_values(root_);
  run(root_, 8, {}, every(2), restart_newest());
  EXPECT_EQ(color_in(root_, 2), color_at(Colormap::sequential, 0.5));
  EXPECT_EQ(color_in(root_, 8), color_at(Colormap::sequential, 1)) << "beyond the range, 0 to 4";
}

TEST_F(Pictures, WhoseValuesAreGoneKeepTheirRange) {
  run(root_, 6, {});  // the checkpoint is that of step 4, which still knew them
  lose_values(root_);
  run(root_, 10, {}, every(2), restart_newest());
  EXPECT_EQ(color_in(root_, 10), color_at(Colormap::sequential, 1));
}

TEST_F(Pictures, OfAnEndThatIsReachedTwiceHaveOneRange) {
  for (const bool again : {false, true}) {
    run(root_, 6, {}, every(2), again ? restart_newest() : Restart{});  // from step 4
    for (const Index step : {0, 2, 4, 6}) {
      const double share = static_cast<double>(step) / 6;
      EXPECT_EQ(color_in(root_, step), color_at(Colormap::sequential, share)) << step;
    }
  }
}

TEST_F(Pictures, AreOfTheFormatThatIsAskedFor) {
  for (const PictureFormat format : {PictureFormat::svg, PictureFormat::pdf}) {
    run(root_, 2, {.format = format}, at_end(), {}, false);
    const std::string name = std::string("count_u_z.0000002.") + name_of(format);
    EXPECT_THAT(content_of(root_ / name),
                testing::StartsWith(format == PictureFormat::svg ? "<?xml" : "%PDF"));
  }
  EXPECT_THAT(description_, testing::HasSubstr("as PDF: at the end\n"));
}

TEST_F(Pictures, LeaveMaskedCellsGrey) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {6, 6, 1}});
  Field<float> u(grid, "u"), next(grid, "next");
  Field<std::uint8_t> body(grid, "body");
  u.fill(0.0f);
  body.fill([](Position p) { return p.x < 3; });
  Program step("count");
  step.apply(AddOne{}, in(u), out(next));
  step.swap(u, next);
  Simulation simulation(grid, step, {.steps = 2, .directory = root_, .measure_bandwidth = false});
  simulation.picture(u, {.colors = Colormap::thermal, .mask = body}, at_end());
  simulation.run();
  const Image image = test::read_png(root_ / "count_u_z.0000002.png");
  const auto color = [&](Index x) {
    const std::uint8_t* pixel = image.at(x, image.height / 2);
    return Color{pixel[0], pixel[1], pixel[2]};
  };
  const Color grey = ValueColors(Colormap::thermal, {}).at(std::nan(""));
  EXPECT_EQ(color(image.width / 4), grey);
  EXPECT_EQ(color(image.width / 2 + 40), color_at(Colormap::thermal, 0.5));
}

TEST_F(Pictures, OfComponentsNameTheirAxis) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {6, 6, 1}});
  Field<float, 3> v(grid, "velocity");
  Field<float> other(grid, "other"), next(grid, "next");
  Grid second(runtime, {.cells = {6, 6, 1}});
  Field<float> elsewhere(second, "elsewhere");
  Program step("none");
  step.apply(AddOne{}, in(other), out(next));
  Simulation simulation(grid, step, {.steps = 2, .directory = root_, .measure_bandwidth = false});
  simulation.picture(v, {.component = 2}, at_end());
  EXPECT_THAT(simulation.dry_run(), testing::HasSubstr("velocity z as PNG"));
  const auto refused = [&](PictureOptions options) {
    return test::error_of([&] { simulation.picture(v, options, at_end()); });
  };
  EXPECT_EQ(refused({.mask = elsewhere}),
            "a picture of 'velocity' is refused ('elsewhere' is of another grid)");
  EXPECT_EQ(refused({.vertical_exaggeration = 0}),
            "a picture of 'velocity' is refused (its vertical exaggeration is not positive)");
}

TEST_F(Pictures, SayWhereTheyCut) {
  run(root_ / "low", 2, {.position = 0.3}, at_end());
  EXPECT_THAT(description_, testing::HasSubstr("u at z = 250 mm as PNG: at the end\n"));
  run(root_ / "high", 2, {.position = 1.7}, at_end());
  EXPECT_THAT(description_, testing::HasSubstr("u at z = 1.75 m as PNG"));
  const std::string name = "count_u_z.0000002.png";
  EXPECT_NE(content_of(root_ / "low" / name), content_of(root_ / "high" / name));
}

}  // namespace
}  // namespace goban::picture_output_test
