#include "goban/runtime/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::options_test {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// A command line; `left` is what it becomes.
struct Line {
  std::vector<std::string> left;
  Settings settings;

  explicit Line(std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    settings = settings_from(argc, argv.data());
    left.assign(argv.begin() + 1, argv.begin() + argc);
  }
};

std::string error_from(const std::string& word) {
  return error_of([&] { Line({word}); });
}

TEST(Options, LeaveTheProgramItsOwnArguments) {
  const Line line({"in.txt", "--goban-threads", "3", "--help", "--goban-seed=7", "-v"});
  EXPECT_THAT(line.left, ElementsAre("in.txt", "--help", "-v"));
  EXPECT_EQ(line.settings.threads, 3);
  EXPECT_EQ(line.settings.seed, 7u);
}

TEST(Options, RestartNeedsNoValueAndTakesNoWordOfTheProgram) {
  const Line line({"--goban-restart", "in.txt"});
  EXPECT_EQ(line.settings.restart, "newest");
  EXPECT_THAT(line.left, ElementsAre("in.txt"));
  EXPECT_EQ(Line({"--goban-restart=120"}).settings.restart, "120");
  EXPECT_EQ(Line({}).settings.restart, "");
  EXPECT_THAT(error_from("--goban-restart=oldest"), HasSubstr("write newest or a step"));
}

TEST(Options, OfTheCommandLineOverrideThoseOfTheEnvironment) {
  ::setenv("GOBAN_STEPS_PER_EXCHANGE", "4", 1);
  EXPECT_EQ(Line({}).settings.steps_per_exchange, 4);
  EXPECT_EQ(Line({"--goban-steps-per-exchange=2"}).settings.steps_per_exchange, 2);
  ::unsetenv("GOBAN_STEPS_PER_EXCHANGE");
}

TEST(Options, DevicesHaveTheLastWordBesideABackend) {
  EXPECT_EQ(Line({"--goban-devices=cuda", "--goban-backend=reference"}).settings.backend,
            Backend::cuda);
  EXPECT_EQ(Line({"--goban-backend=emulated"}).settings.backend, Backend::emulated);
  ::setenv("GOBAN_BACKEND", "emulated", 1);
  EXPECT_EQ(Line({"--goban-backend=reference"}).settings.backend, Backend::reference);
  ::unsetenv("GOBAN_BACKEND");
}

TEST(Options, NameTheFolderOfTheOutput) {
  EXPECT_EQ(Line({"--goban-out", "results/1"}).settings.out, "results/1");
  EXPECT_EQ(Line({"--goban-out=3"}).settings.out, "3");
  EXPECT_EQ(Line({}).settings.out, "");
  EXPECT_THAT(error_from("--goban-out="), HasSubstr("write --goban-out=DIR"));
  EXPECT_THAT(options_text(), HasSubstr("--goban-out DIR\n"));
  EXPECT_THAT(error_from("--goban-out"), HasSubstr("--goban-out has no value"));
}

TEST(Options, AreInTheHelpWithTheirValues) {
  const std::string text = options_text();
  for (const std::string line :
       {"--goban-overlap auto|none|one-kernel|two-kernel\n", "--goban-threads N|auto\n",
        "--goban-patches X,Y,Z|auto\n", "--goban-temporal-blocking N|auto|on|off\n",
        "--goban-restart[=STEP]\n", "--goban-help\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Options, ThatAreUnknownAreRefusedByTheirNameWithAValueOrWithout) {
  for (const std::string word : {"--goban-dry-run", "--goban-dry-run=1"}) {
    EXPECT_EQ(error_from(word), "unknown option --goban-dry-run; see --goban-help");
  }
  EXPECT_THAT(error_from("--goban-patchs=2,2,1"), HasSubstr("did you mean --goban-patches?"));
  EXPECT_THAT(error_from("--goban-patches"), HasSubstr("--goban-patches has no value"));
}

TEST(Options, TakeTheValuesOfTheCommandThatRunsCases) {
  EXPECT_EQ(Line({"--goban-patches=2,3,1"}).settings.patches, (Index3{2, 3, 1}));
  EXPECT_EQ(Line({"--goban-patches=auto"}).settings.patches, (Index3{0, 0, 0}));
  for (const std::string patches : {"2", "2,2", "2,2,1,1", "2,2,1,", "2,0,1", "2,x,1", ""}) {
    EXPECT_THAT(error_from("--goban-patches=" + patches), HasSubstr("is refused")) << patches;
  }
  EXPECT_EQ(Line({"--goban-overlap=one-kernel"}).settings.overlap, Overlap::one_kernel);
  EXPECT_EQ(Line({"--goban-overlap=none"}).settings.overlap, Overlap::none);
  EXPECT_EQ(Line({"--goban-overlap=two-kernel"}).settings.overlap, Overlap::two_kernel);
  EXPECT_THAT(error_from("--goban-overlap=maybe"),
              HasSubstr("one of auto, none, one-kernel, two-kernel is expected"));
  EXPECT_EQ(Line({"--goban-transport=mpi"}).settings.transport, Transport::mpi);
  EXPECT_EQ(Line({"--goban-halo-precision=half"}).settings.halo_precision, HaloPrecision::half);
  EXPECT_EQ(Line({"--goban-subnormals=flush"}).settings.subnormals, Subnormals::flush);
  EXPECT_THAT(error_from("--goban-transport=ucx"), HasSubstr("auto, peer, nccl, mpi, host"));
  EXPECT_TRUE(Line({"--goban-recompute=on"}).settings.recompute);
  EXPECT_THAT(Line({"--goban-speeds=1,2.5"}).settings.speeds, ElementsAre(1, 2.5));
  EXPECT_EQ(Line({"--goban-temporal-blocking=on"}).settings.temporal_blocking, 4);
  EXPECT_EQ(Line({"--goban-temporal-blocking=off"}).settings.temporal_blocking, 0);
  EXPECT_EQ(Line({"--goban-threads=auto"}).settings.threads, 0);
  EXPECT_THAT(error_from("--goban-threads=4294967298"), HasSubstr("at most 4096 is expected"));
  EXPECT_THAT(Line({"--goban-cuts=30,34;;5,4"}).settings.cuts, ElementsAre("30,34", "", "5,4"));
  EXPECT_THAT(error_from("--goban-cuts=30,34"), HasSubstr("write --goban-cuts=\"30,34;;\""));
  EXPECT_THAT(error_from("--goban-balance=none"), HasSubstr("choose, keep, off"));
}

}  // namespace
}  // namespace goban::options_test
