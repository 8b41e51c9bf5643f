// Case files that were hit by random mutations: a case or one Error, never anything else.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "goban/io/case/print.hpp"
#include "goban/io/case/read.hpp"
#include "tests/io/case/example.hpp"
#include "tests/long.hpp"

namespace goban::fuzz_test {
namespace {

const int mutants = test::fuzz_cases(test::in_short_or_long(30000, 1000000));

/// The blocks of case_errors.txt, good starting points because each is nearly right.
std::vector<std::string> seeds() {
  std::ifstream in(std::string(GOBAN_SOURCE_DIR) + "/tests/io/case/errors.txt");
  std::vector<std::string> all;
  bool message = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) {
      all.emplace_back();
      message = false;
    } else if (line == "===") {
      message = true;
    } else if (!message && !line.starts_with(">>> ")) {
      all.back() += line + "\n";
    }
  }
  return all;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void mutate(std::string& text, const std::string& other) {
    static const std::vector<std::string> tokens = {"[",
                                                    "]",
                                                    "[[",
                                                    "]]",
                                                    "{",
                                                    "}",
                                                    "\"",
                                                    "'",
                                                    "\"\"\"",
                                                    "'''",
                                                    "=",
                                                    ".",
                                                    "\n",
                                                    "#",
                                                    "\\",
                                                    ",",
                                                    "inf",
                                                    "nan",
                                                    "1e9",
                                                    "0x",
                                                    "-",
                                                    "\\u",
                                                    "\xC3",
                                                    "λ",
                                                    "true",
                                                    "10:20:30",
                                                    "\t",
                                                    "\r",
                                                    "&",
                                                    " ",
                                                    "[&",
                                                    "1979-05-27",
                                                    "grid.cells = [1, 2, 3]\n",
                                                    "[[obstacle]]\n"};
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0: text.insert(at, tokens[below(tokens.size())]); break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, 1, static_cast<char>(below(256))); break;
      case 3: text.insert(at, text.substr(below(text.size()), below(40))); break;
      case 4: text.insert(at, other.substr(below(other.size()), below(60))); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

 private:
  std::mt19937 random_;
};

TEST(CaseFuzz, MutatedFilesAreReadOrRefused) {
  const CaseSchema schema = test::example_schema();
  const std::vector<std::string> starts = seeds();
  ASSERT_FALSE(starts.empty());
  const std::string good =
      resolved_toml(parse_case(schema, test::smallest_case, "case.toml",
                               {"obstacle.0.radius=1", "obstacle.0.center=1,2,3"}));
  Mutator mutator(test::fuzz_seed(20240229));
  int read = 0;
  for (int i = 0; i < mutants; ++i) {
    std::string text = i % 2 == 0 ? good : starts[mutator.below(starts.size())];
    const std::string& other = starts[mutator.below(starts.size())];
    for (std::size_t n = 1 + mutator.below(5); n > 0; --n) mutator.mutate(text, other);
    std::string override_text = starts[mutator.below(starts.size())];
    mutator.mutate(override_text, other);
    override_text = override_text.substr(0, override_text.find('\n'));
    try {
      const Case values = parse_case(
          schema, text, "case.toml",
          i % 4 == 0 ? std::vector<std::string>{override_text} : std::vector<std::string>{});
      EXPECT_NO_THROW(parse_case(schema, resolved_toml(values), "case.toml")) << text;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
  EXPECT_GT(read, mutants / 100);
}

}  // namespace
}  // namespace goban::fuzz_test
