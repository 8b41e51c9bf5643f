// Random programs under random settings: checksums of all live fields, values of all reductions
// and the clock equal those of one patch on the reference backend.
//
//   GOBAN_FUZZ_CASES=10000 test_fuzz     as many cases as asked for; a default that takes seconds
//   GOBAN_FUZZ_SEED=17 test_fuzz         the one case of this seed, as printed by a failure, made
//                                        as small as it can be; with GOBAN_FUZZ_CASES the seeds
//                                        from there on
//   GOBAN_FUZZ_PASSES=1 test_fuzz        all on CPUs, several steps in a pass by up to nine threads

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <set>

#include "tests/fuzz/case.hpp"
#include "tests/fuzz/crash_report.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz::fuzz_test {
namespace {

constexpr std::uint64_t default_cases = 1200;
constexpr int shards = 4;  // run side by side by ctest
constexpr int most_failures = 5;

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Counts {
  int executions = 0, refusals = 0, failures = 0;
};

void compare(std::uint64_t seed, Counts& counts) {
  const Case drawn = draw_case(seed);
  const Outcome program = draw(drawn);
  announce(to_text(drawn, program, reference(drawn)));
  const Outcome expected = run(drawn, reference(drawn));
  Random random(seed, 0);
  const Index executions = random.between(1, 3);
  for (Index n = 0; n < executions; ++n) {
    const Execution execution = draw_execution(drawn, expected.reach, random);
    announce(to_text(drawn, program, execution));
    Outcome found;
    try {
      found = run(drawn, execution);
    } catch (const std::exception& error) {  // no refusal
      ++counts.failures;
      ADD_FAILURE() << error.what() << "\n  " << to_text(drawn, program, execution);
      return;
    }
    ++counts.executions;
    if (!found.refusal.empty()) ++counts.refusals;
    const std::string what = difference(drawn, execution, expected, found);
    if (what.empty()) continue;
    ++counts.failures;
    std::string text = what + "\n  " + to_text(drawn, found, execution);
    if (std::getenv("GOBAN_FUZZ_SEED")) {
      const auto [smaller, plainer] = shrink(drawn, execution);
      text += "\n  smaller: " + to_text(smaller, draw(smaller), plainer);
    }
    ADD_FAILURE() << text;
    return;
  }
}

class Fuzz : public testing::TestWithParam<int> {};

TEST_P(Fuzz, RandomProgramsHaveTheSameBitsUnderRandomSettings) {
  const bool is_one = std::getenv("GOBAN_FUZZ_SEED") != nullptr;
  const std::uint64_t first = environment("GOBAN_FUZZ_SEED", 1);
  const std::uint64_t cases = environment("GOBAN_FUZZ_CASES", is_one ? 1 : default_cases);
  Counts counts;
  for (std::uint64_t n = static_cast<std::uint64_t>(GetParam()); n < cases; n += shards) {
    compare(first + n, counts);
    if (counts.failures == most_failures) break;
  }
  // Settings that do not fit are drawn rarely: nearly all cases compare something.
  EXPECT_LE(counts.refusals * 20, counts.executions + 100);
  RecordProperty("executions", counts.executions);
  RecordProperty("refusals", counts.refusals);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Fuzz, testing::Range(0, shards));

TEST(FuzzDraws, EveryFamilyAndAtLeastFiftyOfThem) {
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= default_cases; ++seed) {
    for (const auto& [name, sweeps] : draw(draw_case(seed)).families) drawn[name] += sweeps;
  }
  std::set<std::string> known;
  for (const auto& families : {all_families(), reduction_families()}) {
    for (const Family& family : families) known.insert(family.name);
  }
  EXPECT_GE(known.size(), 50u);
  for (const std::string& name : known) EXPECT_GE(drawn[name], 5) << name;
}

TEST(FuzzDraws, TheSameSeedDrawsTheSameCase) {
  for (std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    const Case drawn = draw_case(seed);
    const auto text = [&] {
      Random random(seed, 0);
      const Outcome outcome = draw(drawn);
      return to_text(drawn, outcome, draw_execution(drawn, outcome.reach, random));
    };
    EXPECT_EQ(text(), text());
  }
}

}  // namespace
}  // namespace goban::fuzz::fuzz_test
