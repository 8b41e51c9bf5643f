#include "goban/performance/machine/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::machine_file_test {
namespace {

using testing::HasSubstr;

const std::string least = R"(format = 7
[device]
name = "one"
kind = "cpu"
single_precision = 1e9
double_precision = 1e9
integer = 1e9
memory_bandwidth = 1e10
)";

std::string refusal_of(const std::string& text) {
  return test::error_of([&] { parse_machine(text, "here.toml"); });
}

TEST(MachineFiles, ShippedOnesAreRead) {
  ASSERT_GE(shipped_machines().size(), 4u);
  for (const MachineText& shipped : shipped_machines()) {
    const MachineRates machine = machine_named(shipped.name);
    EXPECT_FALSE(machine.source.empty()) << shipped.name;
    EXPECT_TRUE(machine.network.is_slow()) << shipped.name;
  }
  const MachineRates tsubame = machine_named("tsubame2");
  EXPECT_EQ(tsubame.devices_per_node, 3);
  EXPECT_EQ(tsubame.device.name, "NVIDIA Tesla M2050");
  EXPECT_DOUBLE_EQ(tsubame.network.latency, 7.47e-6);
}

TEST(MachineFiles, SayWhatCachesHold) {
  EXPECT_TRUE(machine_named("h200").device.caches_planes);
  const MachineRates tsubame = machine_named("tsubame2");
  EXPECT_FALSE(tsubame.device.caches_planes);
  EXPECT_FALSE(parse_machine(machine_text(tsubame), "again").device.caches_planes);
  EXPECT_THAT(refusal_of(least + "caches_planes = 1\n"), HasSubstr("neither true nor false"));
}

TEST(MachineFiles, WhatIsWrittenIsReadAgain) {
  for (const MachineText& shipped : shipped_machines()) {
    const MachineRates machine = parse_machine(shipped.text, shipped.name);
    const std::string text = machine_text(machine);
    EXPECT_EQ(machine_text(parse_machine(text, "again")), text);
    EXPECT_THAT(text, HasSubstr("# bytes a second, read and written"));
  }
}

TEST(MachineFiles, MeasuredSweepsAreReadAgain) {
  MachineRates machine = parse_machine(least, "x");
  EXPECT_TRUE(machine.device.deviations.empty());
  machine.device.deviations = {{{4096, 32768, 6, 2, 4, 0.25, 1}, 1.25},
                               {{1e6, 8e6, 6, 2, 8, 0.125, 4}, 0.75}};
  EXPECT_THAT(machine_text(machine), HasSubstr("share of instructions"));
  const MachineRates again = parse_machine(machine_text(machine), "again");
  ASSERT_EQ(again.device.deviations.size(), 2u);
  EXPECT_EQ(again.device.deviations[0].of.working_set, 32768);
  EXPECT_EQ(again.device.deviations[1].of.steps, 4);
  EXPECT_EQ(again.device.deviations[1].of.share, 0.125);
  EXPECT_EQ(again.device.deviations[0].ratio, 1.25);
}

TEST(MachineFiles, ABandwidthIsThatOfTheFirstLevelWithRoom) {
  const MachineRates machine = parse_machine(least + "caches = [[1e6, 4e10], [1e7, 2e10]]\n", "x");
  EXPECT_EQ(machine.device.bandwidth(1e6), 4e10);
  EXPECT_EQ(machine.device.bandwidth(1.1e6), 2e10);
  EXPECT_EQ(machine.device.bandwidth(1e8), 1e10);
  const DeviceRates four = times_threads(machine.device, 4);
  EXPECT_EQ(four.bandwidth(4e6), 16e10);
  EXPECT_EQ(four.rate(Arithmetic::integer), 4e9);
}

TEST(MachineFiles, WrongOnesAreRefusedWithTheReason) {
  EXPECT_THAT(refusal_of(""), HasSubstr("machine file here.toml is refused (format is not 7)"));
  EXPECT_THAT(refusal_of("format = 2\n"), HasSubstr("format is not 7"));
  EXPECT_THAT(refusal_of("format = 7\n[device"), HasSubstr("line 2"));
  EXPECT_THAT(refusal_of(least + "speed = 3\n"), HasSubstr("device.speed is not known"));
  EXPECT_THAT(refusal_of(least + "launch = \"soon\"\n"), HasSubstr("device.launch is no number"));
  EXPECT_THAT(refusal_of(least + "launch = -1\n"), HasSubstr("device.launch is negative"));
  EXPECT_THAT(refusal_of(least + "caches = [[1e6]]\n"), HasSubstr("no pairs"));
  EXPECT_THAT(refusal_of(least + "caches = [[1e6, 0]]\n"), HasSubstr("not positive"));
  for (const char* line : {"launch = nan", "watts = inf", "gather = nan", "caches = [[nan, 1e9]]",
                           "caches = [[1e6, inf]]"}) {
    EXPECT_THAT(refusal_of(least + line + "\n"), HasSubstr("is not finite")) << line;
  }
  EXPECT_THAT(refusal_of(least + "gather = -1.0\n"), HasSubstr("device.gather is neg"));
  EXPECT_THAT(refusal_of(least + "deviations = 3\n"), HasSubstr("device.deviations is no list"));
  EXPECT_THAT(refusal_of(least + "deviations = [[1.0, 2.0]]\n"), HasSubstr("no lists of 8"));
  EXPECT_THAT(refusal_of(least + "deviations = [[1e3, 8e3, 6.0, 2.0, 4.0, 0.5, 1.0, 0.0]]\n"),
              HasSubstr("device.deviations holds a number that is not positive"));
  EXPECT_THAT(refusal_of("devices_per_node = 4294967296\n" + least),
              HasSubstr("devices_per_node is no whole number from 1 to 1000000"));
  EXPECT_THAT(refusal_of(least + "[link.peer]\nlatency = 1e-6\n"),
              HasSubstr("link.peer.bandwidth is missing"));
  EXPECT_THAT(refusal_of(least + "[link.pear]\nlatency = 1e-6\n"),
              HasSubstr("link.pear is not known"));
  EXPECT_THAT(refusal_of("format = 7\n[device]\nkind = \"tpu\"\n"), HasSubstr("device.kind"));
  EXPECT_EQ(refusal_of(least), "");
  EXPECT_THAT(test::error_of([] { machine_named("no-such-machine"); }),
              HasSubstr("there is no machine no-such-machine (it is neither a file nor one of"));
}

}  // namespace
}  // namespace goban::machine_file_test
