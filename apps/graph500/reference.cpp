// The edges of the reference implementation, from the description of its generator: a multiple
// recursive generator of order 5 modulo 2^31 - 1 (L'Ecuyer, Blouin, Couture, ACM TOMACS 3 (1993)
// 87), of which tuple e gets the numbers from 2^64 e on.

#include <fmt/format.h>

#include <array>

#include "graph500/edge.hpp"

namespace goban::graph500 {
namespace {

constexpr std::uint64_t modulus = 0x7fffffff;
using Row = std::array<std::uint64_t, 5>;
using Matrix = std::array<Row, 5>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      for (std::size_t k = 0; k < 5; ++k) c[i][j] = (c[i][j] + a[i][k] * b[k][j]) % modulus;
    }
  }
  return c;
}

/// The last five numbers, the newest first.
class Numbers {
 public:
  explicit Numbers(const Row& state) : state_(state) {}

  std::uint64_t next() {
    const std::uint64_t newest = (107374182 * state_[0] + 104480 * state_[4]) % modulus;
    state_ = {newest, state_[0], state_[1], state_[2], state_[3]};
    return newest;
  }
  /// A number in [0, 1), made of two.
  double next_real() {
    constexpr double unit = 1.0 / static_cast<double>(modulus);
    const double coarse = static_cast<double>(next());
    return coarse * unit + static_cast<double>(next()) * (unit * unit);
  }
  /// Goes on as many numbers as the matrix is powers of a step.
  void skip(const Matrix& step) {
    Row moved{};
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t k = 0; k < 5; ++k) moved[i] = (moved[i] + step[i][k] * state_[k]) % modulus;
    }
    state_ = moved;
  }

 private:
  Row state_;
};

/// Steps of 2^0, 2^1, ... 2^135 numbers.
const std::array<Matrix, 136>& powers() {
  static const auto all = [] {
    std::array<Matrix, 136> steps{};
    steps[0][0] = {107374182, 0, 0, 0, 104480};
    for (std::size_t i = 1; i < 5; ++i) steps[0][i][i - 1] = 1;
    for (std::size_t n = 1; n < steps.size(); ++n) steps[n] = product(steps[n - 1], steps[n - 1]);
    return steps;
  }();
  return all;
}

/// Goes on count 2^power numbers.
void skip(Numbers& numbers, std::uint64_t count, std::size_t power) {
  for (; count != 0; count >>= 1, ++power) {
    if (count & 1) numbers.skip(powers()[power]);
  }
}

/// Seeds 2 and 3, each spread over numbers of 30 bits.
Numbers seeded() { return Numbers({3, 1, 4, 1, 1}); }

std::uint64_t reversed(std::uint64_t v) {
  const auto swap = [&v](int distance, std::uint64_t low) {
    v = (v >> distance & low) | (v & low) << distance;
  };
  swap(1, 0x5555555555555555u);
  swap(2, 0x3333333333333333u);
  swap(4, 0x0f0f0f0f0f0f0f0fu);
  return __builtin_bswap64(v);
}

class Reference : public EdgeSource {
 public:
  Reference(int scale, int edge_factor) : scale_(scale), edge_factor_(edge_factor) {
    Numbers numbers = seeded();
    skip(numbers, 7, 64);
    skip(numbers, 50, 128);
    for (std::uint64_t& value : scramble_) {
      value = numbers.next() * 0xffffffffu;
      value += numbers.next();
    }
  }
  Index vertices() const override { return Index{1} << scale_; }
  Index edges() const override { return vertices() * edge_factor_; }
  void edges(Index begin, std::span<Edge> edges) const override {
    each(begin, edges.size(), [&](std::size_t i, Numbers& numbers) { edges[i] = draw(numbers); });
  }
  void weights(Index begin, std::span<float> weights) const override {
    each(begin, weights.size(), [&](std::size_t i, Numbers& numbers) {
      draw(numbers);
      weights[i] = static_cast<float>(static_cast<float>(numbers.next()) *
                                      (1.0 / static_cast<double>(modulus)));
    });
  }
  Index draw_key(Index n) const override {
    Numbers numbers = seeded();
    skip(numbers, 4 * static_cast<std::uint64_t>(n), 0);
    skip(numbers, 2, 128);
    const double first = numbers.next_real();
    const double sum = first + numbers.next_real();
    return static_cast<Index>(sum * static_cast<double>(vertices())) % vertices();
  }
  std::string description() const override {
    return fmt::format("the reference's Kronecker graph of scale {}, edge factor {}", scale_,
                       edge_factor_);
  }

 private:
  template <class F>
  void each(Index begin, std::size_t count, const F& f) const {
    Numbers start = seeded();
    skip(start, static_cast<std::uint64_t>(begin), 64);
    for (std::size_t i = 0; i < count; ++i) {
      Numbers numbers = start;
      f(i, numbers);
      start.skip(powers()[64]);
    }
  }

  Edge draw(Numbers& numbers) const {
    std::uint64_t first = 0, second = 0;
    for (int level = 0; level < scale_; ++level) {
      const unsigned quadrant = draw_quadrant(numbers);
      // On the diagonal what lies below it is reflected.
      const bool is_flipped = first == second && quadrant == 2;
      first = first << 1 | std::uint64_t{quadrant >= 2 && !is_flipped};
      second = second << 1 | std::uint64_t{quadrant % 2 == 1 || is_flipped};
    }
    return {scrambled(first), scrambled(second)};
  }

  static unsigned draw_quadrant(Numbers& numbers) {
    std::uint64_t value = numbers.next();
    while (value < modulus % 10000) value = numbers.next();  // all remainders are as likely
    value %= 10000;
    return value < 1900 ? 1 : value < 3800 ? 2 : value < 9500 ? 0 : 3;
  }

  Index scrambled(std::uint64_t vertex) const {
    std::uint64_t v = vertex + scramble_[0] + scramble_[1];
    v = reversed(v * (scramble_[0] | 0x4519840211493211u)) >> (64 - scale_);
    v = reversed(v * (scramble_[1] | 0x3050852102c843a5u)) >> (64 - scale_);
    return static_cast<Index>(v);
  }

  int scale_, edge_factor_;
  std::array<std::uint64_t, 2> scramble_{};
};

}  // namespace

std::unique_ptr<EdgeSource> reference_edges(int scale, int edge_factor) {
  return std::make_unique<Reference>(scale, edge_factor);
}

}  // namespace goban::graph500
