#include "goban/simulation/application/common_keys.hpp"

#include <gtest/gtest.h>

#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"

namespace goban::common_keys_test {
namespace {

Case parsed(const std::vector<std::string>& overrides) {
  CaseSchema schema;
  declare_common(schema);
  return parse_case(schema, "app = \"heat\"\ngrid.cells = [8, 6, 4]\n", "case.toml", overrides);
}

TEST(CaseCommon, GridSectionMakesGridOptions) {
  const GridOptions options = grid_options(parsed({"grid.spacing=5 mm", "grid.origin=1,2,3"}));
  EXPECT_EQ(options.cells, (Index3{8, 6, 4}));
  EXPECT_EQ(options.spacing.value, (Real3{5e-3, 5e-3, 5e-3}));
  EXPECT_EQ(options.origin, (Real3{1, 2, 3}));
}

TEST(CaseCommon, RunSectionIsChosenByDefault) {
  const Settings settings = run_settings(parsed({}));
  EXPECT_EQ(settings.patches, (Index3{0, 0, 0}));
  EXPECT_EQ(settings.threads, 0);
  EXPECT_EQ(settings.steps_per_exchange, 0);
  EXPECT_EQ(settings.temporal_blocking, -1);
  EXPECT_EQ(settings.overlap, Overlap::automatic);
  EXPECT_EQ(settings.backend, Backend::cpu);
}

TEST(CaseCommon, RunSectionMakesSettings) {
  const Settings settings =
      run_settings(parsed({"run.patches=2,1,3", "run.threads=2", "run.steps_per_exchange=4",
                           "run.overlap=two-kernel", "run.backend=emulated", "run.seed=7",
                           "run.temporal_blocking=off", "run.cuts=[\"3,5\", \"\", \"\"]"}));
  EXPECT_EQ(settings.patches, (Index3{2, 1, 3}));
  EXPECT_EQ(settings.cuts[0], "3,5");
  EXPECT_EQ(settings.threads, 2);
  EXPECT_EQ(settings.steps_per_exchange, 4);
  EXPECT_EQ(settings.overlap, Overlap::two_kernel);
  EXPECT_EQ(settings.backend, Backend::emulated);
  EXPECT_EQ(settings.seed, 7u);
  EXPECT_EQ(settings.temporal_blocking, 0);
  EXPECT_EQ(run_settings(parsed({"run.temporal_blocking=6"})).temporal_blocking, 6);
  EXPECT_EQ(run_settings(parsed({"run.temporal_blocking=on"})).temporal_blocking, 4);
  for (const Overlap overlap :
       {Overlap::automatic, Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
    const std::string word = name_of(overlap);
    EXPECT_EQ(run_settings(parsed({"run.overlap=" + word})).overlap, overlap);
  }
  EXPECT_EQ(run_settings(parsed({"run.speeds=1,3", "run.devices=emulated:0,1"})).speeds,
            (std::vector<double>{1, 3}));
  EXPECT_THROW(run_settings(parsed({"run.speeds=1,3"})), Error);
  EXPECT_EQ(run_settings(parsed({"run.transport=host"})).transport, Transport::host);
  EXPECT_EQ(run_settings(parsed({"run.halo_precision=half"})).halo_precision, HaloPrecision::half);
}

TEST(CaseCommon, PicturesProbesAndSchedulesAreDeclared) {
  const Case values = parsed({"output.picture.0.field=T", "output.picture.0.every_wall=10 min",
                              "output.probe.0.name=center", "output.probe.0.fields=T",
                              "output.probe.0.position=1,2,3", "output.snapshots.at=1 min,2 min"});
  EXPECT_EQ(values.list("output.picture")[0].real("every_wall"), 600);
  EXPECT_TRUE(values.list("output.picture")[0].boolean("at_end"));
  EXPECT_EQ(values.list("output.probe")[0].real3("position"), (Real3{1, 2, 3}));
  EXPECT_EQ(values.reals("output.snapshots.at"), (std::vector<double>{60, 120}));
}

TEST(CaseCommon, NamesInNamesOfFilesAreNoPaths) {
  for (const std::string name : {"slices/top", "", "a\\tb"}) {
    const std::string given = "output.picture.0.name=\"" + name + "\"";
    EXPECT_EQ(
        test::error_of([&] {
          parsed({given, "output.picture.0.field=T"});
        }),
        "command line '" + given + "': output.picture.0.name = \"" + name +
            "\" is refused (it is part of the name of a file); write letters, digits, '-' and "
            "'_'");
  }
  const auto probe = parsed({"output.probe.0.name=deep 1", "output.probe.0.position=1,2,3"});
  EXPECT_EQ(probe.list("output.probe")[0].text("name"), "deep 1");
}

TEST(CaseCommon, LatticeUnitsAreNotMetres) {
  CaseSchema schema;
  declare_common(schema, {.length_unit = "1", .time_unit = "1"});
  EXPECT_EQ(schema.find("grid.spacing")->unit(), "1");
  EXPECT_THROW(
      parse_case(schema, "app = \"lbm\"\ngrid.cells = [8, 8, 8]\ntime.end = \"3 s\"\n", "c.toml"),
      Error);
}

}  // namespace
}  // namespace goban::common_keys_test
