// Sweeps on GPUs, however they are launched.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::launches_test {
namespace {

/// On a grid that is large enough to try, odd along every axis.
std::uint64_t checksum_after_steps(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {133, 67, 41}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Program step("step");
  step.apply(test::Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(3, clock);
  return u.checksum();
}

std::string text_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Launches, EveryWayHasTheSameBitsAndWhatWasTriedIsKept) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  const test::ScratchFolder folder;
  const std::filesystem::path cache = folder / "launches.json";
  setenv("GOBAN_LAUNCH_CACHE", cache.c_str(), 1);
  const std::uint64_t expected = checksum_after_steps(test::plainest());
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.steps_per_exchange = 1;
  settings.temporal_blocking = 0;
  for (const char* way : {"preset", "1x1", "1x1 64x4x1 planes", "1x2 32x4x1 slabs",
                          "2x4 32x8x1 slabs", "2x4 256x1x1 planes", "march"}) {
    settings.launches = way;
    EXPECT_EQ(checksum_after_steps(settings), expected) << way;
  }
  EXPECT_FALSE(std::filesystem::exists(cache));
  settings.launches = "tuned";
  EXPECT_EQ(checksum_after_steps(settings), expected);
  const std::string kept = text_in(cache);
  EXPECT_NE(kept.find("on 133x67x41 cells of 8 bytes"), std::string::npos) << kept;
  // What is known is neither tried nor written again.
  std::filesystem::last_write_time(cache, std::filesystem::file_time_type{});
  EXPECT_EQ(checksum_after_steps(settings), expected);
  EXPECT_EQ(std::filesystem::last_write_time(cache), std::filesystem::file_time_type{});
  settings.launches = "anew";
  EXPECT_EQ(checksum_after_steps(settings), expected);
  EXPECT_NE(std::filesystem::last_write_time(cache), std::filesystem::file_time_type{});
  unsetenv("GOBAN_LAUNCH_CACHE");
  std::filesystem::remove(cache);
}

}  // namespace
}  // namespace goban::launches_test
