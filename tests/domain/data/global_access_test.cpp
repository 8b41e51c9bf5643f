// Fields are read and set by global index, whatever their decomposition, layout and location.

#include <gmock/gmock.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "goban/domain/data/domain.hpp"
#include "goban/field/field.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"

namespace goban::global_access_test {
namespace {

using test::error_of;

const Index3 cells{13, 7, 5};

std::vector<Settings> decompositions() {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"5,8", "", ""}, {"", "3,4", "1,4"}, {"1,5,7", "6,1", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.delay_microseconds = 0;
  return product.all();
}

template <class T>
double number(T element) {
  return static_cast<double>(static_cast<ArithmeticOf<T>>(element));
}

double value_at(Index3 p, int c) {
  return static_cast<double>((p[0] + 3 * p[1] + 5 * p[2] + 7 * c) % 120);
}

template <class T, class Layout, Location location>
struct Kind {
  using Element = T;
  using LayoutType = Layout;
  static constexpr Location where = location;
};

template <class K>
class GlobalAccess : public testing::Test {};
using Kinds =
    testing::Types<Kind<std::uint8_t, ijk, Location::cell>, Kind<std::int32_t, kij, Location::cell>,
                   Kind<half, ijk, Location::cell>, Kind<float, ijk, Location::face_x>,
                   Kind<float, kij, Location::face_z>, Kind<double, ijk, Location::node>,
                   Kind<double, kij, Location::edge_y>>;
TYPED_TEST_SUITE(GlobalAccess, Kinds);

template <class K>
using FieldOf = Field<typename K::Element, 2, typename K::LayoutType>;

/// Runs check(field, grid) under every decomposition.
template <class K, class Check>
void everywhere(Check&& check) {
  for (const Settings& settings : decompositions()) {
    SCOPED_TRACE(test::options_of(settings));
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = {mirror, periodic, mirror}});
    FieldOf<K> field(grid, "field", {K::where});
    field.fill([](Index3 p, int c) { return value_at(p, c); });
    check(field, grid);
  }
}

TYPED_TEST(GlobalAccess, CopyOutHasXFastestAndComponentsSlowest) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    const Box all = grid.state()->domain(TypeParam::where);
    const auto values = field.copy_out();
    ASSERT_EQ(static_cast<Index>(values.size()), 2 * all.volume());
    std::size_t i = 0;
    for (int c = 0; c < 2; ++c) {
      for (Index z = 0; z < all.upper[2]; ++z) {
        for (Index y = 0; y < all.upper[1]; ++y) {
          for (Index x = 0; x < all.upper[0]; ++x) {
            ASSERT_EQ(number(values[i++]), value_at({x, y, z}, c)) << x << " " << y << " " << z;
          }
        }
      }
    }
  });
}

TYPED_TEST(GlobalAccess, BoxesAcrossPatchesComeOutAndGoIn) {
  everywhere<TypeParam>([](auto& field, Grid&) {
    const Box box{{3, 1, 0}, {9, 6, 4}};
    auto values = field.copy_out(box);
    ASSERT_EQ(values.size(), 2u * 6 * 5 * 4);
    EXPECT_EQ(number(values[0]), value_at({3, 1, 0}, 0));
    EXPECT_EQ(number(values.back()), value_at({8, 5, 3}, 1));
    for (auto& v : values) v = static_cast<typename TypeParam::Element>(1.0f);
    field.copy_in(values, box);
    EXPECT_EQ(number(field.get({8, 5, 3}, 1)), 1);
    EXPECT_EQ(number(field.get({9, 5, 3}, 1)), value_at({9, 5, 3}, 1));
    EXPECT_EQ(number(field.get({8, 0, 3}, 0)), value_at({8, 0, 3}, 0));
  });
}

TYPED_TEST(GlobalAccess, FillsAreTheSameWithBoxesPreparedBefore) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    const auto expected = field.checksum();
    field.fill([](Index3, int) { return 1; });
    EXPECT_NE(field.checksum(), expected);
    Box prepared;
    Index seen = 0;
    field.fill([&](Index3 p, int c) { return prepared.contains(p) ? value_at(p, c) : 0; },
               [&](const Box& box) {
                 prepared = box;
                 seen += box.volume();
               });
    EXPECT_EQ(field.checksum(), expected);
    EXPECT_EQ(seen, grid.state()->domain(TypeParam::where).volume());
  });
}

TYPED_TEST(GlobalAccess, FillsByRowsAreFillsByCells) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    const auto expected = field.checksum();
    field.fill(1);
    EXPECT_NE(field.checksum(), expected);
    std::atomic<int> wrong = 0;
    field.fill([&](const CellRow& row, double* const* values) {
      for (Index i = 0; i < row.count; ++i) {
        for (int c = 0; c < 2; ++c) values[c][i] = value_at(row.index(i), c);
        const Position here = row.position(i);
        const Position there = grid.state()->position(row.index(i), TypeParam::where);
        wrong += here.x != there.x || here.y != there.y || here.z != there.z;
      }
    });
    EXPECT_EQ(field.checksum(), expected);
    EXPECT_EQ(wrong, 0);
  });
}

TYPED_TEST(GlobalAccess, NumbersFillEveryValueAndNothingElse) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    field.fill(typename TypeParam::Element(3));
    const auto threes = field.checksum();
    field.fill([](Index3, int) { return 3; });
    EXPECT_EQ(field.checksum(), threes);
    EXPECT_EQ(field.minimum(1), 3);
    EXPECT_EQ(field.maximum(0), 3);
    const auto values = grid.state()->domain(TypeParam::where).volume();
    EXPECT_EQ(field.sum(1), 3.0 * static_cast<double>(values));
  });
}

TEST(Fill, LongRowsAreFilledInPartsByAllThreads) {
  Runtime runtime({.threads = 2});
  Grid grid(runtime, {.cells = {3 * CellRow::most + 5, 1, 1}});
  Field<double> field(grid, "field");
  std::mutex mutex;
  std::condition_variable another;
  std::map<Index, std::thread::id> parts;
  field.fill([&](const CellRow& row, double* values) {
    for (Index i = 0; i < row.count; ++i) values[i] = static_cast<double>(row.index(i)[0]);
    std::unique_lock lock(mutex);
    parts[row.first[0]] = std::this_thread::get_id();
    another.notify_all();  // no thread goes on before two have begun
    another.wait_for(lock, std::chrono::seconds(20),
                     [&] { return parts.size() > 1 || row.first[0] > 0; });
  });
  std::vector<double> expected(static_cast<std::size_t>(grid.cells()[0]));
  std::iota(expected.begin(), expected.end(), 0.0);
  EXPECT_EQ(field.copy_out(), expected);
  EXPECT_EQ(parts.size(), 4u);
  EXPECT_NE(parts.begin()->second, parts.rbegin()->second);
}

TYPED_TEST(GlobalAccess, ARanksOwnValuesComeOutAlone) {
  everywhere<TypeParam>([](auto& field, Grid&) {
    const Box box{{3, 1, 0}, {9, 6, 4}};
    EXPECT_EQ(field.copy_out_own(box), field.copy_out(box));
  });
}

TYPED_TEST(GlobalAccess, GetAndSetTouchOneValue) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    const Box all = grid.state()->domain(TypeParam::where);
    const Index3 last = all.upper - Index3{1, 1, 1};
    EXPECT_EQ(number(field.get(last, 1)), value_at(last, 1));
    field.set(last, static_cast<typename TypeParam::Element>(9.0f), 1);
    EXPECT_EQ(number(field.get(last, 1)), 9);
    EXPECT_EQ(number(field.get(last, 0)), value_at(last, 0));
  });
}

TYPED_TEST(GlobalAccess, SumsAndExtremaAreThoseOfAllOwnedValues) {
  everywhere<TypeParam>([](auto& field, Grid& grid) {
    const Box all = grid.state()->domain(TypeParam::where);
    double sum = 0, least = 1e9, most = -1e9;
    for (Index z = 0; z < all.upper[2]; ++z) {
      for (Index y = 0; y < all.upper[1]; ++y) {
        for (Index x = 0; x < all.upper[0]; ++x) {
          const double v = value_at({x, y, z}, 1);
          sum += v;
          least = std::min(least, v);
          most = std::max(most, v);
        }
      }
    }
    EXPECT_EQ(field.sum(1), sum);
    EXPECT_EQ(field.minimum(1), least);
    EXPECT_EQ(field.maximum(1), most);
  });
}

TYPED_TEST(GlobalAccess, ChecksumsIgnoreDecompositionAndLayoutButNoValue) {
  std::uint64_t expected = 0;
  everywhere<TypeParam>([&](auto& field, Grid&) {
    if (expected == 0) expected = field.checksum();
    EXPECT_EQ(field.checksum(), expected);
    field.set({12, 6, 4}, static_cast<typename TypeParam::Element>(119.0f), 1);
    EXPECT_NE(field.checksum(), expected);
  });
}

TEST(GlobalAccessOfCells, LayoutsHaveTheSameChecksum) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = cells});
  Field<float, 3, ijk> a(grid, "a");
  Field<float, 3, kij> b(grid, "b");
  a.fill([](Index3 p, int c) { return value_at(p, c); });
  b.fill([](Index3 p, int c) { return value_at(p, c); });
  EXPECT_EQ(a.checksum(), b.checksum());
}

/// Boxes of more than a few rows are copied by all threads.
template <class Layout>
void expect_large_boxes_to_come_out_and_go_in() {
  const Index3 many{120, 50, 40};
  const auto value = [](Index3 p, int c) { return std::sin(p[0] + 120 * p[1] + 6000 * p[2] + c); };
  for (Settings settings : decompositions()) {
    for (auto& cut : settings.cuts) cut.clear();
    settings.patches = {2, 1, 1};
    if (settings.devices.size() > 2) settings.devices.resize(2);
    settings.threads = 3;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = many});
    Field<double, 2, Layout> u(grid, "u"), v(grid, "v");
    u.fill(value);
    const std::vector<double> values = u.copy_out();
    std::size_t at = 0;
    for (int c = 0; c < 2; ++c) {
      for (Index z = 0; z < many[2]; ++z) {
        for (Index y = 0; y < many[1]; ++y) {
          for (Index x = 0; x < many[0]; ++x) ASSERT_EQ(values[at++], value({x, y, z}, c));
        }
      }
    }
    v.copy_in(values);
    EXPECT_EQ(v.checksum(), u.checksum());
  }
}
TEST(GlobalAccessOfCells, LargeBoxesComeOutAndGoIn) {
  expect_large_boxes_to_come_out_and_go_in<ijk>();
  expect_large_boxes_to_come_out_and_go_in<kij>();
}

TEST(GlobalAccessOfCells, ChecksumsTellPermutedValuesApart) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = cells});
  Field<float> a(grid, "a"), b(grid, "b");
  a.fill([](Index3 p) { return value_at(p, 0); });
  b.fill([](Index3 p) { return value_at({12 - p[0], p[1], p[2]}, 0); });
  EXPECT_EQ(a.sum(), b.sum());
  EXPECT_NE(a.checksum(), b.checksum());
}

TEST(GlobalAccessOfCells, SumsAreExactInAnyOrder) {
  std::vector<double> sums;
  for (const Settings& settings : decompositions()) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<double> u(grid, "u");
    u.fill([](Index3 p) { return std::ldexp(1.0 / (1 + p[0]), static_cast<int>(p[1] * 9 - 30)); });
    sums.push_back(u.sum());
  }
  EXPECT_THAT(sums, testing::Each(sums.front()));
}

TEST(GlobalAccessOfCells, FieldsThatNobodyRefersToMakeRoomForOthers) {
  for (const Settings& settings : decompositions()) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<double> kept(grid, "kept");
    kept.fill(1);
    const auto bytes = [&] { return domain_of(*grid.state()).bytes_allocated(); };
    const std::size_t one = bytes();
    for (int n = 0; n < 5; ++n) {
      Field<double> u(grid, "u");
      u.fill(n);
      EXPECT_EQ(u.sum(), static_cast<double>(n * product(cells)));
    }
    EXPECT_LE(bytes(), 2 * one + 2 * one / 8);
    EXPECT_EQ(kept.sum(), static_cast<double>(product(cells)));
    Field<double> u(grid, "u");
    EXPECT_EQ(u.maximum(), 0) << "it is new";
    EXPECT_THROW(Field<double>(grid, "u"), Error);
  }
}

TEST(GlobalAccessOfCells, ExtremaKnowOneZeroAndOneNan) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Settings& settings : decompositions()) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<double> u(grid, "u"), v(grid, "v");
    u.fill([](Index3 p) { return p[0] == 3 ? 0.0 : -0.0; });
    for (const double extremum : {u.minimum(), u.maximum()}) {
      EXPECT_EQ(extremum, 0);
      EXPECT_FALSE(std::signbit(extremum));
    }
    for (const double one : {nan, -nan, std::nan("7")}) {
      u.set({3, 4, 2}, one);
      for (const double all : {u.minimum(), u.maximum(), u.sum()}) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(all), std::bit_cast<std::uint64_t>(nan));
      }
    }
    v.fill([](Index3 p) { return p[1] == 2 ? -HUGE_VAL : 1e-310; });
    EXPECT_EQ(v.minimum(), -HUGE_VAL);
    EXPECT_EQ(v.maximum(), 1e-310);
    EXPECT_EQ(v.sum(), -HUGE_VAL);
  }
}

TEST(GlobalAccessOfCells, ValuesOutsideTheGridAreRefused) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = cells, .boundary = mirror});
  Field<float> u(grid, "u");
  Field<float, 2> v(grid, "v", {Location::face_x});
  const std::string outside =
      "box [13:14 x 0:1 x 0:1] is refused (field 'u' has [0:13 x 0:7 x 0:5])";
  EXPECT_EQ(error_of([&] { u.get({13, 0, 0}); }), outside);
  EXPECT_EQ(error_of([&] { u.set({13, 0, 0}, 1); }), outside);
  EXPECT_EQ(error_of([&] { u.copy_out(Box{{13, 0, 0}, {14, 1, 1}}); }), outside);
  EXPECT_EQ(error_of([&] { v.get({13, 0, 0}); }), "");
  EXPECT_EQ(error_of([&] {
              v.get({0, 0, 0}, 2);
            }),
            "component 2 is refused (field 'v' has 2, counted from 0)");
  EXPECT_EQ(error_of([&] { v.sum(-1); }),
            "component -1 is refused (field 'v' has 2, counted from 0)");
  EXPECT_EQ(error_of([&] {
              u.copy_in(std::vector<float>(3), Box{{0, 0, 0}, {2, 1, 1}});
            }),
            "field 'u' cannot be set (box holds 2 elements, got 3)");
}

TEST(GlobalAccessOfCells, FillTakesNumbersPositionsAndIndices) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = cells, .spacing = 0.5, .origin = {10, 0, 0}});
  Field<double> u(grid, "u");
  EXPECT_EQ(u.fill(3).get({1, 2, 3}), 3);
  EXPECT_EQ(u.fill([](Position p) { return p.x + p.y; }).get({1, 2, 3}), 10.75 + 1.25);
  EXPECT_EQ(u.fill([](Index3 p) { return p[2]; }).get({1, 2, 3}), 3);
  Field<half, 2> h(grid, "h");
  h.fill([](Position p, int c) { return p.x + c; });
  EXPECT_EQ(static_cast<float>(h.get({1, 2, 3}, 1)), 11.75f);
  h.fill(half(2.5f));
  EXPECT_EQ(static_cast<float>(h.get({1, 2, 3}, 0)), 2.5f);
}

TEST(GlobalAccessOfCells, TheFirstNonfiniteValueIsFound) {
  for (const Settings& settings : decompositions()) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<float, 2, kij> u(grid, "u");
    Field<half> h(grid, "h");
    Field<std::int32_t> n(grid, "n");
    u.fill(1);
    h.fill(1);
    n.fill(1);
    Domain& domain = domain_of(*grid.state());
    constexpr std::uint64_t many = 1'000'000;
    const auto first = [&] {
      domain.look_for_nonfinite({{u.record().get(), many}, {n.record().get(), 0}});
      domain.look_for_nonfinite({{h.record().get(), 2 * many}});
      return domain.first_nonfinite();
    };
    EXPECT_EQ(first(), Domain::none_is_nonfinite);
    u.set({12, 6, 4}, std::numeric_limits<float>::infinity(), 0);
    u.set({1, 2, 3}, -std::numeric_limits<float>::quiet_NaN(), 1);
    u.set({5, 2, 3}, std::numeric_limits<float>::quiet_NaN(), 0);
    h.set({0, 6, 0}, half(70000.0f));
    const auto number = [](Index x, Index y, Index z) {
      return static_cast<std::uint64_t>((z * cells[1] + y) * cells[0] + x);
    };
    EXPECT_EQ(first(), many + number(5, 2, 3)) << "component 0 comes before component 1";
    u.fill(1);
    EXPECT_EQ(first(), 2 * many + number(0, 6, 0));
    EXPECT_EQ(domain.first_nonfinite(), Domain::none_is_nonfinite) << "it is told once";
  }
}

TEST(GlobalAccessOfCells, RedistributionKeepsEveryValue) {
  for (const Settings& settings : decompositions()) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells, .boundary = mirror});
    Field<float, 2> u(grid, "u");
    Field<std::uint8_t, 1, kij> mask(grid, "mask");
    Field<double> face(grid, "face", {Location::face_y});
    u.fill([](Index3 p, int c) { return value_at(p, c); });
    mask.fill([](Index3 p) { return value_at(p, 0); });
    face.fill([](Index3 p) { return value_at(p, 3); });
    const auto before = std::array{u.checksum(), mask.checksum(), face.checksum()};
    Domain& domain = domain_of(*grid.state());
    for (const auto& cut :
         {cut_explicitly(cells, {"", "2,5", "3,1,1"}), cut_explicitly(cells, {"12,1", "", ""}),
          cut_evenly(cells, {1, 1, 1})}) {
      domain.redistribute(cut);
      EXPECT_EQ((std::array{u.checksum(), mask.checksum(), face.checksum()}), before);
    }
  }
}

TEST(GlobalAccess, PreparedBoxesAreOfSomeMebibytes) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {64, 128, 192}});
  Field<double> field(grid, "field");
  Index boxes = 0;
  field.fill([](Index3 p) { return p[0] + p[1] + p[2]; },
             [&](const Box& box) {
               EXPECT_LE(box.volume() * 8, Index{4} << 20);
               ++boxes;
             });
  EXPECT_EQ(boxes, 3);
  EXPECT_EQ(field.get({63, 127, 191}), 63 + 127 + 191);
}

TEST(GlobalAccess, AnErrorWhileABoxIsPreparedIsThrownOnAllRanks) {
  test::run_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    Settings settings;
    settings.communicator = ranks;
    settings.threads = 1;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = cells});
    Field<float> field(grid, "field");
    const auto fails = [&](const Box&) {
      if (ranks->rank() == 1) throw Error(ExitCode::files, "no such image");
    };
    EXPECT_EQ(error_of([&] { field.fill(0.0f, fails); }), "no such image");
  });
}

}  // namespace
}  // namespace goban::global_access_test
