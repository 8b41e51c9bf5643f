#pragma once
// Memory of fields, for others to work on where it lies.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/types.hpp"
#include "goban/grid/box.hpp"

namespace goban {

struct FieldRecord;

/// What others may do with a field's memory. Of one that they write ghosts are made anew before
/// they are read next.
enum class ViewAccess : std::uint8_t { read, write };

/// The values of one patch of a field in the memory where they are computed; ghosts and padding lie
/// between the rows. The memory stays while the view does, the values in it are those of the field
/// until an engine next runs a program on the field's grid.
struct MemoryView {
  static constexpr int host = -1;

  std::byte* data = nullptr;  ///< component 0 of the value at the lower corner of the box
  ElementType type = ElementType::float32;
  int components = 1;
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component_stride = 0;     ///< elements
  Box box;                        ///< global indices
  int gpu = host;                 ///< number of the GPU in whose memory they lie
  void* stream = nullptr;         ///< CUstream of that GPU that goban's sweeps are in
  std::shared_ptr<const void> memory{};
};

/// A field that is viewed, and why.
struct ViewedField {
  std::shared_ptr<FieldRecord> record;
  ViewAccess access = ViewAccess::read;
};

/// Gets views of the same patch of several fields, in their order.
using DeviceFunction = std::function<void(std::span<const MemoryView> views)>;

/// A MemoryView as C++ uses it; T is const where values are only read. On a CPU, or with GPUs that
/// are emulated, the host may read `at`.
template <class T>
struct DeviceView {
  T* data = nullptr;
  int components = 1;
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component_stride = 0;     ///< elements
  Box box;                        ///< global indices
  int gpu = MemoryView::host;
  void* stream = nullptr;  ///< a CUstream, null on a CPU
  std::shared_ptr<const void> memory{};

  DeviceView() = default;
  explicit DeviceView(const MemoryView& view)
      : data(reinterpret_cast<T*>(view.data)),
        components(view.components),
        stride(view.stride),
        component_stride(view.component_stride),
        box(view.box),
        gpu(view.gpu),
        stream(view.stream),
        memory(view.memory) {}

  T& at(Index3 index, int component = 0) const {
    const Index3 cell = index - box.lower;
    return data[cell[0] * stride[0] + cell[1] * stride[1] + cell[2] * stride[2] +
                component * component_stride];
  }
};

/// One of the views of this rank. Error (ExitCode::usage): there are not so many.
inline const MemoryView& view_of_patch(const std::vector<MemoryView>& views, int patch,
                                       const std::string& field) {
  require(patch >= 0 && patch < static_cast<int>(views.size()),
          "patch " + std::to_string(patch) + " of field '" + field + "' is refused",
          "this process has " + std::to_string(views.size()) + ", counted from 0");
  return views[static_cast<std::size_t>(patch)];
}

}  // namespace goban
