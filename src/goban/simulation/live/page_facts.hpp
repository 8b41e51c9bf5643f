#pragma once
// What a live page is told, as JSON.

#include <string>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/file/array_view.hpp"
#include "goban/simulation/live/live_board.hpp"

namespace goban {

struct PageField {
  std::string name;
  int components = 1;
  std::string unit;
  Index3 cells{1, 1, 1};
  Real3 origin{0, 0, 0}, spacing{1, 1, 1};
};

/// What is known of a run before it has begun.
struct PageFacts {
  std::string name = {}, app = {}, title = {}, directory = {}, host = {};
  int process = 0;
  std::string length_unit = {};
  std::string about = {};  ///< text of many lines
  std::vector<LiveOrder> orders = {};
  std::vector<PageField> fields = {};
};
std::string page_facts(const PageFacts& facts);

/// A plane, one component of it, as a browser draws it: means over blocks of cells where there are
/// more than 512 along a side.
struct PagePlane {
  Index step = 0;
  std::string time;       ///< "12 ms"; empty where it counts steps
  std::string component;  ///< "x", "magnitude"; empty where there is no other
  Axis normal = Axis::z;
  Index layer = 0;
};
LiveSlice page_slice(const ArrayView& plane, const PageField& field, const PagePlane& where,
                     const std::string& length_unit);

/// "x", "magnitude", "7"; empty where there is no other.
std::string component_text(int component, int components);

/// Numbers of a wish that there are, whatever a viewer sent.
SliceWish within(const SliceWish& wish, const PageField& field);

}  // namespace goban
