#pragma once
// How a program of several ranks ends when one of them fails.

#include <functional>
#include <string>

#include "goban/base/error.hpp"

namespace goban {

int report_failure(const Error& error, const std::function<void(const std::string& line)>& print);

}  // namespace goban
