#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "goban/base/build_info.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/cli/counting_application.hpp"
#include "tests/long.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::run_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Every test works in a folder of its own.
class RunCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::current_path(folder_.path());
    write("count.toml",
          "app = \"counting\"\n[grid]\ncells = [8, 6, 4]\n[time]\nsteps = 10\n"
          "[checkpoint]\nevery = 4\n");
  }
  void TearDown() override { fs::current_path(before_); }

  static void write(const std::string& name, const std::string& text) {
    std::ofstream(name) << text;
  }
  static std::string read(const std::string& name) {
    std::ifstream in(name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static nlohmann::json summary(const std::string& file) {
    return nlohmann::json::parse(read(file));
  }
  static CommandResult goban(const std::vector<std::string>& arguments) {
    return testing::goban(arguments, testing::counting());
  }

  const test::ScratchFolder folder_;
  const fs::path before_ = fs::current_path();
};

TEST_F(RunCommand, RunsTheCaseIntoAFolderOfItsName) {
  const CommandResult result = goban({"run", "count.toml"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto report = summary("out/count/summary.json");
  EXPECT_EQ(report["app"], "counting");
  EXPECT_EQ(report["steps"], 10);
  EXPECT_EQ(report["results"]["count"], 10);
  EXPECT_THAT(read("out/count/STATUS"), HasSubstr("finished"));
}

TEST_F(RunCommand, RunTomlRepeatsTheRun) {
  ASSERT_EQ(goban({"run", "count.toml", "physics.amount=2", "--out", "first"}).code, 0);
  const CommandResult again = goban({"run", "first/run.toml", "--out", "second"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(summary("first/summary.json")["checksum"], summary("second/summary.json")["checksum"]);
  EXPECT_EQ(summary("second/summary.json")["results"]["count"], 20);
}

TEST_F(RunCommand, OverridesAndShorthandsHaveTheLastWord) {
  const CommandResult result =
      goban({"run", "count.toml", "time.steps=3", "--summary", "summary.json", "--patches", "2,1,1",
             "--threads=1", "--steps-per-exchange", "1", "--temporal-blocking", "off", "--devices",
             "cpu"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto report = summary("summary.json");
  EXPECT_EQ(report["steps"], 3);
  EXPECT_EQ(report["results"]["count"], 3);
  EXPECT_EQ(report["steps_per_exchange"], 1);
}

TEST_F(RunCommand, EarlierRunIsSetAsideOrOverwritten) {
  ASSERT_EQ(goban({"run", "count.toml"}).code, 0);
  const CommandResult second = goban({"run", "count.toml", "time.steps=3"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("the earlier run is now in out/count.old.1\n"));
  EXPECT_EQ(summary("out/count.old.1/summary.json")["steps"], 10);
  ASSERT_EQ(goban({"run", "count.toml", "--overwrite"}).code, 0);
  EXPECT_FALSE(fs::exists("out/count.old.2"));
  EXPECT_EQ(summary("out/count/summary.json")["steps"], 10);
}

TEST_F(RunCommand, ARefusedStartLeavesTheEarlierRunAlone) {
  ASSERT_EQ(goban({"run", "count.toml"}).code, 0);
  const std::string before = read("out/count/summary.json");
  for (const char* option : {"--overwrite", "--allow-unused"}) {
    const CommandResult large = goban({"run", "count.toml", option, "grid.cells=90000,9000,9000"});
    EXPECT_EQ(large.code, 3);
    EXPECT_THAT(large.err, HasSubstr("do not fit into memory"));
  }
  for (const char* level : {"copies", "parity"}) {
    const std::string every = std::string("checkpoint.") + level + ".every=1";
    const CommandResult alone =
        goban({"run", "count.toml", "--overwrite", every, "checkpoint.local.folder=nodes"});
    EXPECT_EQ(alone.code, 2) << "one node has no other";
  }
  EXPECT_EQ(goban({"run", "count.toml", "--overwrite", "checkpoint.keep=4294967297"}).code, 2);
  EXPECT_EQ(read("out/count/summary.json"), before);
  EXPECT_THAT(read("out/count/STATUS"), StartsWith("finished\n"));
  EXPECT_TRUE(fs::exists("out/count/chk/0000008"));
  EXPECT_FALSE(fs::exists("out/count.old.1"));
  EXPECT_EQ(goban({"run", "count.toml", "--out", "new", "grid.cells=90000,9000,9000"}).code, 3);
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(RunCommand, WhatIsNoSummaryAndNoTraceIsNotOverwritten) {
  const std::string text = read("count.toml");
  for (const char* option : {"--summary", "--trace"}) {
    const CommandResult refused = goban({"run", "count.toml", option, "count.toml"});
    EXPECT_EQ(refused.code, 4);
    EXPECT_THAT(refused.err,
                HasSubstr("cannot write count.toml (a file that goban has not written"));
    EXPECT_EQ(read("count.toml"), text);
    EXPECT_FALSE(fs::exists("out"));
  }
  for (int n = 0; n < 2; ++n) {  // folders are made; what goban wrote may go
    const CommandResult result = goban(
        {"run", "count.toml", "--summary", "new/deep/summary.json", "--trace", "other/trace.json"});
    EXPECT_EQ(result.code, 0) << result.err;
  }
  EXPECT_EQ(summary("new/deep/summary.json"), summary("out/count/summary.json"));
  EXPECT_TRUE(fs::exists("other/trace.json"));
}

TEST_F(RunCommand, OverwritingTellsWhatItLeaves) {
  ASSERT_EQ(goban({"run", "count.toml", "output.series.every=5"}).code, 0);
  write("out/count/notes.txt", "of my own");
  const CommandResult result = goban({"run", "count.toml", "--overwrite"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("left in out/count what is not known as a run's: notes.txt\n"));
  EXPECT_EQ(read("out/count/notes.txt"), "of my own");
}

TEST_F(RunCommand, RestartGoesOnAndIsHarmlessOnTheFirstRun) {
  ASSERT_EQ(goban({"run", "count.toml", "--restart", "time.steps=6"}).code, 0);
  const CommandResult result = goban({"run", "count.toml", "--restart"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(summary("out/count/summary.json")["results"]["count"], 10);
  EXPECT_EQ(goban({"run", "count.toml", "--restart=8"}).code, 0);
  EXPECT_EQ(goban({"run", "count.toml", "--restart=5"}).code, 7);
}

TEST_F(RunCommand, FinishedRunsAreExtended) {
  ASSERT_EQ(goban({"run", "count.toml", "checkpoint.every=1000"}).code, 0);
  const CommandResult result =
      goban({"run", "count.toml", "checkpoint.every=1000", "--restart", "time.steps=15"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(read("out/count/run.toml"),
              HasSubstr("# changed at step 10: time.steps = 15 (was 10)\n"));
  EXPECT_EQ(summary("out/count/summary.json")["restarted_from"], 10);
  EXPECT_EQ(summary("out/count/summary.json")["results"]["count"], 15);
  EXPECT_FALSE(fs::exists("out/count.old.1"));
}

TEST_F(RunCommand, ARestartWithoutACheckpointNeverWritesBesideAnEarlierRun) {
  const std::vector<std::string> bare = {"checkpoint.every=1000", "checkpoint.at_end=false",
                                         "output.snapshots.every=5"};
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"run", "count.toml"};
    all.insert(all.end(), bare.begin(), bare.end());
    all.insert(all.end(), more.begin(), more.end());
    return goban(all);
  };
  ASSERT_EQ(run({}).code, 0);
  const std::string record = read("out/count/run.toml"), status = read("out/count/STATUS");
  const CommandResult refused = run({"--restart", "time.steps=12"});
  EXPECT_EQ(refused.code, 7);
  EXPECT_THAT(refused.err,
              HasSubstr("cannot go on in out/count (the run in it has finished and left "
                        "no checkpoint); leave out --restart"));
  EXPECT_EQ(run({"--restart=5"}).code, 7);
  EXPECT_EQ(read("out/count/run.toml"), record);
  EXPECT_EQ(read("out/count/STATUS"), status);
  write("out/count/STATUS", "running\npid 4711 on elsewhere, 2026-01-01T00:00:00Z\n");
  const CommandResult anew = run({"--restart", "output.snapshots.every=4"});
  ASSERT_EQ(anew.code, 0) << anew.err;
  EXPECT_THAT(anew.out, HasSubstr("the run in out/count has died (pid 4711 on elsewhere, "));
  EXPECT_THAT(anew.out, HasSubstr("the earlier run is now in out/count.old.1\n"));
  for (const auto& entry : fs::directory_iterator("out/count")) {
    EXPECT_EQ(entry.path().string().find("0000005"), std::string::npos) << entry.path();
  }
}

TEST_F(RunCommand, ChangedCasesGoOnWhenAskedFor) {
  ASSERT_EQ(goban({"run", "count.toml"}).code, 0);
  const std::string record = read("out/count/run.toml"), status = read("out/count/STATUS");
  const CommandResult refused =
      goban({"run", "count.toml", "--restart", "time.steps=20", "physics.amount=2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("cannot go on from step 10 (the case has changed: "
                        "physics.amount = 2.0 (was 1.0)); change it back, or ask for it "
                        "with --allow-changes"));
  EXPECT_EQ(read("out/count/run.toml"), record);
  EXPECT_EQ(read("out/count/STATUS"), status);
  const CommandResult result = goban(
      {"run", "count.toml", "--restart", "time.steps=20", "physics.amount=2", "--allow-changes"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(summary("out/count/summary.json")["results"]["count"], 30);
  EXPECT_THAT(read("out/count/run.toml"),
              HasSubstr("# changed at step 10: physics.amount = 2.0 (was 1.0)\n"));
  EXPECT_EQ(goban({"run", "count.toml", "--allow-changes"}).code, 2);
}

TEST_F(RunCommand, EmptyValuesOfOptionsAreRefused) {
  for (const std::string option : {"--out", "--max-time", "--summary", "--restart", "--threads"}) {
    for (const std::vector<std::string>& words :
         {std::vector{option + "="}, std::vector<std::string>{option, ""}}) {
      std::vector<std::string> all = {"run", "count.toml"};
      all.insert(all.end(), words.begin(), words.end());
      const CommandResult result = goban(all);
      EXPECT_EQ(result.code, 2) << option;
      EXPECT_THAT(result.err, HasSubstr(option + " is refused (its value is empty)"));
    }
  }
  EXPECT_FALSE(fs::exists("out"));
}

TEST_F(RunCommand, TheEndOfTheJobIsATimeLimit) {
  CommandResult result{2, "", ""};
  for (int seconds = 1; seconds < 40 && result.code == 2; seconds *= 3) {  // some to begin
    ::setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + seconds).c_str(), 1);
    result = goban({"run", "count.toml", "time.steps=2000000000", "checkpoint.every=1000000000"});
  }
  ::unsetenv("SLURM_JOB_END_TIME");
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_EQ(summary("out/count/summary.json")["ended_by"], "max time");
}

TEST_F(RunCommand, DryRunAndPrintConfigLeaveNoFiles) {
  const CommandResult dry = goban({"run", "count.toml", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.out, "");
  const CommandResult printed = goban({"run", "count.toml", "--print-config", "time.steps=7"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("steps = 7\n"));
  EXPECT_FALSE(fs::exists("out"));
  write("printed.toml", printed.out);
  EXPECT_EQ(goban({"run", "printed.toml", "--print-config"}).code, 0);
}

/// Two fields of 256 MiB.
TEST_F(RunCommand, DryRunsTakeNoMemoryForFields) {
  const auto peak = [] {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "VmHWM:") return status >> word ? std::stol(word) : 0L;
    }
    return 0L;
  };
  const long before = peak();
  const CommandResult result = goban({"run", "count.toml", "grid.cells=512,512,256", "--dry-run"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("needed"));
  EXPECT_LT(peak() - before, 128 << 10) << "KiB";
}

TEST_F(RunCommand, SnapshotsThatAreAskedForAreWritten) {
  ASSERT_EQ(goban({"run", "count.toml", "output.snapshots.fields=count"}).code, 0);
  EXPECT_TRUE(fs::exists(have_hdf5() ? "out/count/count_count.0000010.vtkhdf"
                                     : "out/count/count_count.0000010.count.npy"));
  const CommandResult never = goban(
      {"run", "count.toml", "output.snapshots.fields=count", "output.snapshots.at_end=false"});
  EXPECT_EQ(never.code, 2);
  EXPECT_THAT(never.err, HasSubstr("the snapshots would never be written"));
}

TEST_F(RunCommand, MistakesInTheCaseAreAllReported) {
  const CommandResult result = goban({"run", "count.toml", "time.stpes=3", "physics.amount=x"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("goban: command line 'time.stpes=3': unknown key time.stpes"));
  EXPECT_THAT(result.err, HasSubstr("goban: command line 'physics.amount=x': physics.amount must"));
  EXPECT_FALSE(fs::exists("out"));
}

TEST_F(RunCommand, SettingsOfTheEnvironmentStandBetweenCaseAndCommandLine) {
  write("two.toml", read("count.toml") + "[run]\nsteps_per_exchange = 2\n");
  ::setenv("GOBAN_STEPS_PER_EXCHANGE", "3", 1);
  EXPECT_THAT(goban({"run", "two.toml", "--print-config"}).out,
              HasSubstr("steps_per_exchange = 3"));
  EXPECT_THAT(goban({"run", "two.toml", "--print-config", "--steps-per-exchange", "1"}).out,
              HasSubstr("steps_per_exchange = 1"));
  ::setenv("GOBAN_STEPS_PER_EXCHANGE", "many", 1);
  EXPECT_EQ(goban({"run", "two.toml", "--print-config"}).code, 2);
  ::unsetenv("GOBAN_STEPS_PER_EXCHANGE");
}

TEST_F(RunCommand, ACaseHasAName) {
  for (const char* name : {"..toml", "...toml"}) {
    write(name, read("count.toml"));
    const CommandResult refused = goban({"run", name});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(" is refused as a case file (results would go to out/."));
  }
}

TEST_F(RunCommand, TerminalsAreNotSteeredByFiles) {
  write("series.csv", "step,time [s],a\x1b]0;title\x07 [\x1b[2J]\n0,0,1\n1,1,2\n");
  const CommandResult shown = goban({"view", "series.csv"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("a?]0;title? [?[2J]"));
  EXPECT_EQ(goban({"view", "series.csv", "--field", "b"}).err.find('\x1b'), std::string::npos);
}

TEST_F(RunCommand, UnknownKeysMayBeAllowed) {
  const CommandResult result = goban({"run", "count.toml", "zebra=3", "--allow-unused"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "goban: command line 'zebra=3': unknown key zebra is ignored\n");
}

TEST_F(RunCommand, UnknownApplicationSuggestsTheNearest) {
  const CommandResult result = goban({"run", "count.toml", "app=countin"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(
      result.err,
      "goban: count.toml: unknown application countin (the applications are counting); did you "
      "mean counting?\n");
}

TEST_F(RunCommand, WrongOptionsAreRefusedBeforeAnythingIsWritten) {
  EXPECT_EQ(goban({"run", "count.toml", "--restart=x"}).err,
            "goban: a restart from 'x' is refused (checkpoints are named by their step); write "
            "newest or a step\n");
  EXPECT_THAT(goban({"run", "count.toml", "--max-time", "10 kg"}).err,
              HasSubstr("kg does not convert to s"));
  EXPECT_THAT(goban({"run", "count.toml", "--restart", "--overwrite"}).err,
              HasSubstr("exclude each other"));
  const CommandResult gpu = goban({"run", "count.toml", "--devices", "gpu"});
  EXPECT_EQ(gpu.code, 2);
  EXPECT_EQ(gpu.err,
            "goban: cannot compute on devices 'gpu' (there is no such kind of device); write cpu, "
            "cuda, cuda+cpu or, for some GPUs, cuda:0,1\n");
  const CommandResult cuda = goban({"run", "count.toml", "--devices", "cuda:999"});
  EXPECT_EQ(cuda.code, 3);
  const auto& features = build_info().features;
  if (std::find(features.begin(), features.end(), "cuda") == features.end()) {
    EXPECT_EQ(cuda.err,
              "goban: cannot compute on cuda (this program is built without CUDA); build with "
              "-DGOBAN_CUDA=ON, or use --devices cpu\n");
  } else {
    EXPECT_THAT(cuda.err, HasSubstr("goban: there is no GPU 999 ("));
    EXPECT_THAT(cuda.err, HasSubstr("); `goban doctor` lists them\n"));
  }
  EXPECT_FALSE(fs::exists("out"));
}

TEST_F(RunCommand, TracesShowWhatRanWhen) {
  const CommandResult result =
      goban({"run", "count.toml", "--trace", "trace.json", "--patches", "2,1,1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto trace = summary("trace.json");
  EXPECT_EQ(trace["otherData"]["left_out"], 0);
  std::set<std::string> kinds;
  for (const auto& event : trace["traceEvents"]) kinds.insert(event.value("cat", ""));
  EXPECT_GE(kinds.count("sweep") + kinds.count("pass"), 1u);
  EXPECT_EQ(kinds.count("checkpoint"), 1u);
  const CommandResult refused = goban({"run", "count.toml", "--trace", "count.toml/trace.json"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_EQ(refused.err,
            "goban: cannot create directory count.toml (Not a directory); check the path\n");
  EXPECT_FALSE(fs::exists("out/count.old.1")) << "refused before the earlier run is set aside";
  EXPECT_EQ(goban({"run", "count.toml", "--trace", "planned.json", "--dry-run"}).code, 0);
  EXPECT_FALSE(fs::exists("planned.json"));
}

TEST_F(RunCommand, PicturesOfUnknownFieldsAreRefusedWhereTheyStand) {
  write("picture.toml", read("count.toml") + "[[output.picture]]\nfield = \"cuont\"\n");
  EXPECT_EQ(goban({"run", "picture.toml"}).err,
            "goban: picture.toml:9:9: unknown field cuont (the fields are count); did you mean "
            "count?\n");
}

TEST_F(RunCommand, OutputsOfTheCaseAreWritten) {
  const CommandResult result =
      goban({"run", "count.toml", "output.snapshots.every=5", "output.series.every=5",
             "output.picture.0.field=count", "output.picture.0.axis=x", "output.probe.0.name=p",
             "output.probe.0.position=4,3,2", "output.statistics.fields=count"});
  ASSERT_EQ(result.code, 0) << result.err;
  int snapshots = 0, pictures = 0;
  for (const auto& entry : fs::recursive_directory_iterator("out/count")) {
    const std::string name = entry.path().filename().string();
    snapshots += name.ends_with(".vtkhdf") || name.ends_with(".npy");
    pictures += name.ends_with(".png");
  }
  EXPECT_GE(snapshots, 3);
  EXPECT_EQ(pictures, 1);
  EXPECT_THAT(read("out/count/count_series.csv"), HasSubstr("\n10,10,10\n"));
  EXPECT_THAT(read("out/count/count_probe_p.csv"), HasSubstr("\n10,10,10\n"));
  const CommandResult view = goban({"view", "out/count", "--out", "slice.png"});
  EXPECT_EQ(view.code, 0) << view.err;
  EXPECT_TRUE(fs::exists("slice.png"));
  // Whole fields come first, although statistics are as new.
  if (!have_hdf5()) return;  // NumPy files know no step
  EXPECT_THAT(goban({"view", "out/count"}).out, ::testing::StartsWith("step 10, z = 2.5 m\n"));
}

TEST_F(RunCommand, LinesAndPlanesAreWrittenAndShown) {
  std::vector<std::string> words = {"run",
                                    "count.toml",
                                    "output.line.0.name=l",
                                    "output.line.0.from=1,1,1",
                                    "output.line.0.to=6,1,1",
                                    "output.line.0.points=3",
                                    "output.plane.0.name=p",
                                    "output.plane.0.axis=y",
                                    "output.plane.0.position=2.2"};
  const CommandResult result = goban(words);
  ASSERT_EQ(result.code, 0) << result.err;
  words.push_back("--dry-run");
  const std::string told = goban(words).out;
  EXPECT_THAT(told, HasSubstr("count from (1 m, 1 m, 1 m) to (6 m, 1 m, 1 m) as CSV"));
  EXPECT_THAT(told, HasSubstr("count at y = 2.2 m as "));
  EXPECT_EQ(read("out/count/count_line_l.0000010.csv"),
            "distance [m],x [m],y [m],z [m],count\n0,1,1,1,10\n2.5,3.5,1,1,10\n5,6,1,1,10\n");
  EXPECT_THAT(goban({"view", "out/count/count_line_l.0000010.csv"}).out,
              HasSubstr("distance [m]\n"));
  if (!have_hdf5()) return;
  const std::string plane = "out/count/count_plane_p.0000010.vtkhdf";
  EXPECT_THAT(goban({"view", plane}).out, ::testing::StartsWith("step 10, y = 2.2 m\n"));
  EXPECT_EQ(
      goban({"run", "count.toml", "output.plane.0.name=p", "output.plane.0.position=99"}).code, 2);
}

TEST_F(RunCommand, ViewRefusesWhatMeansNothingForWhatIsShown) {
  ASSERT_EQ(goban({"run", "count.toml", "output.snapshots.at_end=true"}).code, 0);
  const auto refusal = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "view");
    const CommandResult result = goban(arguments);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
    return result.err;
  };
  EXPECT_EQ(refusal({"out/count/count_series.csv", "--index", "1", "--out", "a.png"}),
            "goban: --index does not go with out/count/count_series.csv, a series (it takes "
            "--field, --range, --out); leave it out\n");
  for (const char* option : {"--axis", "--line"}) {
    EXPECT_THAT(refusal({"out/count/count_series.csv", option, "x"}), HasSubstr(option));
  }
  EXPECT_EQ(refusal({"out/count", "--line", "x", "--position", "1"}),
            "goban: --position 1 is refused (there are 2 axes to choose a place on); give as many "
            "values, with commas between them\n");
  EXPECT_THAT(refusal({"out/count", "--line", "x", "--index", "1,99"}),
              HasSubstr("along z there are "));
  EXPECT_THAT(refusal({"out/count", "--index", "1.5"}), HasSubstr("--index 1.5 is refused"));
  EXPECT_THAT(refusal({"out/count", "--magnitude"}), HasSubstr("count has one component"));
  for (const char* option : {"--smooth", "--axis=y", "--colors=thermal"}) {
    EXPECT_THAT(refusal({"out/count", "--line", "x", option}), HasSubstr("a line"));
  }
  EXPECT_THAT(refusal({"out/count", "--smooth"}), HasSubstr("a plane in the terminal"));
  for (const char* name : {"a.jpg", "out/count/summary.json", "a"}) {
    EXPECT_EQ(refusal({"out/count", "--out", name}),
              "goban: a picture " + std::string(name) +
                  " is refused (pictures are PNG, SVG or PDF files); choose a name that ends in "
                  ".png, .svg or .pdf\n");
  }
  EXPECT_EQ(summary("out/count/summary.json")["steps"], 10);
  EXPECT_FALSE(fs::exists("a.png"));
}

TEST_F(RunCommand, ViewTakesLengthsWithUnits) {
  ASSERT_EQ(goban({"run", "count.toml", "output.snapshots.at_end=true"}).code, 0);
  const auto shown = [](const std::string& position) {
    return goban({"view", "out/count", "--axis", "x", "--position", position});
  };
  EXPECT_THAT(shown("3.5").out, HasSubstr("step 10, x = 3.5 m\n"));
  EXPECT_THAT(shown("350 cm").out, HasSubstr("x = 3.5 m\n"));
  EXPECT_EQ(shown("3 s").code, 2);
  EXPECT_THAT(shown("3 s").err, HasSubstr("goban: --position 3 s is refused ("));
  EXPECT_EQ(shown("9").code, 2);
  const CommandResult picture = goban(
      {"view", "out/count", "--field", "count", "--axis", "y", "--smooth", "--out", "slice.png"});
  EXPECT_EQ(picture.code, 0) << picture.err;
  EXPECT_EQ(goban({"view", "out/count", "--line", "x", "--range", "0,20"}).code, 0);
  const CommandResult line =
      goban({"view", "out/count", "--line", "y", "--position", "250 cm,0.5 m"});
  EXPECT_THAT(line.out, HasSubstr("step 10, along y at x = 2.5 m, z = 500 mm\n")) << line.err;
  EXPECT_THAT(line.out, HasSubstr(" y [m]\n"));
  EXPECT_THAT(goban({"view", "out/count/count_series.csv"}).out, HasSubstr("time [s]\n"));
}

TEST_F(RunCommand, CheckpointsAreListedAndVerified) {
  ASSERT_EQ(goban({"run", "count.toml"}).code, 0);
  EXPECT_THAT(goban({"checkpoint", "list", "out/count"}).out, HasSubstr("0000008: step 8, time 8"));
  EXPECT_EQ(goban({"checkpoint", "verify", "out/count"}).code, 0);
  for (const auto& entry : fs::directory_iterator("out/count/chk/0000008")) {
    if (entry.path().extension() != ".bin") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('x');
  }
  const CommandResult damaged = goban({"checkpoint", "verify", "out/count"});
  EXPECT_EQ(damaged.code, 4);
  EXPECT_THAT(damaged.out, HasSubstr("0000008: damaged, "));
  EXPECT_THAT(damaged.out, HasSubstr("0000010: good, "));
  EXPECT_EQ(goban({"checkpoint", "verify", "out/count/chk/0000008"}).code, 7);
}

TEST_F(RunCommand, FoldersMayHaveAnyName) {
  const mode_t before = ::umask(0077);
  for (const std::string& name :
       {std::string("two words"), std::string("Größe 数 \xF0\x9F\x99\x82"),
        std::string(250, 'x') + "/" + std::string(200, 'y'),
        std::string("-n 'quoted' \"$HOME\"; # %s\\"), std::string("a\nb")}) {
    const std::string out = "out/" + name;
    ASSERT_EQ(goban({"run", "count.toml", "--out", out}).code, 0) << name;
    ASSERT_EQ(goban({"run", "count.toml", "time.steps=15", "--out", out, "--restart"}).code, 0)
        << name;
    EXPECT_EQ(summary(out + "/summary.json")["restarted_from"], 10);
    EXPECT_EQ(summary(out + "/summary.json")["results"]["count"], 15);
    EXPECT_EQ(goban({"checkpoint", "verify", out}).code, 0) << name;
  }
  ::umask(before);
}

TEST_F(RunCommand, ViewFindsFilesWhileARunRemovesOthers) {
  ASSERT_EQ(goban({"run", "count.toml", "output.snapshots.at_end=true"}).code, 0);
  std::atomic<bool> goes_on = true;
  std::thread changes([&] {
    for (int n = 0; goes_on; n = (n + 1) % 7) {
      const fs::path folder = "out/count/chk/000010" + std::to_string(n) + ".partial";
      fs::create_directories(folder);
      write(folder / "a.csv", "step\n");
      fs::remove_all(folder);
    }
  });
  for (int look = 0; look < test::in_short_or_long(60, 2000); ++look) {
    const CommandResult result = goban({"view", "out/count"});
    EXPECT_EQ(result.code, 0) << result.err;
  }
  goes_on = false;
  changes.join();
}

TEST_F(RunCommand, ASolutionThatBlowsUpAtTheEndIsNotDone) {
  const CommandResult result = goban({"run", "count.toml", "physics.amount=1e38",
                                      "checkpoint.every=1000", "checkpoint.at_end=false"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_THAT(read("out/count/STATUS"), HasSubstr("failed: field 'count' holds NaN or infinity"));
}

TEST_F(RunCommand, AnApplicationInPlaceOfACaseIsSaidToBeOne) {
  EXPECT_EQ(goban({"run", "counting"}).err,
            "goban: cannot read case file counting (that is the name of an application, whose keys "
            "goban describe counting lists); name a case file, such as one of cases/counting\n");
}

TEST_F(RunCommand, DescribeTellsKeysAndWhatACaseWillDo) {
  const CommandResult keys = goban({"describe", "counting"});
  EXPECT_EQ(keys.code, 0);
  EXPECT_THAT(keys.out, HasSubstr("counting: every cell counts the steps\n"));
  EXPECT_THAT(keys.out, HasSubstr("added every step"));
  EXPECT_THAT(keys.out, HasSubstr("\n  count              -         of steps\n"));
  const CommandResult sections = goban({"describe", "counting", "grid", "output.picture"});
  EXPECT_EQ(sections.code, 0) << sections.err;
  EXPECT_THAT(sections.out, HasSubstr("[grid] "));
  EXPECT_THAT(sections.out, HasSubstr("[[output.picture]] "));
  EXPECT_THAT(sections.out, HasSubstr("\n  mask "));
  for (const char* other : {"[time]", "[[output.probe]]", "fields that outputs", "added every"}) {
    EXPECT_THAT(sections.out, ::testing::Not(HasSubstr(other)));
  }
  EXPECT_THAT(goban({"describe", "counting", "output"}).out, HasSubstr("[[output.probe]]"));
  EXPECT_THAT(goban({"describe", "counting", "gird"}).err, HasSubstr("did you mean grid?"));
  const CommandResult plan = goban({"describe", "count.toml"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("Count"));
  EXPECT_THAT(plan.out, HasSubstr("fields that outputs can show: count\n"));
  const CommandResult kernels = goban({"describe", "count.toml", "--kernels"});
  EXPECT_EQ(kernels.code, 0) << kernels.err;
  EXPECT_THAT(kernels.out, HasSubstr("// Count: "));
  EXPECT_THAT(kernels.out, HasSubstr("count(0, 0, 0);\n"));
  EXPECT_EQ(goban({"describe", "counting", "--kernels"}).code, 2);
  EXPECT_FALSE(fs::exists("out"));
}

TEST_F(RunCommand, NewWritesAProjectOnce) {
  const CommandResult result = goban({"new", "heat_wave"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* file : {"CMakeLists.txt", "README.md", "src/heat_wave.hpp", "src/heat_wave.cpp",
                           "cases/heat_wave.toml", "tests/heat_wave_test.cpp"}) {
    const std::string text = read("heat_wave/" + std::string(file));
    EXPECT_NE(text, "") << file;
    EXPECT_EQ(text.find("Spread"), std::string::npos) << file;
    EXPECT_EQ(text.find("spread_"), std::string::npos) << file;
  }
  EXPECT_THAT(read("heat_wave/src/heat_wave.cpp"), HasSubstr("class HeatWaveApplication "));
  EXPECT_EQ(goban({"new", "heat_wave"}).code, 4);
  EXPECT_THAT(result.out, HasSubstr("cmake --install build/release --prefix DIR"));
  EXPECT_THAT(result.out, HasSubstr("-DCMAKE_PREFIX_PATH=DIR"));
  EXPECT_THAT(read("heat_wave/README.md"), HasSubstr("-DCMAKE_PREFIX_PATH=DIR"));
  EXPECT_EQ(goban({"new", "Heat"}).code, 2);
  for (const char* name : {"test", "all", "install", "help", "clean", "package", "goban"}) {
    EXPECT_EQ(goban({"new", name}).err, "goban: an application cannot be called " +
                                            std::string(name) +
                                            " (CMake has a target of that name); choose another "
                                            "name\n");
    EXPECT_FALSE(fs::exists(name));
  }
  for (const char* name : {"int", "class", "co_await", "alignas", "xor_eq"}) {
    EXPECT_THAT(goban({"new", name}).err, HasSubstr("C++ has a keyword like it"));
    EXPECT_FALSE(fs::exists(name));
  }
  EXPECT_EQ(goban({"new", "../heat"}).code, 2);
}

TEST_F(RunCommand, NewSaysWhyItCannotWrite) {
  const fs::path here = fs::current_path();
  fs::current_path("/proc");  // nobody makes folders there
  const CommandResult result = goban({"new", "wave"});
  fs::current_path(here);
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.err.rfind("goban: cannot make folder wave", 0), 0u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("(No such file or directory)"));
}

TEST_F(RunCommand, HelpOfAProgramOfOnesOwnShowsItsOwnNames) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"--help"},
                                                  {"run", "--help"},
                                                  {"describe", "--help"},
                                                  {"view", "--help"},
                                                  {"checkpoint", "--help"}}) {
    std::vector<std::string> arguments = {"build/counting"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    std::ostringstream out, err;
    EXPECT_EQ(command_line(arguments, testing::counting(), out, err), 0);
    const std::string text = out.str();
    EXPECT_EQ(text.find("hotspot"), std::string::npos) << text;
    EXPECT_EQ(text.find("  goban "), std::string::npos) << text;
    EXPECT_NE(text.find("  counting "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace goban::cli::run_test
