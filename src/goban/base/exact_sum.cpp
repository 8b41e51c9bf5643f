#include "goban/base/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "goban/base/macros.hpp"

namespace goban {
namespace {

// The machine at hand decides which of them run.
#if defined(__x86_64__)
#define GOBAN_FOR_ALL_PROCESSORS [[gnu::target_clones("default", "avx2", "avx512f")]]
#else
#define GOBAN_FOR_ALL_PROCESSORS
#endif

constexpr int lanes = 8;
using Reals = double __attribute__((vector_size(lanes * sizeof(double)), may_alias));
using Integers = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

constexpr std::int64_t magnitude_mask = std::numeric_limits<std::int64_t>::max();
constexpr int mantissa_bits = 52;
constexpr int special_exponent = 0x7ff;

/// Lane by lane the larger of `most` and the bits of |terms|.
GOBAN_INLINE void keep_larger(Integers& most, const Reals& terms) {
  const Integers magnitudes = std::bit_cast<Integers>(terms) & magnitude_mask;
  most = magnitudes > most ? magnitudes : most;
}

GOBAN_INLINE std::int64_t largest(const Integers& a) {
  std::int64_t result = 0;
  for (int i = 0; i < lanes; ++i) result = std::max(result, a[i]);
  return result;
}

/// Bits of the largest |term|; they order like the magnitudes.
GOBAN_FOR_ALL_PROCESSORS std::int64_t largest_magnitude(const Reals* terms, Index n) {
  Integers a{}, b{};
  for (Index i = 0; i < n; i += 2) {
    keep_larger(a, terms[i]);
    keep_larger(b, terms[i + 1]);
  }
  return std::max(largest(a), largest(b));
}

struct Peeled {
  double sum;              ///< the sum of the upper parts, exact
  std::int64_t magnitude;  ///< bits of the largest |rest|
};

/// Splits every term at the last bit of `anchor`, sums the upper parts, leaves the rest in place.
GOBAN_FOR_ALL_PROCESSORS Peeled peel(Reals* terms, Index n, double anchor) {
  Reals sum_a{}, sum_b{};
  Integers most_a{}, most_b{};
  for (Index i = 0; i < n; i += 2) {
    const Reals upper_a = (terms[i] + anchor) - anchor;
    const Reals upper_b = (terms[i + 1] + anchor) - anchor;
    const Reals rest_a = terms[i] - upper_a;
    const Reals rest_b = terms[i + 1] - upper_b;
    sum_a += upper_a;
    sum_b += upper_b;
    keep_larger(most_a, rest_a);
    keep_larger(most_b, rest_b);
    terms[i] = rest_a;
    terms[i + 1] = rest_b;
  }
  sum_a += sum_b;
  double sum = 0;
  for (int i = 0; i < lanes; ++i) sum += sum_a[i];
  return {sum, std::max(largest(most_a), largest(most_b))};
}

}  // namespace

void ExactSum::flush() {
  // 512 terms below 2^(E+1), cut at 2^(K-52) with K = E + 9, sum to less than 2^53 units: exactly.
  constexpr int headroom = 9;
  static_assert(block_size == 1 << headroom);
  constexpr int most_passes = 8;  // beyond, one by one is faster

  const Index padded = round_up(pending_, 2 * lanes);
  std::fill(block_.begin() + pending_, block_.begin() + padded, 0.0);
  auto* const terms = reinterpret_cast<Reals*>(block_.data());
  const Index n = padded / lanes;

  std::int64_t magnitude = largest_magnitude(terms, n);
  for (int pass = 0; magnitude != 0 && pass < most_passes; ++pass) {
    const std::int64_t exponent = magnitude >> mantissa_bits;
    if (exponent + headroom + 1 >= special_exponent) break;  // the sum may reach 2^(E+10)
    const double anchor = std::bit_cast<double>(((exponent + headroom) << mantissa_bits) |
                                                (std::int64_t{1} << (mantissa_bits - 1)));
    const Peeled peeled = peel(terms, n, anchor);
    add_to_limbs(peeled.sum);
    magnitude = peeled.magnitude;
  }
  if (magnitude != 0)
    for (Index i = 0; i < pending_; ++i) add_to_limbs(block_[i]);
  pending_ = 0;
}

void ExactSum::add_to_limbs(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const int exponent = static_cast<int>(bits >> mantissa_bits) & special_exponent;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  const bool negative = bits >> 63 != 0;
  if (exponent == special_exponent) {
    (fraction != 0 ? nans_ : negative ? negative_infinities_ : positive_infinities_) += 1;
    return;
  }
  // |term| = mantissa * 2^(shift - 1074), spread over three limbs of 32 bits.
  const std::uint64_t hidden = exponent != 0 ? 1 : 0;
  const std::uint64_t mantissa = fraction | (hidden << mantissa_bits);
  const int shift = exponent - static_cast<int>(hidden);
  const int within = shift & 31;
  const std::uint64_t low = mantissa << within;
  const std::uint64_t high = (mantissa >> 1) >> (63 - within);
  const std::int64_t flip = -static_cast<std::int64_t>(negative);
  const auto with_sign = [flip](std::uint64_t part) {
    return (static_cast<std::int64_t>(part) ^ flip) - flip;
  };
  std::int64_t* const limb = limbs_.data() + (shift >> 5);
  limb[0] += with_sign(low & 0xffffffffu);
  limb[1] += with_sign(low >> 32);
  limb[2] += with_sign(high);
  // Each addition changes a limb by less than 2^32.
  if (++additions_ == std::int64_t{1} << 30) propagate_carries();
}

void ExactSum::propagate_carries() {
  for (std::size_t i = 0; i + 1 < limb_count; ++i) {
    limbs_[i + 1] += limbs_[i] >> 32;
    limbs_[i] &= 0xffffffff;
  }
  additions_ = 0;
}

void ExactSum::merge(const State& state) {
  propagate_carries();
  for (std::size_t i = 0; i < limb_count; ++i) limbs_[i] += state[i];
  propagate_carries();
  nans_ += state[limb_count];
  positive_infinities_ += state[limb_count + 1];
  negative_infinities_ += state[limb_count + 2];
}

ExactSum::State ExactSum::state() const {
  ExactSum whole = *this;
  whole.flush();
  whole.propagate_carries();
  State state;
  std::copy(whole.limbs_.begin(), whole.limbs_.end(), state.begin());
  state[limb_count] = whole.nans_;
  state[limb_count + 1] = whole.positive_infinities_;
  state[limb_count + 2] = whole.negative_infinities_;
  return state;
}

double ExactSum::value() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  State limb = state();
  const bool above = limb[limb_count + 1] != 0, below = limb[limb_count + 2] != 0;
  if (limb[limb_count] != 0 || (above && below)) return std::numeric_limits<double>::quiet_NaN();
  if (above || below) return above ? infinity : -infinity;

  constexpr int top = static_cast<int>(limb_count) - 1;
  const bool negative = limb[top] < 0;
  if (negative) {
    for (int i = 0; i <= top; ++i) limb[i] = -limb[i];
    for (int i = 0; i < top; ++i) {
      limb[i + 1] += limb[i] >> 32;
      limb[i] &= 0xffffffff;
    }
  }
  int first = top;
  while (first >= 0 && limb[first] == 0) --first;
  if (first < 0) return 0.0;

  // The leading 65 to 96 bits decide, with one more bit for whether anything follows.
  unsigned __int128 leading = 0;
  for (int i = first; i > first - 3; --i)
    leading = (leading << 32) | static_cast<std::uint64_t>(i >= 0 ? limb[i] : 0);
  bool more = false;
  for (int i = 0; i < first - 2; ++i) more = more || limb[i] != 0;

  const int dropped = 64 + std::bit_width(static_cast<std::uint64_t>(limb[first])) - 53;
  auto kept = static_cast<std::uint64_t>(leading >> dropped);
  const auto rest = static_cast<std::uint64_t>(leading << (64 - dropped));  // top bit: one half
  constexpr std::uint64_t half_way = std::uint64_t{1} << 63;
  const bool up = rest > half_way || (rest == half_way && (more || (kept & 1) != 0));
  if (up) ++kept;
  const double magnitude = std::ldexp(static_cast<double>(kept), dropped + 32 * (first - 2) - 1074);
  return negative ? -magnitude : magnitude;
}

}  // namespace goban
