#include "goban/io/snapshot/hdf5/fletcher32.hpp"

#include <algorithm>

namespace goban::hdf5 {

std::uint32_t fletcher32(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t words_without_overflow = 360;
  std::uint32_t sum = 0, sum_of_sums = 0;
  const auto reduce = [](std::uint32_t s) { return (s & 0xffff) + (s >> 16); };
  for (std::size_t words = count / 2; words > 0;) {
    const std::size_t now = std::min(words, words_without_overflow);
    for (std::size_t i = 0; i < now; ++i, bytes += 2) {
      sum += static_cast<std::uint32_t>(bytes[0]) << 8 | static_cast<std::uint32_t>(bytes[1]);
      sum_of_sums += sum;
    }
    sum = reduce(sum);
    sum_of_sums = reduce(sum_of_sums);
    words -= now;
  }
  if (count % 2 != 0) {
    sum = reduce(sum + (static_cast<std::uint32_t>(*bytes) << 8));
    sum_of_sums = reduce(sum_of_sums + sum);
  }
  return reduce(sum_of_sums) << 16 | reduce(sum);
}

}  // namespace goban::hdf5
