#include "goban/io/file/array_view.hpp"

#include <fmt/format.h>
#include <cmath>

#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "goban/base/error.hpp"

namespace goban {

double ArrayView::at(Index i, Index j, Index k, int component) const {
  const Index offset =
      i * strides[0] + j * strides[1] + k * strides[2] + component * component_stride;
  return visit_element(type, [&](auto element) -> double {
    using T = decltype(element);
    const T value = static_cast<const T*>(data)[offset];
    return static_cast<double>(static_cast<ArithmeticOf<T>>(value));
  });
}

ArrayView dense_view(ElementType type, Index3 extents, int components, const void* data,
                     std::string name) {
  return {.type = type,
          .extents = extents,
          .components = components,
          .data = data,
          .strides = {1, extents[0], extents[0] * extents[1]},
          .component_stride = product(extents),
          .name = std::move(name)};
}

namespace {

const void* advanced(const ArrayView& view, Index elements) {
  return static_cast<const std::byte*>(view.data) +
         elements * static_cast<Index>(size_of(view.type));
}

}  // namespace

ArrayView box_of(const ArrayView& view, Index3 low, Index3 extents) {
  ArrayView box = view;
  box.extents = extents;
  box.data = advanced(
      view, low[0] * view.strides[0] + low[1] * view.strides[1] + low[2] * view.strides[2]);
  return box;
}

ArrayView plane_of(const ArrayView& view, Axis normal, Index index) {
  Index3 low = {0, 0, 0};
  Index3 extents = view.extents;
  low[index_of(normal)] = index;
  extents[index_of(normal)] = 1;
  return box_of(view, low, extents);
}

ArrayView component_of(const ArrayView& view, int component) {
  ArrayView scalar = view;
  scalar.data = advanced(view, component * view.component_stride);
  scalar.components = 1;
  return scalar;
}

Index byte_count(ElementType type, Index3 extents, int components) {
  Index count = static_cast<Index>(size_of(type));
  bool fits = components > 0 && !__builtin_mul_overflow(count, Index{components}, &count);
  for (const Index extent : extents)
    fits = fits && extent > 0 && !__builtin_mul_overflow(count, extent, &count);
  require(fits, fmt::format("no array has {} cells of {} components", text_of(extents), components),
          "each count must be positive and their product below 2^63 bytes");
  return count;
}

Array::Array(ElementType type_, Index3 extents_, int components_, std::string name_)
    : type(type_),
      extents(extents_),
      components(components_),
      bytes(static_cast<std::size_t>(byte_count(type_, extents_, components_))),
      name(std::move(name_)) {}

ArrayView Array::view() const { return dense_view(type, extents, components, bytes.data(), name); }

double Array::at(Index i, Index j, Index k, int component) const {
  return view().at(i, j, k, component);
}

Array copy_of(const ArrayView& view) {
  Array copy(view.type, view.extents, view.components, view.name);
  const ArrayView layout = copy.view();
  copy_elements(view, {.type = view.type,
                       .data = copy.bytes.data(),
                       .strides = layout.strides,
                       .component_stride = layout.component_stride});
  return copy;
}

namespace {

template <class From, class To>
void copy_as(const ArrayView& from, const Destination& to) {
  for (Index k = 0; k < from.extents[2]; ++k)
    for (Index j = 0; j < from.extents[1]; ++j)
      for (int c = 0; c < from.components; ++c) {
        const From* in = static_cast<const From*>(from.data) + k * from.strides[2] +
                         j * from.strides[1] + c * from.component_stride;
        To* out = static_cast<To*>(to.data) + k * to.strides[2] + j * to.strides[1] +
                  c * to.component_stride;
        if (std::is_same_v<From, To> && from.strides[0] == 1 && to.strides[0] == 1) {
          std::memcpy(out, in, static_cast<std::size_t>(from.extents[0]) * sizeof(To));
        } else {
          for (Index i = 0; i < from.extents[0]; ++i)
            out[i * to.strides[0]] = static_cast<To>(in[i * from.strides[0]]);
        }
      }
}

}  // namespace

void copy_elements(const ArrayView& from, const Destination& to) {
  if (from.type == ElementType::half && to.type == ElementType::float32)
    return copy_as<half, float>(from, to);
  if (from.type != to.type) throw std::logic_error("copy_elements: types differ");
  visit_element(from.type,
                [&](auto element) { copy_as<decltype(element), decltype(element)>(from, to); });
}

std::string text_of(Index3 extents) {
  return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
}

Array magnitude_of(const Array& values) {
  Array length(ElementType::float64, values.extents, 1, values.name);
  const auto out = length.as<double>();
  visit_element(values.type, [&]<class T>(T) {
    const auto all = values.as<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(values.components); ++c) {
        const auto x = static_cast<double>(static_cast<ArithmeticOf<T>>(all[c * out.size() + i]));
        sum += x * x;
      }
      out[i] = std::sqrt(sum);
    }
  });
  return length;
}

}  // namespace goban
