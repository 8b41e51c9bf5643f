#pragma once
// The memory of a field stored in place, on one patch: a ring per component, in which its cells
// move with every step.

#include <array>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/field/layout.hpp"

namespace goban {

/// Copies share the memory, each with places of its own.
class Rings {
 public:
  Rings(const FieldLayout& layout, Executor& owner);

  /// Local cell (0, 0, 0) of a component.
  std::byte* origin(int component) const;
  const std::shared_ptr<std::byte>& memory() const { return memory_.front(); }
  const std::shared_ptr<const ComponentPlaces>& places() const { return places_; }

  /// From now on a cell lies where `from`, of the same memory, has the cell so far away; an offset
  /// per component.
  void shift(const Rings& from, const FieldLayout& layout,
             const std::vector<std::array<int, 3>>& offsets);

 private:
  void find_places(Index moves);

  Index element_;                                   ///< bytes
  std::vector<std::shared_ptr<std::byte>> memory_;  ///< per component
  std::vector<Index> origin_;                       ///< per component: elements from its memory
  std::shared_ptr<const ComponentPlaces> places_;
};

}  // namespace goban
