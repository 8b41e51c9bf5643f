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
