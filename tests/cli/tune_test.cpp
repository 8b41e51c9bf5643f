#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/cli/counting_application.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::tune_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;

/// With a cache of its own, in which one case has been tuned.
class TuneCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_.path() / "cache");
    fs::create_directory(folder_.path() / "here");
    fs::current_path(folder_.path() / "here");
    write_file("count.toml",
               "app = \"counting\"\n[grid]\ncells = [40, 24, 16]\n[time]\nsteps = 10\n"
               "[output.snapshots]\nfields = [\"count\"]\nevery = 1\n[checkpoint]\nevery = 1\n");
    if (const char* cache = std::getenv("XDG_CACHE_HOME")) cache_before_ = cache;
    ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    tuned_ = goban({"tune", "count.toml", "--seconds", "0.5"});
    ASSERT_EQ(tuned_.code, 0) << tuned_.err;
  }
  void TearDown() override {
    fs::current_path(before_);
    if (cache_before_.empty()) {
      ::unsetenv("XDG_CACHE_HOME");
    } else {
      ::setenv("XDG_CACHE_HOME", cache_before_.c_str(), 1);
    }
  }
  static CommandResult goban(const std::vector<std::string>& arguments) {
    return testing::goban(arguments, testing::counting());
  }
  static std::string out_of(const std::vector<std::string>& arguments) {
    const CommandResult result = goban(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  fs::path file() const { return folder_.path() / "cache" / "goban" / "tuned.json"; }

  const test::ScratchFolder folder_;
  const fs::path before_ = fs::current_path();
  std::string cache_before_;
  CommandResult tuned_;
};

TEST_F(TuneCommand, SaysWhatItMeasuredAndWritesNoFileOfARun) {
  EXPECT_THAT(tuned_.out, HasSubstr("count on "));
  EXPECT_THAT(tuned_.out, HasSubstr("  1 x 1 x 1 patches: "));
  EXPECT_THAT(tuned_.out, HasSubstr("R = 1 "));
  EXPECT_THAT(tuned_.out, HasSubstr("times as fast as untuned (goban tune, 20"));
  EXPECT_THAT(tuned_.out, HasSubstr("kept in " + file().string()));
  EXPECT_TRUE(fs::exists(file()));
  const auto count = std::distance(fs::directory_iterator("."), fs::directory_iterator());
  EXPECT_EQ(count, 1);  // the case
}

TEST_F(TuneCommand, RunsAndDescriptionsUseWhatWasFound) {
  const auto entries = nlohmann::json::parse(read_text(file()))["tuned"];
  const auto entry = entries.begin().value().begin().value();
  EXPECT_THAT(out_of({"run", "count.toml", "--out", "run"}), HasSubstr("tuned: 1 x 1 x 1 patches"));
  const auto summary = nlohmann::json::parse(read_text("run/summary.json"));
  EXPECT_EQ(summary["steps_per_pass"], entry["steps_per_pass"]);
  EXPECT_EQ(summary["results"]["count"], 10);
  EXPECT_TRUE(summary["plans"].empty());  // nothing is left to be tried
  EXPECT_THAT(out_of({"describe", "count.toml"}), HasSubstr("tuned: "));
  // Constants do not matter.
  EXPECT_THAT(out_of({"describe", "count.toml", "physics.amount=2"}), HasSubstr("tuned: "));
}

TEST_F(TuneCommand, WhatWasTunedForAnotherSizeOrSettingIsNotUsed) {
  for (const char* other : {"grid.cells=40,24,17", "run.threads=1", "run.temporal_blocking=off",
                            "run.steps_per_exchange=1", "run.patches=1,1,1"}) {
    const bool is_same =
        std::string(other) == "run.threads=1" && tuned_.out.find("1 thread ") != std::string::npos;
    if (is_same) continue;
    EXPECT_THAT(out_of({"describe", "count.toml", other}), Not(HasSubstr("tuned: "))) << other;
  }
  EXPECT_EQ(nlohmann::json::parse(read_text(file()))["tuned"].size(), 1u);
  out_of({"tune", "count.toml", "--seconds", "0.1", "run.temporal_blocking=off"});
  EXPECT_THAT(out_of({"describe", "count.toml", "run.temporal_blocking=off"}),
              HasSubstr("tuned: "));
}

TEST_F(TuneCommand, WhatAnotherBuildHasTunedIsNotUsed) {
  auto content = nlohmann::json::parse(read_text(file()));
  content["goban"] = "0.0.1 abc";
  write_file(file(), content.dump());
  EXPECT_THAT(out_of({"describe", "count.toml"}), Not(HasSubstr("tuned: ")));
  write_file(file(), "no JSON");
  EXPECT_THAT(out_of({"describe", "count.toml"}), Not(HasSubstr("tuned: ")));
}

TEST_F(TuneCommand, RefusesWhatItCannotDo) {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const CommandResult result = goban(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_THAT(error_of({"tune", "count.toml", "--seconds", "0"}), HasSubstr("must be positive"));
  EXPECT_THAT(error_of({"tune", "count.toml", "run.backend=reference"}),
              HasSubstr("there is nothing to tune (the reference has no plans to choose from)"));
}

}  // namespace
}  // namespace goban::cli::tune_test
