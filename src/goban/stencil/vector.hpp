#pragma once
// N lanes of a number as one value, under packs: the compiler's vector types on the host, arrays in
// registers on devices. Both have the operators of numbers, lane by lane; comparisons give lanes of
// signed integers as wide, all bits set or none.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "goban/base/macros.hpp"

namespace goban::detail {

template <std::size_t Bytes>
using SignedOfSize = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t,
                       std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

}  // namespace goban::detail

#ifdef __CUDA_ARCH__
#include "goban/stencil/vector_device.hpp"
#else
#include "goban/stencil/vector_host.hpp"
#endif
