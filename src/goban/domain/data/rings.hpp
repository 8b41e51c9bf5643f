#pragma once
// The memory of a field stored in place on one patch. Each component has a mirrored buffer (a
// ring), in which its cells move with every step.

#include <array>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/field/layout.hpp"

namespace goban {

/// Copies share the memory but have positions of their own.
class Rings {
 public:
  Rings(const FieldLayout& layout, Executor& owner);

  /// Returns the address of local cell (0, 0, 0) of a component.
  std::byte* origin(int component) const;
  const std::shared_ptr<std::byte>& memory() const { return memory_.front(); }
  const std::shared_ptr<const ComponentPlaces>& places() const { return places_; }

  /// Moves the cells in name: a cell lies from now on where `from`, which has the same memory, has
  /// the cell that is an offset away. There is one offset per component.
  void shift(const Rings& from, const FieldLayout& layout,
             const std::vector<std::array<int, 3>>& offsets);

 private:
  void find_places(Index moves);

  Index element_;                                   ///< bytes per element
  std::vector<std::shared_ptr<std::byte>> memory_;  ///< one ring per component
  /// Per component: elements from the start of its ring to local cell (0, 0, 0).
  std::vector<Index> origin_;
  std::shared_ptr<const ComponentPlaces> places_;
};

}  // namespace goban
