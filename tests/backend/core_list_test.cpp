#include "goban/backend/cpu/core_list.hpp"

#include <gtest/gtest.h>

namespace goban::core_list_test {
namespace {

using Cores = std::vector<int>;

TEST(CoreList, IsReadAsTheSystemWritesIt) {
  EXPECT_EQ(parse_core_list("0"), (Cores{0}));
  EXPECT_EQ(parse_core_list("0-3,8,10-11\n"), (Cores{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_core_list("5,7"), (Cores{5, 7}));
  EXPECT_EQ(parse_core_list(""), Cores{});
  EXPECT_EQ(parse_core_list("\n"), Cores{});
}

TEST(CoreList, EndsAtWhatIsNoNumber) {
  EXPECT_EQ(parse_core_list("none"), Cores{});
  EXPECT_EQ(parse_core_list("1,x,3"), (Cores{1}));
}

}  // namespace
}  // namespace goban::core_list_test
