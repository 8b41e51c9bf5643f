#include "goban/stencil/pack/pack_memory.hpp"

#include <vector>

#include "tests/stencil/lanes.hpp"

namespace goban::pack_memory_test {
namespace {

template <class S>
class PackMemory : public testing::Test {
 protected:
  // Elements 0, 1, 2, ... with a few that round, starting at a cache line.
  PackMemory() {
    for (int i = 0; i < 256; ++i) elements()[i] = S(static_cast<ArithmeticOf<S>>(i % 200) / 1);
  }
  S* elements() { return reinterpret_cast<S*>(aligned_); }
  alignas(64) std::byte aligned_[256 * sizeof(double)]{};
};
using StorageTypes = testing::Types<float, double, std::int32_t, std::uint8_t, half>;
TYPED_TEST_SUITE(PackMemory, StorageTypes);

TYPED_TEST(PackMemory, LoadsFromAnyElement) {
  using A = ArithmeticOf<TypeParam>;
  test::for_each_width([&](auto width) {
    constexpr int N = width;
    for (int first : {0, 1, 3, 64}) {
      const auto pack = load<N>(this->elements() + first);
      for (int i = 0; i < N; ++i) {
        EXPECT_EQ(pack.lane(i), static_cast<A>(this->elements()[first + i])) << N << ' ' << i;
      }
    }
  });
}

TYPED_TEST(PackMemory, LoadsBesideWhatItLoadsThere) {
  test::for_each_width([&](auto width) {
    constexpr int N = width;
    const TypeParam* p = this->elements() + 64;
    [&]<int... I>(std::integer_sequence<int, I...>) {
      const auto expect_same = [&](const auto& beside, int d) {
        for (int i = 0; i < N; ++i) {
          EXPECT_EQ(beside.lane(i), load<N>(p + d).lane(i)) << N << " lanes, " << d << " beside";
        }
      };
      (expect_same(load_beside<N>(p, I - 6), I - 6), ...);
    }
    (std::make_integer_sequence<int, 13>{});
  });
}

TYPED_TEST(PackMemory, StoresWhatItLoadedAndNothingElse) {
  test::for_each_width([&](auto width) {
    constexpr int N = width;
    for (int first : {0, 1, 5}) {
      std::vector<TypeParam> out(80);
      store(out.data() + first, load<N>(this->elements() + 1));
      for (int i = 0; i < 80; ++i) {
        const bool written = i >= first && i < first + N;
        EXPECT_EQ(out[static_cast<std::size_t>(i)],
                  written ? this->elements()[1 + i - first] : TypeParam{});
      }
    }
  });
}

TYPED_TEST(PackMemory, StreamsTheSameElements) {
  test::for_each_width([&](auto width) {
    constexpr int N = width;
    alignas(64) TypeParam out[64] = {};
    store_streaming(out, load<N>(this->elements() + 1));
    store_fence();
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(out[i], i < N ? this->elements()[1 + i] : TypeParam{}) << N;
    }
  });
}

TYPED_TEST(PackMemory, StoresTheLanesAskedForAlone) {
  test::for_each_width([&](auto width) {
    constexpr int N = width;
    for (int first = 0; first <= N; ++first) {
      for (int last = first; last <= N; last += 1 + N / 8) {
        TypeParam out[66] = {};
        store_lanes(out + 1, load<N>(this->elements() + 1), first, last);
        for (int i = 0; i < 66; ++i) {
          const bool written = i >= first + 1 && i < last + 1;
          ASSERT_EQ(out[i], written ? this->elements()[i] : TypeParam{})
              << N << " lanes, " << first << " to " << last << ", element " << i;
        }
      }
    }
  });
}

TEST(HalfMemory, LoadsEveryNumberAsTheScalarDoes) {
  for (unsigned bits = 0; bits < 0x10000; bits += 64) {
    half stored[64];
    for (unsigned i = 0; i < 64; ++i) stored[i].bits = static_cast<std::uint16_t>(bits + i);
    test::for_each_width([&](auto width) {
      constexpr int N = width;
      const auto pack = load<N>(stored + 64 - N);
      for (int i = 0; i < N; ++i) {
        ASSERT_TRUE(test::same_bits(pack.lane(i), static_cast<float>(stored[64 - N + i]))) << bits;
      }
    });
  }
}

TEST(HalfMemory, StoresAsTheScalarDoes) {
  std::mt19937 generator(1);
  for (int repetition = 0; repetition < 2000; ++repetition) {
    float values[64];
    for (float& x : values) {
      // All exponents around the range of half, and bits that are halfway between two of them.
      const auto exponent = 127 - 26 + generator() % 45;
      const auto mantissa = generator() & (repetition % 2 ? 0x7fffff : 0x7ff000);
      x = std::bit_cast<float>(
          static_cast<std::uint32_t>((generator() & 0x80000000) | exponent << 23 | mantissa));
    }
    values[repetition % 64] = repetition % 3 == 0 ? NAN : INFINITY;
    test::for_each_width([&](auto width) {
      constexpr int N = width;
      half out[N];
      store(out, load<N>(values + 64 - N));
      for (int i = 0; i < N; ++i) ASSERT_EQ(out[i].bits, half(values[64 - N + i]).bits);
    });
  }
}

}  // namespace
}  // namespace goban::pack_memory_test
