// Every mistake a user can make in a case file, with the message it gets: case_errors.txt holds
// blocks of
//   --- title
//   text of the case file
//   >>> override                  (any number)
//   ===
//   expected message; (...) stands for words of the TOML library
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"
#include "tests/io/case/example.hpp"

namespace goban::errors_test {
namespace {

struct BadCase {
  std::string title, text, expected;
  std::vector<std::string> overrides;
};

std::vector<BadCase> bad_cases() {
  std::ifstream in(std::string(GOBAN_SOURCE_DIR) + "/tests/io/case/errors.txt");
  std::vector<BadCase> all;
  bool message = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) {
      all.push_back({line.substr(4), "", "", {}});
      message = false;
    } else if (line == "===") {
      message = true;
    } else if (line.starts_with(">>> ") && !message) {
      all.back().overrides.push_back(line.substr(4));
    } else {
      (message ? all.back().expected : all.back().text) += line + "\n";
    }
  }
  return all;
}

std::string message_of(const BadCase& bad) {
  return test::refusal(
             ExitCode::usage,
             [&] { parse_case(test::example_schema(), bad.text, "case.toml", bad.overrides); }) +
         "\n";
}

/// `expected` with the text behind each (...) taken over from `actual`.
std::string filled(const std::string& expected, const std::string& actual) {
  std::istringstream wanted(expected), got(actual);
  std::string text, line, real;
  while (std::getline(wanted, line)) {
    std::getline(got, real);
    const auto gap = line.find("(...)");
    if (gap != std::string::npos && real.starts_with(line.substr(0, gap + 1)) &&
        real.ends_with(line.substr(gap + 4))) {
      line = real;
    }
    text += line + "\n";
  }
  return text;
}

TEST(CaseErrors, EveryMistakeGetsItsMessage) {
  const std::vector<BadCase> all = bad_cases();
  EXPECT_GE(all.size(), 150u);
  for (const BadCase& bad : all) {
    const std::string actual = message_of(bad);
    EXPECT_EQ(filled(bad.expected, actual), actual) << "--- " << bad.title;
  }
}

}  // namespace
}  // namespace goban::errors_test
