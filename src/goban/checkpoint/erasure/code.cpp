#include "goban/checkpoint/erasure/code.hpp"

#include <fmt/format.h>

#include <utility>

#include "goban/base/error.hpp"
#include "goban/checkpoint/erasure/galois.hpp"

namespace goban {
namespace {

using Row = std::vector<std::uint8_t>;

/// row += factor * other
void add(Row& row, const Row& other, std::uint8_t factor) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] ^= galois::product(factor, other[i]);
}

}  // namespace

ErasureCode::ErasureCode(int data, int parity) : data_(data), parity_(parity) {
  require(data >= 1 && parity >= 1 && data + parity <= most_rows,
          fmt::format("a code of {} + {} is refused", data, parity),
          fmt::format("it takes 1 of each and {} in all at most", most_rows));
}

std::vector<std::uint8_t> ErasureCode::from_data(int row) const {
  Row factors(static_cast<std::size_t>(data_), 0);
  for (int d = 0; d < data_; ++d) {
    const auto sum = static_cast<std::uint8_t>((data_ + row) ^ d);
    factors[static_cast<std::size_t>(d)] =
        row < parity_ ? galois::inverse(sum) : static_cast<std::uint8_t>(row - parity_ == d);
  }
  return factors;
}

/// Elimination by Gauss and Jordan on the transposed rows, the wanted one on the right.
std::vector<std::uint8_t> ErasureCode::factors(const std::vector<int>& rows, int wanted) const {
  const auto n = static_cast<std::size_t>(data_);
  bool are_data = true;
  for (std::size_t i = 0; i < n; ++i) are_data &= rows[i] == parity_ + static_cast<int>(i);
  if (are_data) return from_data(wanted);
  std::vector<Row> equations(n, Row(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    const Row row = from_data(rows[i]);
    for (std::size_t d = 0; d < n; ++d) equations[d][i] = row[d];
  }
  const Row right = from_data(wanted);
  for (std::size_t d = 0; d < n; ++d) equations[d][n] = right[d];
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    while (equations[pivot][i] == 0) ++pivot;  // there is one: the rows can be inverted
    std::swap(equations[i], equations[pivot]);
    const std::uint8_t scale = galois::inverse(equations[i][i]);
    for (std::uint8_t& factor : equations[i]) factor = galois::product(factor, scale);
    for (std::size_t other = 0; other < n; ++other) {
      if (other != i) add(equations[other], Row(equations[i]), equations[other][i]);
    }
  }
  Row solution(n);
  for (std::size_t i = 0; i < n; ++i) solution[i] = equations[i][n];
  return solution;
}

}  // namespace goban
