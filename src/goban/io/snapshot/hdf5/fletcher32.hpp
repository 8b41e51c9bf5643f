#pragma once
// The checksum that HDF5's filter of this name puts behind every chunk.

#include <cstddef>
#include <cstdint>

namespace goban::hdf5 {

/// Of 16-bit words, the first byte of each being the high one; a last odd byte counts as high one.
std::uint32_t fletcher32(const std::byte* bytes, std::size_t count);

}  // namespace goban::hdf5
