#include "goban/grid/box.hpp"

namespace goban {

std::vector<Box> difference(const Box& outer, const Box& inner) {
  if (outer.empty()) return {};
  Box core = intersection(outer, inner);
  if (core.empty()) return {outer};
  std::vector<Box> pieces;
  Box rest = outer;
  for (int axis = 2; axis >= 0; --axis) {
    Box low = rest, high = rest;
    low.upper[axis] = core.lower[axis];
    high.lower[axis] = core.upper[axis];
    if (!low.empty()) pieces.push_back(low);
    if (!high.empty()) pieces.push_back(high);
    rest.lower[axis] = core.lower[axis];
    rest.upper[axis] = core.upper[axis];
  }
  return pieces;
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (int a = 0; a < 3; ++a) {
    if (a > 0) text += " x ";
    text += std::to_string(box.lower[a]) + ":" + std::to_string(box.upper[a]);
  }
  return text + "]";
}

}  // namespace goban
