// Any `data` rows give all the others, and sums are those of products.

#include "goban/checkpoint/erasure/code.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "goban/base/error.hpp"
#include "goban/checkpoint/erasure/galois.hpp"

namespace goban::erasure_code_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::mt19937& random, std::size_t count) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Polynomials multiplied bit by bit and reduced.
std::uint8_t long_product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int bit = 0; bit < 8; ++bit) sum ^= ((b >> bit) & 1) * (a << bit);
  for (int bit = 14; bit >= 8; --bit) {
    if ((sum >> bit) & 1) sum ^= 0x11du << (bit - 8);
  }
  return static_cast<std::uint8_t>(sum);
}

TEST(GaloisField, ProductsAreThoseOfPolynomials) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      ASSERT_EQ(galois::product(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)),
                long_product(a, b));
    }
    if (a > 0) {
      const auto value = static_cast<std::uint8_t>(a);
      ASSERT_EQ(galois::product(value, galois::inverse(value)), 1);
    }
  }
}

TEST(GaloisField, SumsAreThoseOfProducts) {
  std::mt19937 random(7);
  for (const std::size_t count : {1, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4099}) {
    for (const std::size_t terms : {1, 2, 5, 37}) {
      std::vector<Bytes> rows, sums(3, Bytes(count + 2, std::byte{7})), wanted = sums;
      std::vector<const std::byte*> sources;  // that begin a byte late
      std::vector<std::byte*> targets;
      std::vector<std::uint8_t> factors(sums.size() * terms);
      for (std::uint8_t& factor : factors) factor = static_cast<std::uint8_t>(random());
      for (std::size_t s = 0; s < terms; ++s)
        sources.push_back(rows.emplace_back(random_bytes(random, count + 1)).data() + 1);
      for (std::size_t t = 0; t < sums.size(); ++t) {
        targets.push_back(sums[t].data() + 1);
        for (std::size_t i = 0; i < count; ++i) {
          std::uint8_t sum = 0;
          for (std::size_t s = 0; s < terms; ++s)
            sum ^= long_product(factors[t * terms + s], static_cast<unsigned>(sources[s][i]));
          wanted[t][i + 1] = std::byte{sum};
        }
      }
      galois::sum_products(targets, sources, factors, count);
      ASSERT_EQ(sums, wanted) << count << " bytes of " << terms;
    }
  }
}

Bytes sum_of(const std::vector<Bytes>& rows, const std::vector<int>& chosen,
             const std::vector<std::uint8_t>& factors) {
  Bytes sum(rows.front().size());
  std::vector<const std::byte*> from;
  for (const int row : chosen) from.push_back(rows[static_cast<std::size_t>(row)].data());
  galois::sum_products(std::vector{sum.data()}, from, factors, sum.size());
  return sum;
}

/// Calls visit with every choice of `chosen` of `count` rows.
template <class Visit>
void each_choice(int count, int chosen, Visit&& visit) {
  std::vector<int> rows(static_cast<std::size_t>(chosen));
  std::iota(rows.begin(), rows.end(), 0);
  for (;;) {
    visit(rows);
    int i = chosen - 1;
    while (i >= 0 && rows[static_cast<std::size_t>(i)] == count - chosen + i) --i;
    if (i < 0) return;
    ++rows[static_cast<std::size_t>(i)];
    for (int j = i + 1; j < chosen; ++j) {
      rows[static_cast<std::size_t>(j)] = rows[static_cast<std::size_t>(j - 1)] + 1;
    }
  }
}

TEST(ErasureCodes, AnyRowsGiveAllOthers) {
  std::mt19937 random(11);
  for (const auto& [data, parity] : std::vector<std::pair<int, int>>{
           {1, 1}, {2, 1}, {4, 1}, {4, 2}, {6, 2}, {8, 2}, {8, 3}, {8, 4}, {3, 5}}) {
    const ErasureCode code(data, parity);
    std::vector<Bytes> rows(static_cast<std::size_t>(parity), Bytes(97));
    for (int d = 0; d < data; ++d) rows.push_back(random_bytes(random, 97));
    std::vector<int> of_data(static_cast<std::size_t>(data));
    std::iota(of_data.begin(), of_data.end(), parity);
    for (int p = 0; p < parity; ++p) {
      rows[static_cast<std::size_t>(p)] = sum_of(rows, of_data, code.factors(of_data, p));
    }
    each_choice(code.rows(), data, [&](const std::vector<int>& survivors) {
      for (int wanted = 0; wanted < code.rows(); ++wanted) {
        ASSERT_EQ(sum_of(rows, survivors, code.factors(survivors, wanted)),
                  rows[static_cast<std::size_t>(wanted)])
            << data << " + " << parity << ", row " << wanted;
      }
    });
  }
}

TEST(ErasureCodes, TakeAsManyRowsAsThereAreBytes) {
  std::mt19937 random(13);
  const ErasureCode code(200, 55);
  std::vector<int> of_data(200), some(255);
  std::iota(of_data.begin(), of_data.end(), 55);
  std::vector<Bytes> rows(255, Bytes(8));
  for (int d = 55; d < 255; ++d) rows[static_cast<std::size_t>(d)] = random_bytes(random, 8);
  for (int p = 0; p < 55; ++p) {
    rows[static_cast<std::size_t>(p)] = sum_of(rows, of_data, code.factors(of_data, p));
  }
  std::iota(some.begin(), some.end(), 0);
  std::shuffle(some.begin(), some.end(), random);
  const std::vector<int> survivors(some.begin(), some.begin() + 200);
  for (const int lost : {some[200], some[254]}) {
    EXPECT_EQ(sum_of(rows, survivors, code.factors(survivors, lost)),
              rows[static_cast<std::size_t>(lost)]);
  }
}

TEST(ErasureCodes, RefuseMoreRowsThanTheFieldHas) {
  for (const auto& [data, parity] : {std::pair{0, 1}, {1, 0}, {254, 2}, {-1, 3}}) {
    EXPECT_THROW(ErasureCode(data, parity), Error);
  }
}

}  // namespace
}  // namespace goban::erasure_code_test
