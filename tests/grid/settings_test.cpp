#include "goban/grid/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::settings_test {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Settings chosen(const std::string& devices) {
  Settings settings;
  choose_devices(settings, devices);
  return settings;
}

TEST(Devices, OneKindIsTheBackend) {
  EXPECT_EQ(chosen("cpu").backend, Backend::cpu);
  EXPECT_EQ(chosen("cuda").backend, Backend::cuda);
  EXPECT_THAT(chosen("cuda").devices, IsEmpty());
  EXPECT_THAT(chosen("cuda:2,0").devices, ElementsAre(2, 0));
  EXPECT_EQ(chosen("emulated:0,1").backend, Backend::emulated);
  EXPECT_FALSE(is_mixed(chosen("cuda:0,1")));
}

TEST(Devices, TheCpuMayStandAnywhereBesideOthers) {
  EXPECT_THAT(chosen("cuda+cpu").devices, ElementsAre(every_device, cpu_device));
  EXPECT_THAT(chosen("cpu+cuda:1+cpu").devices, ElementsAre(cpu_device, 1, cpu_device));
  EXPECT_THAT(chosen("cuda:0+cpu+cuda:1").devices, ElementsAre(0, cpu_device, 1));
  EXPECT_EQ(chosen("cpu+cuda").backend, Backend::cuda);
  EXPECT_TRUE(is_mixed(chosen("cpu+emulated:0")));
}

TEST(Devices, AnEmulatedBackendStaysWhereTheCpuIsNamed) {
  Settings settings;
  settings.backend = Backend::emulated;
  choose_devices(settings, "cpu");
  EXPECT_EQ(settings.backend, Backend::emulated);
}

TEST(Devices, NonsenseIsRefusedInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gpu", "there is no such kind of device"},       {"cuda:", "devices are numbered 0, 1, ..."},
      {"cuda:0;1", "numbers are separated by commas"},  {"cuda:0,0", "device 0 is named twice"},
      {"cuda:0+cuda:0", "device 0 is named twice"},     {"cuda+cuda:0", "devices are named twice"},
      {"cuda+cuda", "devices are named twice"},         {"cpu+cpu", "there is one CPU"},
      {"cuda+", "there is no such kind of device"},     {"", "there is no such kind of device"},
      {"cuda+emulated:0", "GPUs are there or emulated"}};
  for (const auto& [devices, why] : cases) {
    EXPECT_THAT(error_of([&, name = devices] { chosen(name); }), HasSubstr(why)) << devices;
  }
}

TEST(Settings, LinksHaveADelayAndABandwidth) {
  EXPECT_DOUBLE_EQ(link_named("50us,1GB/s").latency, 50e-6);
  EXPECT_DOUBLE_EQ(link_named("50us,1GB/s").bytes_per_second, 1e9);
  EXPECT_DOUBLE_EQ(link_named("1.5ms,200MB/s").latency, 1.5e-3);
  EXPECT_DOUBLE_EQ(link_named("0s,12.5kB/s").bytes_per_second, 12500);
  EXPECT_TRUE(std::isinf(link_named("20ns").bytes_per_second));
  EXPECT_TRUE(link_named("0s,1GB/s").is_slow());
  EXPECT_TRUE(link_named("20ns").is_slow());
  EXPECT_FALSE(link_named("off").is_slow());
}

TEST(Settings, OtherLinksAreRefused) {
  for (const char* text :
       {"", "50", "50us,", "50us,1", "50us,1GB", ",1GB/s", "us,1GB/s", "-1us,1GB/s", "nan us",
        "1us,-1GB/s", "60s", "1us,0GB/s", "1us 1GB/s", "1us,1GB/s,2"}) {
    EXPECT_EQ(error_of([&] { link_named(text); }),
              std::string("link '") + text +
                  "' is refused (a delay of up to 10 s and the bytes per second are expected); "
                  "write 50us,1GB/s");
  }
}

}  // namespace
}  // namespace goban::settings_test
