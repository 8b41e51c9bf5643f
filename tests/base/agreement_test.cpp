#include "goban/base/agreement.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <system_error>

namespace goban::agreement_test {
namespace {

template <class Thrown>
Error error_of(const Thrown& thrown) {
  return as_error(std::make_exception_ptr(thrown));
}

TEST(Agreement, SaysWhatTheSystemHasNot) {
  EXPECT_EQ(error_of(std::bad_alloc{}).code(), ExitCode::resources);
  const auto again = std::make_error_code(std::errc::resource_unavailable_try_again);
  const Error no_thread = error_of(std::system_error(again));
  EXPECT_EQ(no_thread.code(), ExitCode::resources);
  EXPECT_STREQ(no_thread.what(),
               "a thread cannot be started (Resource temporarily unavailable); raise the limits of "
               "processes and memory (ulimit -u, ulimit -v), or use fewer threads");
  const auto denied = std::make_error_code(std::errc::permission_denied);
  const Error no_file = error_of(std::filesystem::filesystem_error("stat", "there", denied));
  EXPECT_EQ(no_file.code(), ExitCode::files);
  EXPECT_STREQ(no_file.what(), "cannot use there (Permission denied)");
}

TEST(Agreement, LeavesOtherExceptionsAsTheyAre) {
  EXPECT_EQ(error_of(Error(ExitCode::files, "lost")).code(), ExitCode::files);
  const auto denied = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(error_of(std::system_error(denied)).code(), ExitCode{1});
  EXPECT_STREQ(error_of(std::runtime_error("of a user")).what(), "of a user");
}

}  // namespace
}  // namespace goban::agreement_test
