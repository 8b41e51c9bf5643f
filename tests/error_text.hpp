#pragma once
// What an Error says, as one comparable line.

#include <gtest/gtest.h>

#include <string>

#include "goban/base/error.hpp"

namespace goban::test {

/// what() of the Error that f throws; empty if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Its code; done if it throws none.
template <class F>
ExitCode code_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::done;
}

/// What it says, if it throws one of this code; empty if it throws none.
template <class F>
std::string refusal(ExitCode code, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return {};
}

}  // namespace goban::test
