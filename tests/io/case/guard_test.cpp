#include "goban/io/case/guard.hpp"

#include <gtest/gtest.h>

namespace goban::guard_test {
namespace {

std::string keys(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(CaseGuard, OrdinaryTextPasses) {
  EXPECT_FALSE(guard(""));
  EXPECT_FALSE(guard("# λ ∇² 🀄\nkey = \"日本\"\n"));
  EXPECT_FALSE(
      guard("path = \"../../../../../../../../../../../../../../../../../../../../../../\"\n"));
}

TEST(CaseGuard, KeysAreLimitedTo32Parts) {
  EXPECT_FALSE(guard(keys(32) + " = 1\n"));
  EXPECT_TRUE(guard(keys(33) + " = 1\n"));
  EXPECT_TRUE(guard("[" + keys(33) + "]\n"));
  EXPECT_TRUE(guard("x = { " + keys(33) + " = 1 }\n"));
  EXPECT_FALSE(guard("x = [" + std::string(50, '1') + ".5, 1.5, 1.5]\n"));
  EXPECT_FALSE(guard("# " + keys(100) + "\nx = '" + keys(100) + "'\n"));
  EXPECT_TRUE(guard("x = '''\n" + keys(9) + "'''\n" + keys(33) + " = 1\n"));
}

TEST(CaseGuard, LargestFileIsOneMebibyte) {
  EXPECT_FALSE(guard(std::string(largest_case_file, '#')));
  const auto refused = guard(std::string(largest_case_file + 1, '#'));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->problem, "the case file is too large");
}

TEST(CaseGuard, BadUtf8IsFoundWhereItIs) {
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xC1\x81", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xC3"}) {
    const auto refused = guard(std::string("a = 1\nλ = '") + bad + "'\n");
    ASSERT_TRUE(refused) << bad;
    EXPECT_EQ(refused->where, (TextPosition{2, 6}));
    EXPECT_EQ(refused->problem, "the case file is not UTF-8 text");
  }
}

TEST(CaseGuard, StatementsSpanOpenBracketsAndTexts) {
  const std::string text =
      "a = 1\n"
      "b = [1,\n"
      "  2]  # ]\n"
      "c = \"\"\"\n"
      "[\n"
      "\"\"\"\n"
      "[d]\n"
      "e = '['\n";
  EXPECT_EQ(statement_starts(text), (std::vector<int>{1, 2, 2, 4, 4, 4, 7, 8, 9}));
}

}  // namespace
}  // namespace goban::guard_test
