#include "goban/base/error.hpp"

#include <gtest/gtest.h>

namespace goban::error_test {
namespace {

TEST(Error, IsProblemThenWhyThenSuggestionOnOneLine) {
  const Error error(ExitCode::files, "cannot write out.png", "no space left", "free 3 MB");
  EXPECT_STREQ(error.what(), "cannot write out.png (no space left); free 3 MB");
  EXPECT_EQ(error.code(), ExitCode::files);
}

TEST(Error, LeavesOutPartsThatAreEmpty) {
  EXPECT_STREQ(Error(ExitCode::usage, "no such key").what(), "no such key");
  EXPECT_STREQ(Error(ExitCode::usage, "no such key", "line 3").what(), "no such key (line 3)");
  EXPECT_STREQ(Error(ExitCode::usage, "no such key", "", "did you mean cells?").what(),
               "no such key; did you mean cells?");
}

TEST(Error, RepeatsTheEndsOfWhatIsTooLong) {
  std::string letters;
  for (int n = 0; n < 50000; ++n) letters += "\xc3\xa4";
  const std::string what =
      Error(ExitCode::usage, "unknown key " + letters, letters, "see it").what();
  EXPECT_LT(what.size(), 5000u);
  EXPECT_EQ(what.substr(0, 14), "unknown key \xc3\xa4");
  EXPECT_NE(what.find("\xc3\xa4 ... \xc3\xa4"), std::string::npos);
  EXPECT_TRUE(what.ends_with("\xc3\xa4); see it"));
  std::string lines;  // of a hundred mistakes
  for (int n = 0; n < 100; ++n) lines += "case.toml: a mistake of which there are many\n";
  EXPECT_EQ(Error(ExitCode::usage, lines).what(), lines);
}

TEST(Error, IsCaughtAsAStandardException) {
  EXPECT_THROW(throw Error(ExitCode::resources, "out of memory"), std::runtime_error);
}

TEST(Require, ThrowsAUsageErrorOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require(true, "never seen"));
  try {
    require(false, "cells must be positive", "cells.x = -1", "give at least 1");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(), "cells must be positive (cells.x = -1); give at least 1");
  }
}

TEST(ExitCode, HasTheDocumentedValues) {
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::resources), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::files), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::diverged), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::peer_lost), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::no_checkpoint), 7);
  EXPECT_EQ(static_cast<int>(ExitCode::resubmit), 75);
}

}  // namespace
}  // namespace goban::error_test
