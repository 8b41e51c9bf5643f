#pragma once
// Where an opening lies.

#include <array>

namespace goban::blood {

/// The disc of an opening, in m, and how long a cell is.
template <class Real>
struct Disc {
  std::array<Real, 3> center{}, normal{};  ///< the normal points out of the fluid
  Real radius{};
  Real spacing{};
};

}  // namespace goban::blood
