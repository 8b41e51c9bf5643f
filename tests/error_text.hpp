#pragma once
// What an Error says, as one comparable line.

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

}  // namespace goban::test
