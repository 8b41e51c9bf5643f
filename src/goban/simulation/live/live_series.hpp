#pragma once
// Rows of numbers that a page draws as curves.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Keeps at most `most_rows` rows: where there are more, every other is given up, and of those that
/// follow likewise.
class LiveSeries {
 public:
  static constexpr std::size_t most_rows = 4000;

  /// Name and unit of each column; the first is what the others are drawn over.
  LiveSeries(std::string name, std::vector<std::pair<std::string, std::string>> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  void add(std::span<const double> row);

  /// What a reader has seen.
  struct Place {
    std::uint64_t edition = 0;
    std::size_t rows = 0;
  };
  bool has_news(const Place& place) const {
    return place.edition != edition_ || place.rows < row_count();
  }
  /// JSON: the rows that the reader has not seen; all where some that it has are gone.
  std::string news(Place& place) const;
  /// Readers of `earlier` read this from the beginning.
  void follow(const LiveSeries& earlier) { edition_ = earlier.edition_ + 1; }
  std::size_t row_count() const { return values_.size() / columns_.size(); }

 private:
  void thin();

  std::string name_;
  std::vector<std::pair<std::string, std::string>> columns_;
  std::vector<double> values_;
  std::uint64_t edition_ = 1;
  std::uint64_t stride_ = 1, seen_ = 0;  ///< one row of `stride_` is kept
};

}  // namespace goban
