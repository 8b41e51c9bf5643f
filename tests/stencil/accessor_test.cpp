#include "goban/stencil/accessor.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "goban/stencil/unroll.hpp"

namespace goban::accessor_test {
namespace {

// 16 x 4 x 3 cells, two components; each element holds its own index.
struct Numbered {
  static constexpr Index3 strides = {1, 16, 64};
  static constexpr Index component_stride = 192;
  std::vector<double> elements = std::vector<double>(384);
  Numbered() { std::iota(elements.begin(), elements.end(), 0.0); }
  const double* at(Index i, Index j, Index k) const {
    return elements.data() + i + 16 * j + 64 * k;
  }
};

TEST(Reader, ReadsAtOffsetsAlongTheGridAxes) {
  const Numbered field;
  const Reader<double, 1, 4> u(field.at(4, 1, 1), Numbered::strides, Numbered::component_stride);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(u().lane(lane), 84 + lane);
    EXPECT_EQ(u(1, 0, 0).lane(lane), 85 + lane);
    EXPECT_EQ(u(-3).lane(lane), 81 + lane);
    EXPECT_EQ(u(0, -1).lane(lane), 68 + lane);
    EXPECT_EQ(u(0, 2, 1).lane(lane), 84 + 32 + 64 + lane);
  }
}

TEST(Reader, LanesRunAlongTheUnitAxis) {
  const Numbered field;
  // Stored with y fastest: grid strides are 4 along x and 1 along y.
  const Reader<double, 1, 4, Axis::y> u(field.at(4, 0, 1), {4, -7, 64}, 0);
  EXPECT_EQ(u(1, 0, 0).lane(2), 68 + 4 + 2);
  EXPECT_EQ(u(0, 1, 0).lane(2), 68 + 1 + 2);
}

TEST(Reader, GivesComponentsAndShiftedViews) {
  const Numbered field;
  const Reader<double, 2, 2> f(field.at(4, 1, 1), Numbered::strides, Numbered::component_stride);
  EXPECT_EQ(f[0]().lane(0), 84);
  EXPECT_EQ(f[1](1, 0, 0).lane(1), 84 + 192 + 2);
  EXPECT_EQ(f[1].shift<Axis::z>(-1)(0, 1, 0).lane(0), 84 + 192 - 64 + 16);
  EXPECT_EQ(f.shift(Axis::x, 2)[0]().lane(0), 86);
  EXPECT_EQ(f[0][0]().lane(0), 84) << "a field of one component also answers u[0]";
}

TEST(Reader, ComputesInFloatWhatIsStoredAsHalf) {
  const std::vector<half> elements(8, half(1.5f));
  const Reader<half, 1, 4> u(elements.data(), {1, 8, 8}, 8);
  static_assert(std::is_same_v<decltype(u()), Pack<float, 4>>);
  EXPECT_EQ(u().lane(3), 1.5f);
}

TEST(Writer, KeepsResultsInTheSlotsOfTheKernel) {
  Pack<float, 4> slots[2];
  const Writer<float, 2, 4> v(slots);
  v[0] = Pack<double, 4>(0.1);
  v[1] = 3;
  EXPECT_EQ(slots[0].lane(3), 0.1f);
  EXPECT_EQ(slots[1].lane(3), 3.0f);
}

TEST(Writer, ConvertsToTheTypeOfTheField) {
  Pack<std::uint8_t, 8> slot[1];
  const Writer<std::uint8_t, 1, 8> v(slot);
  v = select(Pack<std::uint8_t, 8>(3) > 2, 1, 0);
  EXPECT_EQ(slot[0].lane(7), 1);
  v = Pack<std::int32_t, 8>(257);
  EXPECT_EQ(slot[0].lane(7), 1);
}

TEST(ReadWriter, UpdatesTheOldValue) {
  const double field[] = {1, 2, 10, 20};
  Pack<double, 2> slots[2];
  preload<2>(slots, field, ComponentOffset<double>(2));
  const ReadWriter<double, 2, 2> w(slots);
  w[0] += 0.5;
  w[0] *= w[1]();
  w[1] -= 1;
  EXPECT_EQ(slots[0].lane(1), 50);
  EXPECT_EQ(slots[1].lane(1), 19);
  EXPECT_EQ(field[3], 20) << "the kernel stores, not the accessor";
}

TEST(ValueAccessor, GivesThePlainNumber) {
  const ValueAccessor<float> dt{0.25f};
  static_assert(std::is_same_v<decltype(dt()), Uniform<float>>);
  EXPECT_EQ(dt(), 0.25f);
}

struct AddNeighbours {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    auto sum = u();
    unroll<2>([&](auto i) { sum += u(2 * i - 1, 0, 0) * (i + 1); });
    v = sum;
  }
};

template <int N>
std::vector<double> swept(const std::vector<double>& in) {
  std::vector<double> out(in.size());
  for (Index i = 1; i + N < static_cast<Index>(in.size()); i += N) {
    Pack<double, N> slot[1];
    AddNeighbours{}(Reader<double, 1, N>(in.data() + i, {1, 0, 0}, 0), Writer<double, 1, N>(slot));
    store(out.data() + i, slot[0]);
  }
  return out;
}

TEST(Functor, GivesTheSameWithPacksAsWithOneLane) {
  std::vector<double> in(66);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i * i);
  const auto expected = swept<1>(in);
  EXPECT_EQ(expected[3], 9 + 4 + 2 * 16);
  EXPECT_EQ(swept<4>(in), expected);
  EXPECT_EQ(swept<16>(in), expected);
}

}  // namespace
}  // namespace goban::accessor_test
