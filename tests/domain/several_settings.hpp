#pragma once
// The settings under which most of what a step computes is tried.

#include "tests/domain/same_bits.hpp"

namespace goban::test {

inline SettingsProduct several() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "6,7", "5,4"}, {"5,9", "", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {1, 2, 4};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 2};
  return product;
}

}  // namespace goban::test
