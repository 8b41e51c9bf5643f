#include "goban/io/case/names.hpp"

#include <gtest/gtest.h>

namespace goban::names_test {
namespace {

TEST(CaseNames, DistanceCountsSlips) {
  EXPECT_EQ(edit_distance("steps", "steps"), 0u);
  EXPECT_EQ(edit_distance("steps", "stpes"), 1u);   // swap
  EXPECT_EQ(edit_distance("steps", "step"), 1u);    // missing
  EXPECT_EQ(edit_distance("steps", "stepss"), 1u);  // doubled
  EXPECT_EQ(edit_distance("steps", "stops"), 1u);   // wrong
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("Steps-A", "steps_a"), 0u);
}

TEST(CaseNames, DistanceIsSymmetric) {
  const std::vector<std::string> words = {"",      "a",     "spacing", "pacings",
                                          "cells", "clels", "origin"};
  for (const auto& a : words) {
    for (const auto& b : words)
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
  }
}

TEST(CaseNames, FarNamesAreNotSuggested) {
  EXPECT_EQ(nearest_name("zebra", {"cells", "origin"}), "");
  EXPECT_EQ(nearest_name("orgin", {"cells", "origin"}), "origin");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(did_you_mean(""), "");
}

TEST(CaseNames, RightWordInTheWrongSectionIsNear) {
  EXPECT_EQ(nearest_key("grid.steps", {"grid.cells", "time.steps"}), "time.steps");
  EXPECT_EQ(nearest_key("steps", {"grid.cells", "time.steps"}), "time.steps");
  // The same section wins over another with an equally near word.
  EXPECT_EQ(nearest_key("output.at", {"probe.at", "output.att"}), "output.att");
}

}  // namespace
}  // namespace goban::names_test
