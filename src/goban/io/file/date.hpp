#pragma once
// Dates in files.

#include <string>

namespace goban {

/// Now, in UTC: "2025-01-31T23:59:59Z".
std::string date_text();

}  // namespace goban
