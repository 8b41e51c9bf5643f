#pragma once
// Lossless compression of blocks: the bytes of all elements sorted by their place in the element,
// then zstd at its fastest level. The library is loaded when it is first needed.

#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Error (resources): there is no libzstd.
void require_compression();

/// Error (resources): there is no libzstd.
std::vector<std::byte> compressed(const std::byte* bytes, std::size_t count,
                                  std::size_t element_size);
/// Error (no_checkpoint): `stored` does not give `count` bytes; (resources): no libzstd.
std::vector<std::byte> decompressed(const std::vector<std::byte>& stored, std::size_t count,
                                    std::size_t element_size);

}  // namespace goban
