#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "goban/simulation/application/common_keys.hpp"
#include "tests/cli/command_result.hpp"

namespace goban::cli::command_line_test {
namespace {

using testing::CommandResult;
using ::testing::ContainsRegex;
using testing::goban;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CommandLine, WithoutCommandHelpIsShown) {
  const CommandResult result = goban({});
  EXPECT_EQ(result.code, 0);
  for (const char* command : {"run", "apps", "describe", "view", "new", "bench", "doctor",
                              "checkpoint", "test", "Examples:", "Exit codes:"}) {
    EXPECT_THAT(result.out, HasSubstr(command));
  }
  EXPECT_EQ(goban({"--help"}).out, result.out);
}

TEST(CommandLine, VersionNamesCommitCompilerAndFeatures) {
  const CommandResult result = goban({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("goban "));
  for (const char* line : {"compiler", "built in"}) {
    EXPECT_THAT(result.out, HasSubstr(line));
  }
}

TEST(CommandLine, UnknownCommandSuggestsTheNearest) {
  const CommandResult result = goban({"rnu", "case.toml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("goban: unknown command rnu (the commands are run, apps, "));
  EXPECT_THAT(result.err, HasSubstr("did you mean run?\n"));
}

TEST(CommandLine, ApplicationsThatAreNotBuiltAreListedByTheirTitles) {
  setenv("GOBAN_MODULES", "/nowhere", 1);
  const CommandResult listed = goban({"apps"});
  unsetenv("GOBAN_MODULES");
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, ContainsRegex("seismic +elastic waves in rock \\(is built when a case "
                                        "first names it\\)\n"));
}

TEST(CommandLine, UnknownInnerCommandSuggestsTheNearest) {
  EXPECT_EQ(goban({"checkpoint", "verfy", "out"}).err,
            "goban: unknown command verfy (the commands are list, verify, repair, convert); did "
            "you mean verify?\n");
}

TEST(CommandLine, ForgottenRunIsNoticed) {
  EXPECT_EQ(goban({"cases/heat/hotspot.toml"}).err,
            "goban: unknown command cases/heat/hotspot.toml (it looks like a case file); did you "
            "mean goban run cases/heat/hotspot.toml?\n");
}

TEST(CommandLine, UnknownOptionSuggestsTheNearest) {
  const CommandResult result = goban({"run", "case.toml", "--dry-rnu"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "goban: unknown option --dry-rnu (goban run has no such option); did you mean "
            "--dry-run?\n");
  EXPECT_EQ(goban({"run", "case.toml", "--zebra=3"}).err,
            "goban: unknown option --zebra (goban run has no such option); see goban run --help\n");
  EXPECT_EQ(goban({"--verson"}).code, 2);
}

TEST(CommandLine, MissingAndSuperfluousArgumentsAreNamed) {
  EXPECT_EQ(goban({"describe"}).code, 2);
  EXPECT_THAT(goban({"describe"}).err, HasSubstr("see goban describe --help"));
  EXPECT_EQ(
      goban({"apps", "heat"}).err,
      "goban: goban apps does not take heat (one argument too many); see goban apps --help\n");
  EXPECT_EQ(goban({"run"}).code, 2);
}

TEST(CommandLine, TestsAreNotInTheProgram) {
  const CommandResult result = goban({"test"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("./goban test"));
}

TEST(CommandLine, OutputThatIsLostIsAnError) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"--help"}, {"apps"}, {"describe", "heat"}, {"run", "--help"}}) {
    std::vector<std::string> arguments = {"goban"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    std::ofstream full("/dev/full");
    std::ostringstream err;
    EXPECT_EQ(command_line(arguments, applications(), full, err), 4) << command[0];
    EXPECT_EQ(err.str(),
              "goban: cannot write to standard output (it takes no more); is it open, and is there "
              "space where it goes to?\n");
  }
}

TEST(CommandLine, EveryCommandHasHelp) {
  for (const char* command :
       {"run", "apps", "describe", "view", "new", "bench", "doctor", "checkpoint", "test"}) {
    const CommandResult result = goban({command, "--help"});
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Usage:")) << command;
    EXPECT_EQ(result.out.find("Exit codes:\n  0 done"), std::string::npos)
        << command << " repeats what the main page says";
  }
}

}  // namespace
}  // namespace goban::cli::command_line_test
