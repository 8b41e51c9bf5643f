#include "goban/io/file/trace_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/io/scratch.hpp"

namespace goban::trace_file_test {
namespace {

using Kind = Timeline::Kind;
using Row = Timeline::Row;

class TraceFile : public ScratchTest {
 protected:
  void add(Timeline::Bar bar, int begin, int end) {
    bar.begin = timeline_.start() + std::chrono::microseconds(begin);
    bar.end = timeline_.start() + std::chrono::microseconds(end);
    timeline_.admit();
    timeline_.add(bar);
  }
  nlohmann::json written() {
    write_trace(path("trace.json"), timeline_);
    return nlohmann::json::parse(content("trace.json"));
  }
  static std::vector<nlohmann::json> events(const nlohmann::json& trace, const std::string& phase) {
    std::vector<nlohmann::json> found;
    for (const auto& event : trace["traceEvents"]) {
      if (event["ph"] == phase) found.push_back(event);
    }
    return found;
  }

  Timeline timeline_{5};
};

TEST_F(TraceFile, OfNothingIsValid) {
  const auto trace = written();
  EXPECT_EQ(trace["traceEvents"], nlohmann::json::array());
  EXPECT_EQ(trace["otherData"]["events"], 0);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(TraceFile, HoldsEveryBarWithWhatItIsAbout) {
  const int device = timeline_.add_process("device \"0\"");
  timeline_.set_note("made up");
  add({.kind = Kind::pass,
       .process = device,
       .patch = 1,
       .step = 8,
       .steps = 4,
       .cells = 24,
       .box = {{0, -1, 0}, {1, 2, 8}},
       .name = "a \"stage\" \xff"},
      10, 25);
  add({.kind = Kind::output, .row = Row::host, .name = "series"}, 30, 31);
  const auto trace = written();
  const auto bars = events(trace, "X");
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_EQ(bars[0]["name"], "series") << "the host comes first";
  EXPECT_EQ(bars[1]["name"], "a \"stage\" \ufffd");
  EXPECT_EQ(bars[1]["cat"], "pass");
  EXPECT_EQ(bars[1]["ts"], 10.0);
  EXPECT_EQ(bars[1]["dur"], 15.0);
  EXPECT_EQ(bars[1]["args"], nlohmann::json::parse(R"({"step": 8, "steps": 4, "patch": 1,
      "cells": 24, "box": [[0, -1, 0], [1, 2, 8]]})"));
  EXPECT_NE(bars[0]["pid"], bars[1]["pid"]);
  EXPECT_EQ(trace["otherData"]["note"], "made up");
  bool is_named = false;
  for (const auto& event : events(trace, "M")) {
    if (event["name"] != "process_name" || event["pid"] != bars[1]["pid"]) continue;
    is_named = event["args"]["name"] == "device \"0\"";
  }
  EXPECT_TRUE(is_named);
}

TEST_F(TraceFile, IsInOrderAlongEachRowAndFromTheOutsideIn) {
  add({.row = Row::host, .name = "inner"}, 5, 6);
  add({.row = Row::host, .name = "outer"}, 5, 9);
  add({.row = Row::host, .name = "first"}, 1, 2);
  add({.row = Row::halo, .name = "other row"}, 7, 8);
  std::vector<std::string> names;
  for (const auto& event : events(written(), "X")) names.push_back(event["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"other row", "first", "outer", "inner"}));
}

TEST_F(TraceFile, SaysWhatIsLeftOut) {
  for (int i = 0; i < 5; ++i) add({.name = "kept"}, i, i + 1);
  EXPECT_FALSE(timeline_.admit());
  EXPECT_FALSE(timeline_.admit());
  const auto trace = written();
  EXPECT_EQ(trace["otherData"]["events"], 5);
  EXPECT_EQ(trace["otherData"]["left_out"], 2);
}

TEST_F(TraceFile, IsRefusedWhereItCannotBeWritten) {
  store("file", "x");
  EXPECT_EQ(refusal([&] { check_trace_file(path("file/trace.json")); }, ExitCode::files),
            "cannot create directory file (Not a directory); check the path");
  EXPECT_EQ(refusal([&] { check_trace_file(directory()); }, ExitCode::files).rfind("cannot", 0),
            0u);
  store("case.toml", "app = 'heat'\n");
  EXPECT_EQ(refusal([&] { check_trace_file(path("case.toml")); }, ExitCode::files),
            "cannot write case.toml (a file that goban has not written for this purpose would be "
            "lost); choose another name");
  EXPECT_EQ(content("case.toml"), "app = 'heat'\n");
  written();
  const std::string earlier = content("trace.json");
  check_trace_file(path("trace.json"));
  EXPECT_EQ(content("trace.json"), earlier);
  EXPECT_EQ(file_count(), 3u);
}

}  // namespace
}  // namespace goban::trace_file_test
