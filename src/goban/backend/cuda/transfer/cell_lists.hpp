#pragma once
// Brings lists of cells to devices.

#include <memory>

#include "goban/grid/cell_numbers.hpp"

namespace goban::cuda {

/// The cell numbers of a list in the memory of the current device, where they stay as long as the
/// list exists; null if the cells are consecutive.
struct ListOnDevice {
  const int* source = nullptr;
  const int* target = nullptr;
};
ListOnDevice on_device(const std::shared_ptr<const CellNumbers>& list);

}  // namespace goban::cuda
