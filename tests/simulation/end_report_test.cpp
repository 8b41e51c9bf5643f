// What a run says when it is over.

#include "goban/simulation/end_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace goban {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EndReport, ShowsResultsThatFitOnALine) {
  const nlohmann::ordered_json results = {{"drag_coefficient", 5.579535233},
                                          {"converged", true},
                                          {"tensor", {{2.0392583, 0.0}, {0.0, 2.0392583}}},
                                          {"profile", std::vector<double>(10, 1.0)},
                                          {"parts", {{"upper", 1}}}};
  const std::string text = end_report({}, {}, {}, results);
  EXPECT_THAT(text, HasSubstr("result      drag_coefficient 5.57954\n"));
  EXPECT_THAT(text, HasSubstr("converged true\n"));
  EXPECT_THAT(text, HasSubstr("tensor [[2.03926, 0], [0, 2.03926]]\n"));
  EXPECT_THAT(text, Not(HasSubstr("profile")));
  EXPECT_THAT(text, Not(HasSubstr("parts")));
}

}  // namespace
}  // namespace goban
