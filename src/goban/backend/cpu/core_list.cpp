#include "goban/backend/cpu/core_list.hpp"

#include <sstream>

namespace goban {

std::vector<int> parse_core_list(const std::string& text) {
  std::vector<int> cores;
  std::istringstream stream(text);
  int first = 0;
  while (stream >> first) {
    int last = first;
    if (stream.peek() == '-' && !(stream.ignore() >> last)) break;
    for (int core = first; core <= last; ++core) cores.push_back(core);
    stream.ignore();
  }
  return cores;
}

}  // namespace goban
