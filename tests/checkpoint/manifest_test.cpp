#include "goban/checkpoint/manifest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"

namespace goban::manifest_test {
namespace {

Manifest example() {
  Manifest manifest;
  manifest.goban = "0.1.0 (abc)";
  manifest.saved = "2026-01-01T00:00:00Z";
  manifest.program = "diffusion \"two\"";
  manifest.cells = {3, 2, 1};
  manifest.spacing = {0.1, 1.0 / 3.0, 1e-300};
  manifest.seed = 0xffff'ffff'ffff'ffff;
  manifest.block_bytes = 1024;
  manifest.arrays.push_back({"u", "00_u.bin", ElementType::float32, {3, 2, 1}, 1, false, {42}});
  manifest.state.step = 100;
  manifest.state.time = 0.1 + 0.2;
  manifest.state.details = {{"parameters", {1, 2}}};
  return manifest;
}

bool is_refused(const std::string& text) {
  return !test::refusal(ExitCode::no_checkpoint, [&] { parse_manifest(text); }).empty();
}

constexpr std::size_t after_body = 13 + 16 + 4;  ///< characters: the hash and what is around it

/// A text whose body was changed by someone who knows about the hash.
std::string with_its_hash(std::string text) {
  const auto digits = text.size() - 4 - 16;
  return text.replace(digits, 16, hex_of(hash_of(text.substr(0, text.size() - after_body))));
}

/// The example with `from` changed to `to`.
std::string forged(const std::string& from, const std::string& to) {
  std::string text = text_of(example());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return with_its_hash(text.replace(at, from.size(), to));
}

TEST(Manifests, ComeBackToTheLastBit) {
  const Manifest before = example();
  const Manifest after = parse_manifest(text_of(before));
  EXPECT_EQ(after.program, before.program);
  EXPECT_EQ(after.spacing, before.spacing);
  EXPECT_EQ(after.seed, before.seed);
  EXPECT_EQ(after.state.time, before.state.time);
  EXPECT_EQ(after.state.details, before.state.details);
  ASSERT_EQ(after.arrays.size(), 1u);
  EXPECT_EQ(after.arrays[0].block_hashes, before.arrays[0].block_hashes);
  EXPECT_EQ(text_of(after), text_of(before));
}

TEST(Manifests, NoticeEveryFlippedBit) {
  const std::string text = text_of(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      ASSERT_TRUE(is_refused(damaged)) << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(Manifests, NoticeEveryCut) {
  const std::string text = text_of(example());
  for (std::size_t n = 0; n < text.size(); ++n) ASSERT_TRUE(is_refused(text.substr(0, n)));
  EXPECT_TRUE(is_refused(text + "\n"));
}

TEST(Manifests, RefuseWhatCannotBe) {
  EXPECT_FALSE(is_refused(forged("\"goban\": \"0.1.0", "\"goban\": \"0.0.9")));
  const std::string three = "\"extents\": [\n        3,\n        2,\n        1\n      ]";
  EXPECT_FALSE(is_refused(forged(three, "\"extents\": [3, 2, 1]")));
  for (const char* extents : {"[3, 2, 2]", "[549755813888, 549755813888, 4]", "[-3, -2, 1]",
                              "[0, 2, 1]", "[3, 2]", "[3, 2, 1e3]", "\"3, 2, 1\"", "null"}) {
    EXPECT_TRUE(is_refused(forged(three, std::string("\"extents\": ") + extents))) << extents;
  }
  EXPECT_TRUE(is_refused(forged("\"components\": 1", "\"components\": 0")));
  EXPECT_TRUE(is_refused(forged("\"components\": 1", "\"components\": 2147483647")));
  EXPECT_TRUE(is_refused(forged("\"00_u.bin\"", "\"../elsewhere.bin\"")));
  EXPECT_TRUE(is_refused(forged("\"00_u.bin\"", "\"\"")));
  EXPECT_TRUE(is_refused(forged("\"float32\"", "\"float128\"")));
  EXPECT_TRUE(is_refused(forged("\"000000000000002a\"", "\"2a\"")));
  EXPECT_TRUE(is_refused(forged("\"000000000000002a\"", "")));
  EXPECT_TRUE(is_refused(forged("\"block_bytes\": 1024", "\"block_bytes\": 0")));
  for (const char* version : {"3", "99.0", "1.0", "0", "-1", "\"1\"", "null", "[1]"}) {
    EXPECT_TRUE(is_refused(forged("\"version\": 1", std::string("\"version\": ") + version)))
        << version;
  }
  for (const char* goban : {"99.0 (abc)", "99.0.0", "0.2.0", "0.10.1"}) {
    EXPECT_TRUE(is_refused(forged("0.1.0 (abc)", goban))) << goban;
  }
  EXPECT_TRUE(is_refused(forged("\"little\"", "\"big\"")));
  EXPECT_TRUE(is_refused(forged("\"goban checkpoint\"", "\"something\"")));
  EXPECT_TRUE(is_refused(forged("\"step\": 100", "\"stop\": 100")));
}

TEST(Manifests, AreReadOrRefusedWhateverIsForged) {
  const std::string good = text_of(example());
  const std::vector<std::string> pieces = {"0", "-1", "1e300", "null", "\"\"", "[]", "{}",
                                           "[", "\"", ",",     "1.5",  "true", "\\", "\xff"};
  std::mt19937 random(test::fuzz_seed(27));
  const auto below = [&](std::size_t n) { return random() % n; };
  const int trials = test::fuzz_cases(test::in_short_or_long(3000, 300000));
  int read = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::string text = good;
    for (auto hits = 1 + below(3); hits > 0; --hits) {
      const std::size_t at = below(text.size() - after_body);
      const std::size_t most = text.size() - after_body - at;
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, std::min(most, 1 + below(12))); break;
        case 2: text.insert(at, pieces[below(pieces.size())]); break;
        default: {
          const auto number = text.find_first_of("0123456789", at);
          if (number < text.size() - after_body)
            text.replace(number, 1, pieces[below(pieces.size())]);
        }
      }
    }
    read += !is_refused(with_its_hash(text));
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, trials);
}

TEST(Manifests, RefuseListsThatLieTooDeep) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_TRUE(
      is_refused(forged("\"parameters\": [\n      1,\n      2\n    ]", "\"parameters\": " + deep)));
  EXPECT_TRUE(is_refused(forged("\"version\": 1", "\"version\": " + deep)));
}

/// Why the example does not fit a subject that differs from it by `change`.
template <class Change>
std::string misfit(Change&& change) {
  CheckpointSubject subject;
  const Manifest manifest = example();
  subject.program = manifest.program;
  subject.cells = manifest.cells;
  subject.spacing = manifest.spacing;
  subject.origin = manifest.origin;
  subject.seed = manifest.seed;
  subject.arrays.push_back({.name = "u", .extents = {3, 2, 1}});
  change(subject);
  return test::error_of([&] { check_fits(manifest, subject); });
}

TEST(Manifests, FitTheRunThatWroteThem) {
  EXPECT_EQ(misfit([](CheckpointSubject&) {}), "");
}

TEST(Manifests, SayWhatDiffers) {
  EXPECT_EQ(misfit([](auto& s) { s.cells[2] = 4; }),
            "its grid is 3 x 2 x 1 cells, this run has 3 x 2 x 4 cells");
  EXPECT_EQ(misfit([](auto& s) { s.program = "other"; }),
            "its program is 'diffusion \"two\"', this run has 'other'");
  EXPECT_EQ(misfit([](auto& s) { s.arrays[0].type = ElementType::float64; }),
            "its 'u' is float32 x 1 on 3 x 2 x 1, this run has float64 x 1 on 3 x 2 x 1");
  EXPECT_EQ(misfit([](auto& s) {
              s.arrays.push_back({.name = "v", .extents = {3, 2, 1}});
            }),
            "it has no field 'v'");
  EXPECT_EQ(misfit([](auto& s) { s.arrays.clear(); }), "its field 'u' is unknown to this run");
  EXPECT_EQ(misfit([](auto& s) {
              s.arrays.push_back({.name = "v", .extents = {3, 2, 1}, .optional = true});
            }),
            "");
}

}  // namespace
}  // namespace goban::manifest_test
