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

}  // namespace
}  // namespace goban::settings_test
