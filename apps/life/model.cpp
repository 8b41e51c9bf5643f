#include "life/model.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"

namespace goban::life {
namespace {

std::vector<Index3> box(Index nx, Index ny, Index nz) {
  std::vector<Index3> cells;
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) cells.push_back({x, y, z});
    }
  }
  return cells;
}

const std::map<std::string, std::vector<Index3>>& patterns() {
  static const std::map<std::string, std::vector<Index3>> all = {
      {"plus", {{1, 1, 1}, {0, 1, 1}, {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}}},
      {"plus2d", {{1, 1, 0}, {0, 1, 0}, {2, 1, 0}, {1, 0, 0}, {1, 2, 0}}},
      {"plate", box(3, 3, 1)},
      {"cube", box(2, 2, 2)},
      {"cube3", box(3, 3, 3)},
      {"tromino", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
      {"block", box(2, 2, 1)},
      // Period 2, found by random search.
      {"oscillator2",
       {{0, 1, 1},
        {0, 1, 2},
        {0, 2, 1},
        {0, 2, 2},
        {1, 0, 0},
        {1, 0, 1},
        {1, 1, 0},
        {1, 1, 2},
        {1, 2, 1},
        {1, 2, 2},
        {2, 0, 0},
        {2, 0, 1},
        {2, 1, 0},
        {2, 1, 1}}}};
  return all;
}

}  // namespace

std::uint32_t counts_between(int low, int high) {
  std::uint32_t counts = 0;
  for (int n = low; n <= high; ++n) counts |= std::uint32_t{1} << n;
  return counts;
}

CountRange range_of(std::uint32_t counts) {
  if (counts == 0) return {};
  return {std::countr_zero(counts), 31 - std::countl_zero(counts)};
}

bool Rule::is_of_ranges() const {
  auto has_no_gap = [](std::uint32_t counts) {
    const CountRange r = range_of(counts);
    return counts == counts_between(r.low, r.high);
  };
  return has_no_gap(survive) && has_no_gap(birth);
}

Rule bays_rule(const std::string& digits) {
  const bool has_four_digits =
      digits.size() == 4 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  require(has_four_digits, "rule \"" + digits + "\" is refused",
          "Bays' notation is four digits: survive from, to, birth from, to",
          "write for example \"2755\"");
  const int e_low = digits[0] - '0', e_high = digits[1] - '0';
  const int f_low = digits[2] - '0', f_high = digits[3] - '0';
  require(e_low <= e_high && f_low <= f_high, "rule \"" + digits + "\" is refused",
          "a range begins above its end");
  return {counts_between(e_low, e_high), counts_between(f_low, f_high)};
}

bool Model::is_alive(Index3 cell, Index3 extents) const {
  const Index at = cell[0] + extents[0] * (cell[1] + extents[1] * cell[2]);
  if (mix(static_cast<std::uint64_t>(at) + 1000003u * seed) % 100 < density) return true;
  return cells.contains(cell);
}

std::vector<Index3> pattern(const std::string& name) {
  const auto found = patterns().find(name);
  require(found != patterns().end(), "unknown pattern \"" + name + "\"");
  return found->second;
}

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, cells] : patterns()) all.push_back(name);
    return all;
  }();
  return names;
}

}  // namespace goban::life
