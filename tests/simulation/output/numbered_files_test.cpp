#include "goban/simulation/output/numbered_files.hpp"
#include "tests/scratch_folder.hpp"

#include <gtest/gtest.h>

namespace goban::numbered_files_test {
namespace {

namespace fs = std::filesystem;

TEST(NumberedFiles, KeepTheirOwnUpToAStepAndRemoveTheRest) {
  const test::ScratchFolder directory;
  const auto touch = [&](const std::string& name) { directory.store(name, "x"); };
  touch(numbered_name("heat_u", 0, ".png"));
  touch(numbered_name("heat_u", 100, ".png"));
  touch(numbered_name("heat_u", 12345678, ".png"));
  const std::vector<std::string> others{
      "heat_u.0000200.vtkhdf", "heat_uv.0000200.png", "heat_u.200.png", "heat_u.0000200x.png",
      "heat_u.0000200.u.png",  "heat_u.-000200.png",  "heat_u.png",     "heat_u.0000200.pn"};
  for (const std::string& other : others) touch(other);

  const auto kept = keep_numbered(directory.path(), "heat_u", {".png"}, 100);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].filename(), "heat_u.0000000.png");
  EXPECT_EQ(kept[1].filename(), "heat_u.0000100.png");
  EXPECT_FALSE(fs::exists(directory / "heat_u.12345678.png"));
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(directory / other)) << other;
}

}  // namespace
}  // namespace goban::numbered_files_test
