#pragma once
// Says which case was running when the process crashed or hung.

#include <string>

namespace goban::fuzz {

/// Until the next call, a signal that ends the process prints this line first; so does a case that
/// takes longer than a minute.
void announce(const std::string& line);

}  // namespace goban::fuzz
