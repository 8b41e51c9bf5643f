#include "goban/io/case/print.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "goban/io/case/read.hpp"
#include "goban/io/case/text.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "tests/io/case/example.hpp"

namespace goban::print_test {
namespace {

using test::example_schema;

void expect_equal(const Case& a, const Case& b) {
  for (const CaseKey& key : a.schema().keys()) {
    if (key.type() == KeyType::tables) {
      ASSERT_EQ(a.list(key.name()).size(), b.list(key.name()).size()) << key.name();
      for (std::size_t i = 0; i < a.list(key.name()).size(); ++i) {
        expect_equal(a.list(key.name())[i], b.list(key.name())[i]);
      }
    } else {
      EXPECT_EQ(a.value(key.name()), b.value(key.name())) << key.name();
    }
  }
}

TEST(CasePrint, ResolvedCaseReadsBackEqual) {
  const Case values =
      parse_case(example_schema(),
                 "app = \"quote \\\" backslash \\\\ tab \\t newline \\n bell \\u0007 λ\"\n"
                 "[grid]\ncells = [4, 5, 6]\nspacing = [0.1, 1e-300, 12345678.0]\n"
                 "[time]\nend = 1e22\n"
                 "[physics]\nimage = \"folder/image.raw\"\n"
                 "[run]\npatches = [1, 2, 3]\n"
                 "[output.snapshots]\nfields = [\"T\", \"it's\"]\n"
                 "[[obstacle]]\nradius = 0.3\ncenter = [1, 2, 3]\n"
                 "[[obstacle]]\nname = \"ball\"\nradius = 2\ncenter = [-1, 0, 3]\n",
                 "case.toml");
  const std::string text = resolved_toml(values) + "\n[provenance]\nversion = \"1\"\n";
  const Case again = parse_case(example_schema(), text, "elsewhere/run.toml");
  expect_equal(values, again);
  EXPECT_EQ(resolved_toml(again), resolved_toml(values));
}

TEST(CasePrint, FilesThatACaseNamesAreKnown) {
  CaseSchema schema;
  schema.path("image", "");
  schema.path("none", "");
  schema.texts("power", std::vector<std::string>()).may_vary();
  schema.text("title", "");
  schema.tables("source", "sources").path("file", "");
  const Case values =
      parse_case(schema,
                 "image = \"a.raw\"\npower = [\"file(t, b.csv) + file(2 * t, c d.csv)"
                 "\"]\ntitle = \"file(t, x)\"\n[[source]]\nfile = \"/e.csv\"\n",
                 "/case/case.toml");
  using Files = std::vector<std::pair<std::string, std::filesystem::path>>;
  EXPECT_EQ(case_files(values), (Files{{"image", "/case/a.raw"},
                                       {"power", "/case/b.csv"},
                                       {"power", "/case/c d.csv"},
                                       {"source.0.file", "/e.csv"}}));
}

TEST(CasePrint, DefaultsStayDefaults) {
  const Case values = parse_case(example_schema(), "grid.cells = [4, 5, 6]\n", "case.toml");
  ASSERT_TRUE(values.has("grid.spacing"));
  const Case again = parse_case(example_schema(), resolved_toml(values), "case.toml");
  EXPECT_TRUE(again.given("grid.cells"));
  EXPECT_FALSE(again.given("grid.spacing"));
}

TEST(CasePrint, CommonSectionsReadBackEqual) {
  CaseSchema schema;
  declare_common(schema);
  const std::string text =
      "app = \"heat\"\ngrid.cells = [8, 8, 8]\n[[output.picture]]\nfield = \"T\"\nevery = 10\n";
  const Case values = parse_case(schema, text, "case.toml");
  expect_equal(values, parse_case(schema, resolved_toml(values), "case.toml"));
}

TEST(CasePrint, KeysCarryTheirDocumentation) {
  const std::string text =
      resolved_toml(parse_case(example_schema(), "grid.cells = [4, 5, 6]\n", "c.toml"));
  EXPECT_NE(text.find("# the board\n[grid]\n"
                      "# cells along x, y, z; a list of 3 integers, at least 1\n"
                      "cells = [4, 5, 6]\n"
                      "# edge lengths of a cell [m]; a list of 3 numbers, positive\n"
                      "# spacing = [1.0, 1.0, 1.0]  # default\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# simulated time to reach [s]; a number, positive\n# end = \n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# a body in the flow; one table for each\n# [[obstacle]]\n"),
            std::string::npos)
      << text;
}

TEST(CasePrint, TableOfKeysNamesEveryKey) {
  const CaseSchema schema = example_schema();
  const std::string table = key_table(schema);
  for (const CaseKey& key : schema.keys()) {
    EXPECT_NE(table.find(last_part_of(key.name())), std::string::npos) << key.name();
    EXPECT_NE(table.find(key.doc()), std::string::npos) << key.name();
  }
  EXPECT_NE(table.find("required"), std::string::npos);
}

TEST(CasePrint, RealsLookLikeReals) {
  EXPECT_EQ(toml_text(CaseValue(1.0)), "1.0");
  EXPECT_EQ(toml_text(CaseValue(1e22)), "1e+22");
  EXPECT_EQ(toml_text(CaseValue(-0.5)), "-0.5");
  EXPECT_EQ(toml_text(CaseValue(Index(5))), "5");
  EXPECT_EQ(plain_number(1.0), "1");
}

RC_GTEST_PROP(CasePrint, AnyNumbersAndTextsReadBackEqual, (const std::vector<int>& exponents)) {
  std::vector<double> numbers;
  for (const int exponent : exponents) {
    numbers.push_back(std::ldexp(*rc::gen::inRange(1, 1 << 30), exponent % 900));
  }
  std::string bytes = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  CaseSchema schema;
  schema.reals("a.numbers");
  schema.text("a.text");
  const std::string given =
      "a.numbers = " + toml_text(CaseValue(numbers)) + "\na.text = " + toml_text(CaseValue(bytes));
  const Case values = parse_case(schema, given, "case.toml");
  const Case again = parse_case(schema, resolved_toml(values), "case.toml");
  RC_ASSERT(again.reals("a.numbers") == numbers);
  RC_ASSERT(again.text("a.text") == bytes);
  RC_ASSERT(again.given("a.text"));
}

}  // namespace
}  // namespace goban::print_test
