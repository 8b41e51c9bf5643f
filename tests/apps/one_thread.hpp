#pragma once
// Settings of small runs.

#include "goban/grid/settings.hpp"

namespace goban {

inline Settings one_thread() {
  Settings settings;
  settings.threads = 1;
  return settings;
}

}  // namespace goban
