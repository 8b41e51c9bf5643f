#pragma once
// Places in the grid of a case, and images as large as it.

#include <memory>
#include <string>

#include "goban/base/named.hpp"
#include "goban/io/case_file.hpp"
#include "goban/io/image_source.hpp"

namespace goban {

inline constexpr Named<Axis> axis_names[] = {{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}};

/// Where the grid of a case lies.
struct GridPlace {
  explicit GridPlace(const Case& values);

  Index3 cells;
  Real3 spacing, lower, upper;

  Real3 middle() const;
  /// Its upper ends belong to it.
  bool contains(Real3 position) const;
};

/// The file of a key of paths, as large as the grid; null where none is named. Error (files).
std::shared_ptr<ImageSource> image_of(const Case& values, const std::string& key,
                                      std::optional<ElementType> type = {});

/// Error (usage) where the table of a `shape` lacks a key that this shape needs.
void require_key(const Case& row, const std::string& key, const std::string& example);

}  // namespace goban
