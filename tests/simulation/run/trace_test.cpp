// The trace that a run leaves, however it ends.

#include <signal.h>

#include <fstream>
#include <set>
#include <utility>

#include "goban/backend/timeline.hpp"
#include "tests/error_text.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::trace_test {
namespace {

using Json = nlohmann::json;

class RunTraces : public SmallRuns {
 protected:
  SmallRunOptions options(Backend backend = Backend::cpu) const {
    SmallRunOptions wanted;
    wanted.directory = root_ / "run";
    wanted.settings.backend = backend;
    wanted.settings.cuts = {"", "", "4,5"};
    wanted.settings.delay_microseconds = 10;
    wanted.settings.steps_per_exchange = 1;
    wanted.settings.temporal_blocking = 0;
    wanted.settings.trace = file().string();
    return wanted;
  }
  fs::path file() const { return root_ / "trace.json"; }
  Json trace() const { return Json::parse(content_of(file())); }

  /// Names of the events of one kind.
  static std::set<std::string> names(const Json& trace, const std::string& kind) {
    std::set<std::string> found;
    for (const Json& event : trace["traceEvents"]) {
      if (event.value("cat", "") == kind) found.insert(event["name"]);
    }
    return found;
  }
  static Index last_step(const Json& trace) {
    Index last = -1;
    for (const Json& event : trace["traceEvents"]) {
      if (event.value("cat", "") == "sweep") last = std::max<Index>(last, event["args"]["step"]);
    }
    return last;
  }
};

TEST_F(RunTraces, HoldEveryKindOfEventInOrder) {
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    SmallRun(options(backend)).simulation().run();
    const Json trace = this->trace();
    EXPECT_EQ(names(trace, "sweep"), (std::set<std::string>{"Simmer", "Square"}));
    EXPECT_EQ(names(trace, "copy"), std::set<std::string>{"copy"});
    EXPECT_EQ(names(trace, "checkpoint"), std::set<std::string>{"checkpoint"});
    EXPECT_GE(names(trace, "output").size(), 5u);
    EXPECT_EQ(names(trace, "wait").size(), backend == Backend::emulated ? 2u : 0u);
    EXPECT_EQ(last_step(trace), 20) << "what is derived for the last output";
    EXPECT_EQ(trace["otherData"]["left_out"], 0);
    std::map<int, std::pair<double, double>> latest;  // begin and end by row
    for (const Json& event : trace["traceEvents"]) {
      if (event["ph"] != "X") continue;
      const double begin = event["ts"], end = begin + event["dur"].get<double>();
      auto& [earlier_begin, earlier_end] = latest[event["tid"]];
      constexpr double rounding = 0.002;  // microseconds
      const bool is_inside = end <= earlier_end + rounding;
      const bool is_host = event["pid"] == 10;
      EXPECT_GE(begin, earlier_begin);
      EXPECT_TRUE(begin >= earlier_end - rounding || (is_host && is_inside)) << event;
      if (!is_inside) std::tie(earlier_begin, earlier_end) = std::pair{begin, end};
    }
    fs::remove(file());
    fs::remove_all(root_ / "run");
  }
}

TEST_F(RunTraces, AreLeftByRunsThatAreStopped) {
  SmallRun run(options());
  run.simulation().on(at_steps({5}), [](const Clock&) { ::raise(SIGTERM); });
  EXPECT_EQ(run.simulation().run(), RunStatus::stopped);
  EXPECT_GE(last_step(trace()), 5);
  EXPECT_LE(last_step(trace()), 6);
}

TEST_F(RunTraces, AreLeftByRunsThatBlowUp) {
  SmallRun run(options());
  run.simulation().options().nan_check = 6;
  run.simulation().on(at_steps({5}), [&](const Clock&) {
    run.u().set({1, 2, 3}, std::numeric_limits<float>::quiet_NaN());
  });
  EXPECT_THROW(run.simulation().run(), Error);
  EXPECT_GE(last_step(trace()), 5);
}

TEST_F(RunTraces, AreNotWrittenTwice) {
  {
    SmallRun run(options(Backend::emulated));
    run.simulation().run();
    EXPECT_TRUE(fs::remove(file()));
  }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(RunTraces, AreAskedForOnCommandLinesAndInTheEnvironment) {
  const std::string option = "--goban-trace=" + file().string();
  std::string program = "program", argument = option;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  int count = 2;
  {
    Runtime runtime(count, arguments);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(runtime.settings().trace, file().string());
    EXPECT_NE(runtime.timeline(), nullptr);
  }
  EXPECT_FALSE(fs::exists(file())) << "nothing ran";
  std::ofstream(root_ / "file") << "no folder";
  ::setenv("GOBAN_TRACE", (root_ / "file/trace.json").c_str(), 1);
  EXPECT_EQ(test::code_of([&] { const Runtime runtime(count, arguments); }), ExitCode::files)
      << "it was accepted";
  ::unsetenv("GOBAN_TRACE");
  Runtime runtime(count, arguments);
  EXPECT_EQ(runtime.timeline(), nullptr);
}

}  // namespace
}  // namespace goban::trace_test
