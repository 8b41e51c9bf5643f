#pragma once
// The tables of docs/limits.md, of which every row is tried.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace goban::test {

enum class LimitsOf : std::uint8_t { all_devices, gpus };

/// The first cells of the rows of the table below a heading, those that speak of GPUs or the
/// others.
inline std::set<std::string> rows_of(const std::string& heading, LimitsOf which) {
  std::ifstream file(GOBAN_SOURCE_DIR "/docs/limits.md");
  std::set<std::string> rows;
  bool is_here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) is_here = line == "## " + heading;
    if (!is_here || line.rfind("| ", 0) != 0 || line.rfind("| | ", 0) == 0) continue;
    if (line.rfind("| ---", 0) == 0) continue;
    const std::string row = line.substr(2, line.find(" |", 2) - 2);
    const bool is_of_gpus = row.find("GPUs") != std::string::npos;
    if (is_of_gpus == (which == LimitsOf::gpus)) rows.insert(row);
  }
  return rows;
}

/// A row, and the refusal in one line of what it speaks of.
struct LimitCase {
  std::string row;
  std::function<std::string()> refusal;
};

/// Every row has a case and every case its row.
inline void expect_refusals(const std::string& heading, LimitsOf which,
                            const std::vector<LimitCase>& cases) {
  std::set<std::string> named;
  for (const LimitCase& one : cases) {
    named.insert(one.row);
    EXPECT_NE(one.refusal(), "") << one.row;
  }
  EXPECT_EQ(rows_of(heading, which), named);
}

}  // namespace goban::test
