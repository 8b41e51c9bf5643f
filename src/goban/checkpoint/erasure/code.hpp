#pragma once
// A systematic Reed-Solomon code over GF(2^8): `data` rows and `parity` rows of bytes, of which any
// `data` rows give all the others.

#include <cstdint>
#include <vector>

namespace goban {

class ErasureCode {
 public:
  static constexpr int most_rows = 255;

  /// Error (usage): no data, no parity, or more than most_rows in all.
  ErasureCode(int data, int parity);

  int data() const { return data_; }
  int parity() const { return parity_; }
  int rows() const { return data_ + parity_; }

  /// Factors f with which the wanted row is the sum of f[i] times row rows[i]; `rows` are data()
  /// different ones. Parity rows come first: 0 ... parity() - 1, then those of data.
  std::vector<std::uint8_t> factors(const std::vector<int>& rows, int wanted) const;

 private:
  /// How a row follows from those of data: the identity, and a Cauchy matrix, of which every square
  /// part can be inverted.
  std::vector<std::uint8_t> from_data(int row) const;

  int data_, parity_;
};

}  // namespace goban
