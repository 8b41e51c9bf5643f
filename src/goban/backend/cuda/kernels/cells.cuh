#pragma once
// Where fields lie.

#include "arguments.cuh"
#include "memory.cuh"

// Which has packs.
#include "goban/backend/kernels/site.hpp"

namespace goban::device {

/// Component 0 of a field there.
template <class S>
GOBAN_DEVICE S* cell_of(const FieldView& f, const unsigned char* memory, const Place& at) {
  return const_cast<S*>(reinterpret_cast<const S*>(memory)) + at.fast +
         at.middle * static_cast<Index>(f.middle) + at.slow * f.slow;
}
/// The same where there are fewer than 2^31 elements up to it: half as many instructions.
template <class S>
GOBAN_DEVICE S* near_cell_of(const FieldView& f, const unsigned char* memory, const Place& at) {
  return const_cast<S*>(reinterpret_cast<const S*>(memory)) +
         (at.fast + at.middle * f.middle + at.slow * static_cast<int>(f.slow));
}

/// Components of cells by their numbers in the row; where these are negative, another one of the
/// cells at hand, of which `first` is the first.
template <class S, int N>
GOBAN_DEVICE Pack<Arithmetic<S>, N> gather(const S* row, Index component, Index at_wall, int first,
                                           const Pack<int32, N>& numbers) {
  Pack<Arithmetic<S>, N> values;
  unroll<N>([&](auto i) {
    const int32 number = numbers[i];
    const S* const cell = number < 0 ? row + at_wall + (first + i) : row + component + number;
    values.set(i, load_constant<1>(cell)[0]);
  });
  return values;
}

}  // namespace goban::device
