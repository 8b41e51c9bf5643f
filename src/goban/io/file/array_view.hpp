#pragma once
// Arrays as files know them: a type, extents, components and strides. No field, no grid.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// A read-only look at values somewhere in memory: element (i, j, k) of component c lies
/// i strides[0] + j strides[1] + k strides[2] + c component_stride elements behind `data`.
/// The owner of the memory must outlive the view.
struct ArrayView {
  ElementType type = ElementType::float32;
  Index3 extents = {0, 0, 0};
  int components = 1;
  const void* data = nullptr;
  Index3 strides = {0, 0, 0};
  Index component_stride = 0;
  std::string name;

  Index cells() const { return product(extents); }
  /// The value as a double; no bounds check.
  double at(Index i, Index j, Index k, int component = 0) const;
};

/// A view of values that lie with x fastest, component slowest.
ArrayView dense_view(ElementType type, Index3 extents, int components, const void* data,
                     std::string name = {});

/// A dense scalar array of T, x fastest.
template <class T>
ArrayView dense_view(const T* data, Index3 extents, std::string name = {}) {
  return dense_view(ElementTraits<T>::type, extents, 1, data, std::move(name));
}

/// The cells `low` <= index < `low + extents` of `view`.
ArrayView box_of(const ArrayView& view, Index3 low, Index3 extents);

/// The plane `index` of `view` normal to `normal`: the extent along `normal` becomes 1.
ArrayView plane_of(const ArrayView& view, Axis normal, Index index);

/// One component of `view` as a scalar array.
ArrayView component_of(const ArrayView& view, int component);

/// Bytes of a dense array; Error(usage) if an extent or the component count is not positive or the
/// product does not fit 63 bits.
Index byte_count(ElementType type, Index3 extents, int components);

/// Values that own their memory: dense, x fastest, component slowest.
struct Array {
  ElementType type = ElementType::float32;
  Index3 extents = {0, 0, 0};
  int components = 1;
  std::vector<std::byte> bytes;
  std::string name;

  Array() = default;
  /// Makes an array of zeros.
  Array(ElementType type, Index3 extents, int components = 1, std::string name = {});

  ArrayView view() const;
  Index cells() const { return product(extents); }
  double at(Index i, Index j, Index k, int component = 0) const;

  /// The elements as T, which must be the type stored.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A dense copy of `view`.
Array copy_of(const ArrayView& view);

/// The length of every cell's vector of components, as float64.
Array magnitude_of(const Array& values);

/// Where copied elements go: strides in elements, as in ArrayView.
struct Destination {
  ElementType type;
  void* data;
  Index3 strides;
  Index component_stride;
};

/// Copies every element of `from`. The types are equal, or half is widened to float32.
void copy_elements(const ArrayView& from, const Destination& to);

/// "100 x 100 x 50".
std::string text_of(Index3 extents);

}  // namespace goban
