#include "goban/checkpoint/erasure/code.hpp"

#include <fmt/format.h>

#include <utility>

#include "goban/base/error.hpp"
#include "goban/checkpoint/erasure/galois.hpp"

namespace goban {

ErasureCode::ErasureCode(int data, int parity) : data_(data), parity_(parity) {
  require(data >= 1 && parity >= 1 && data + parity <= most_rows,
          fmt::format("a code of {} + {} is refused", data, parity),
          fmt::format("it takes 1 of each and {} in all at most", most_rows));
}

std::vector<std::uint8_t> ErasureCode::from_data(int row) const {
  std::vector<std::uint8_t> factors(static_cast<std::size_t>(data_), 0);
  for (int d = 0; d < data_; ++d) {
    const auto sum = static_cast<std::uint8_t>((data_ + row) ^ d);
    factors[static_cast<std::size_t>(d)] =
        row < parity_ ? galois::inverse(sum) : static_cast<std::uint8_t>(row - parity_ == d);
  }
  return factors;
}

std::vector<std::uint8_t> ErasureCode::factors(const std::vector<int>& rows, int wanted) const {
  const auto n = static_cast<std::size_t>(data_);
  const std::vector<std::uint8_t> of_data = from_data(wanted);
  bool are_data = true;
  std::vector<std::uint8_t> matrix;  // the rows as sums of those of data
  for (std::size_t i = 0; i < n; ++i) {
    are_data &= rows[i] == parity_ + static_cast<int>(i);
    const auto row = from_data(rows[i]);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  if (are_data) return of_data;
  const auto data = galois::inverse(std::move(matrix), n);
  std::vector<std::uint8_t> factors(n, 0);
  for (std::size_t d = 0; d < n; ++d) {
    for (std::size_t i = 0; i < n; ++i) factors[i] ^= galois::product(of_data[d], data[d * n + i]);
  }
  return factors;
}

}  // namespace goban
