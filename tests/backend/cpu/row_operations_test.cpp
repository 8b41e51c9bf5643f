// Loops over rows have the same bits in every instruction set that the machine has.

#include "goban/backend/cpu/evaluator/row_operations.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "goban/backend/cpu/evaluator/row_loop_tables.hpp"

namespace goban::row_operations_test {
namespace {

using namespace goban::cpu;

constexpr Index count = 203;  // a multiple of no vector
constexpr Lane computed_lanes[] = {Lane::truth, Lane::uint8,  Lane::int32,   Lane::uint32,
                                   Lane::int64, Lane::uint64, Lane::float32, Lane::float64};

using Row = std::array<std::byte, count * 8>;

std::vector<const RowLoops*> other_loops() {
  std::vector<const RowLoops*> found;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(&avx2::loops);
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back(&avx512::loops);
  }
  return found;
}

/// Small numbers, with zeros and -1 among them; a few of floating point are none or infinite.
Row row_of(Lane lane, unsigned seed) {
  std::mt19937 random(seed);
  Row row{};
  visit_lane(lane, [&]<class T>(T) {
    for (Index i = 0; i < count; ++i) {
      const auto drawn = static_cast<int>(random() % 15);
      T value = static_cast<T>(drawn - (std::is_signed_v<T> ? 7 : 0));
      if (lane == Lane::truth) value = static_cast<T>(drawn % 2);
      if constexpr (std::is_floating_point_v<T>) {
        value = value * T(0.37);
        if (random() % 20 == 0) value = -std::numeric_limits<T>::quiet_NaN();
        if (random() % 20 == 0) value = std::numeric_limits<T>::infinity();
      }
      std::memcpy(row.data() + i * Index{sizeof(T)}, &value, sizeof(T));
    }
  });
  return row;
}

void expect_alike(RowOperation one, RowOperation other, const Row& a, const Row& b, const Row& c,
                  const std::string& what) {
  ASSERT_EQ(one == nullptr, other == nullptr) << what;
  if (!one) return;
  Row expected{}, found{};
  one(expected.data(), a.data(), b.data(), c.data(), count);
  other(found.data(), a.data(), b.data(), c.data(), count);
  EXPECT_EQ(std::memcmp(expected.data(), found.data(), sizeof(Row)), 0) << what;
}

bool is_shift(GraphOp op) { return op == GraphOp::shift_left || op == GraphOp::shift_right; }

TEST(RowOperations, HaveTheSameBitsInEveryInstructionSet) {
  for (const RowLoops* other : other_loops()) {
    for (const Lane lane : computed_lanes) {
      const Row a = row_of(lane, 1), c = row_of(lane, 3);
      for (int op = 0; op <= static_cast<int>(GraphOp::abs); ++op) {
        const auto asked = static_cast<GraphOp>(op);
        const Row truths = row_of(Lane::truth, 5);
        for (int ones = 0; ones < 8; ++ones) {
          const OneNumber is_one{(ones & 1) != 0, (ones & 2) != 0, (ones & 4) != 0};
          Row b = row_of(lane, 2);
          if (is_shift(asked)) b = row_of(Lane::uint8, 2);
          if (is_shift(asked) && lane != Lane::uint8) b = Row{};
          expect_alike(baseline::loops.operation(asked, lane, is_one),
                       other->operation(asked, lane, is_one), asked == GraphOp::select ? truths : a,
                       b, c,
                       "operation " + std::to_string(op) + " of lane " +
                           std::to_string(static_cast<int>(lane)));
        }
      }
    }
  }
}

TEST(RowOperations, PairsAreTwoOperations) {
  constexpr GraphOp all[] = {GraphOp::add, GraphOp::subtract, GraphOp::multiply};
  std::vector<const RowLoops*> sets = other_loops();
  sets.push_back(&baseline::loops);
  for (const RowLoops* loops : sets) {
    for (const Lane lane : {Lane::uint8, Lane::float32, Lane::float64}) {
      const Row a = row_of(lane, 1), b = row_of(lane, 2), c = row_of(lane, 3);
      for (const GraphOp first : all) {
        for (const GraphOp second : all) {
          for (const bool is_right : {false, true}) {
            for (const OneNumber& is_one : {OneNumber{}, {.a = true}, {.b = true}, {.c = true}}) {
              Row between{}, expected{}, found{};
              loops->operation(first, lane, {is_one.a, is_one.b})(between.data(), a.data(),
                                                                  b.data(), nullptr, count);
              const auto then =
                  loops->operation(second, lane, {is_right && is_one.c, !is_right && is_one.c});
              then(expected.data(), is_right ? c.data() : between.data(),
                   is_right ? between.data() : c.data(), nullptr, count);
              loops->pair({first, second, is_right}, lane, is_one)(found.data(), a.data(), b.data(),
                                                                   c.data(), count);
              EXPECT_EQ(std::memcmp(expected.data(), found.data(), sizeof(Row)), 0);
            }
          }
        }
      }
    }
  }
}

TEST(RowOperations, ConvertAlikeInEveryInstructionSet) {
  for (const RowLoops* other : other_loops()) {
    for (const Lane from : computed_lanes) {
      for (const Lane to : computed_lanes) {
        if (from == Lane::float32 || from == Lane::float64) {
          if (to != Lane::float32 && to != Lane::float64) continue;  // some are no integers
        }
        expect_alike(baseline::loops.conversion(to, from), other->conversion(to, from),
                     row_of(from, 1), {}, {}, "conversion");
      }
    }
    std::vector<std::uint16_t> halves(1 << 16), found(halves.size());
    for (std::size_t n = 0; n < halves.size(); ++n) {
      const bool signals = (n & 0x7c00) == 0x7c00 && (n & 0x0200) == 0 && (n & 0x01ff) != 0;
      halves[n] = static_cast<std::uint16_t>(signals ? 0 : n);
    }
    std::vector<float> expected(halves.size()), floats(halves.size());
    const auto n = static_cast<Index>(halves.size());
    baseline::loops.conversion(Lane::float32, Lane::half)(expected.data(), halves.data(), nullptr,
                                                          nullptr, n);
    other->conversion(Lane::float32, Lane::half)(floats.data(), halves.data(), nullptr, nullptr, n);
    EXPECT_EQ(std::memcmp(expected.data(), floats.data(), 4 * halves.size()), 0);
    std::vector<std::uint16_t> back(halves.size());
    for (float& value : floats) value *= 1.0003f;
    baseline::loops.conversion(Lane::half, Lane::float32)(back.data(), floats.data(), nullptr,
                                                          nullptr, n);
    other->conversion(Lane::half, Lane::float32)(found.data(), floats.data(), nullptr, nullptr, n);
    EXPECT_EQ(back, found);
  }
}

TEST(RowOperations, MayTakeThePlaceOfAnOperand) {
  const Row a = row_of(Lane::float32, 1), b = row_of(Lane::float32, 2);
  const RowOperation subtract = row_operation(GraphOp::subtract, Lane::float32, {});
  Row expected{}, first = a, second = b;
  subtract(expected.data(), a.data(), b.data(), nullptr, count);
  subtract(first.data(), first.data(), b.data(), nullptr, count);
  subtract(second.data(), a.data(), second.data(), nullptr, count);
  EXPECT_EQ(std::memcmp(expected.data(), first.data(), 4 * count), 0);
  EXPECT_EQ(std::memcmp(expected.data(), second.data(), 4 * count), 0);
}

TEST(RowOperations, DivideIntegersByZeroAndMinusOne) {
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const std::array<std::int32_t, 4> a{7, least, 5, -9}, b{0, -1, -1, 4};
  std::array<std::int32_t, 4> quotient{}, rest{};
  row_operation(GraphOp::divide, Lane::int32, {})(quotient.data(), a.data(), b.data(), nullptr, 4);
  row_operation(GraphOp::remainder, Lane::int32, {})(rest.data(), a.data(), b.data(), nullptr, 4);
  EXPECT_EQ(quotient, (std::array<std::int32_t, 4>{7, least, -5, -2}));
  EXPECT_EQ(rest, (std::array<std::int32_t, 4>{0, 0, 0, -1}));
}

}  // namespace
}  // namespace goban::row_operations_test
