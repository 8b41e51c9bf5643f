#pragma once
// Lists of cells as devices read them.

#include <memory>

#include "goban/grid/cell_numbers.hpp"

namespace goban::cuda {

/// Numbers in the memory of the current device, where they stay as long as the list; null: the
/// cells lie one after the other.
struct ListOnDevice {
  const int* source = nullptr;
  const int* target = nullptr;
};
ListOnDevice on_device(const std::shared_ptr<const CellNumbers>& list);

}  // namespace goban::cuda
