#include "goban/backend/cpu/window.hpp"

#include <numeric>

namespace goban::cpu {
namespace {

constexpr Index alignment = 128, slack = 64, page = 4096;  // bytes

Index left_pad(const WindowShape& shape) {
  const auto size = static_cast<Index>(size_of(shape.type));
  return round_up(-shape.low * size + slack, alignment) / size;
}

Index row_pitch(const WindowShape& shape) {
  const auto size = static_cast<Index>(size_of(shape.type));
  return round_up((left_pad(shape) + shape.high) * size + slack, alignment) / size;
}

}  // namespace

Window::Window(const WindowShape& shape)
    : shape_(shape), left_(left_pad(shape)), pitch_(row_pitch(shape)) {
  const auto size = static_cast<Index>(size_of(shape.type));
  // The ring must be whole pages long, yet planes must not start at the same place of a page: their
  // lines would share cache sets.
  const Index grain = page / std::gcd(shape.planes, page / alignment);
  const Index bytes = round_up(pitch_ * shape.rows * size * shape.components + grain, page) - grain;
  plane_ = bytes / size;
  memory_ = MirroredMemory(bytes * shape.planes);
}

Index Window::bytes_per_row(const WindowShape& shape) {
  return row_pitch(shape) * static_cast<Index>(size_of(shape.type)) * shape.components *
         shape.planes;
}

FieldBinding Window::bind(Index lowest_plane) const {
  const auto size = static_cast<Index>(size_of(shape_.type));
  const auto [fast, middle, slow] = shape_.order;
  // All planes lie in the memory and its mirror only if the lowest starts in the memory itself: the
  // skew may be larger than a plane.
  const Index ring = lowest_plane - round_down(lowest_plane, shape_.planes);
  const Index start = (ring * plane_ * size + shape_.skew) % memory_.size();
  const Index element = left_ - first_row_ * pitch_ - lowest_plane * plane_;
  FieldBinding binding;
  // The origin may lie outside the window; only addresses inside are formed by its users.
  binding.write = reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(memory_.data()) +
                                               start + element * size);
  binding.read = binding.write;
  binding.stride[static_cast<std::size_t>(fast)] = 1;
  binding.stride[static_cast<std::size_t>(middle)] = pitch_;
  binding.stride[static_cast<std::size_t>(slow)] = plane_;
  binding.component_stride = pitch_ * shape_.rows;
  return binding;
}

}  // namespace goban::cpu
