#pragma once
// Where the direct solver of Poisson's equation transforms.

#include <cstdint>

namespace goban {

/// Which library transforms. Results differ in their last bits.
enum class FourierTransforms : std::uint8_t {
  automatic,  ///< the device's where one GPU computes the whole grid, else the host's; a run that
              ///< goes on from a checkpoint keeps what it began with
  host,       ///< FFTW, on the host of the first rank
  device      ///< cuFFT, in the memory of the GPU that computes the whole grid
};

}  // namespace goban
