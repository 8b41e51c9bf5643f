// Fields stored in place: the same bits as with two sets of values, at any moment of a run.

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::in_place_test {
namespace {

using test::error_of;
using test::pattern;
using test::Results;
using test::SettingsProduct;

constexpr int count = 8;

/// Where Stir reads the components of a field: rest, faces, edges, corners.
GOBAN_FUNCTION std::array<int, 3> source(int q) {
  constexpr std::array<int, 3> all[count] = {{0, 0, 0},  {-1, 0, 0}, {1, 0, 0},   {0, -1, 0},
                                             {0, 1, -1}, {1, 1, 1},  {-1, 1, -1}, {0, 0, 1}};
  return all[q];
}

/// Pulls and mixes.
struct Stir {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    decltype(f[0]()) g[count], mean(0);
    unroll<count>([&](auto q) {
      constexpr std::array<int, 3> from = source(q);
      g[q] = f[q](from[0], from[1], from[2]);
      mean = mean + 0.125f * g[q];
    });
    unroll<count>([&](auto q) { next[q] = g[q] + 0.25f * (mean - g[q]); });
  }
};
/// Reads every component where it likes, of a field that it does not write.
struct Spread {
  GOBAN_FUNCTION void operator()(auto f, auto s) const {
    s = f[0]() + f[1](2, 0, 0) - f[1](-1, 0, 0) + f[5](0, -2, 1);
  }
};
struct Damp {
  GOBAN_FUNCTION void operator()(auto f) const {
    unroll<count>([&](auto q) { f[q] *= 0.5f; });
  }
};
struct Total {
  GOBAN_FUNCTION auto operator()(auto f) const {
    auto sum = f[0]();
    unroll<count - 1>([&](auto q) { sum = sum + f[q + 1](); });
    return sum;
  }
};

const Index3 cells{70, 13, 11};

/// A field that is stirred, of T or InPlace<T>.
template <class T, class Layout = ijk>
struct Stirred {
  using Populations = Field<T, count, Layout>;

  explicit Stirred(const Settings& settings, const BoundarySet& boundary = {periodic},
                   Index3 extents = cells)
      : runtime(settings), grid(runtime, {.cells = extents, .boundary = boundary}) {
    f.fill([](Index3 at, int q) { return pattern({at[0] + q, at[1], at[2]}); });
    step.apply(Stir{}, in(f), out(next));
    step.swap(f, next);
  }
  void run(Index steps) {
    if (!engine) engine = std::make_unique<Engine>(step);
    engine->run(steps, clock);
  }
  void run_once(const Program& program) {
    StepClock now;
    Engine(program).run(1, now);
  }

  Runtime runtime;
  Grid grid;
  Populations f{grid, "f"}, next{f, "next"};
  Program step{"stir"};
  std::unique_ptr<Engine> engine;
  StepClock clock;
};

SettingsProduct everything() {
  SettingsProduct product;
  product.cpu_joins_gpus = false;
  product.cuts = {{"", "", ""}, {"31,39", "", ""}, {"", "6,7", "5,6"}, {"21,26,23", "8,5", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = {1, 2, 3};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 3};
  product.recompute = {false, true};
  product.delay_seeds = {1, 2};
  return product;
}

template <class T, class Layout>
Results stir(const Settings& settings, const BoundarySet& boundary) {
  Stirred<T, Layout> flow(settings, boundary);
  Results results;
  Index done = 0;
  for (const Index steps : {1, 1, 2, 3, 6}) {
    flow.run(steps);
    done += steps;
    results["step " + std::to_string(done)] = flow.f.checksum();
  }
  return results;
}

template <class T, class Layout = ijk>
void expect_bits_of_two_sets(const BoundarySet& boundary) {
  EXPECT_EQ((stir<InPlace<T>, Layout>(test::plain_schedule(), boundary)),
            (stir<T, Layout>(test::plainest(), boundary)));
  test::expect_same_bits([&](const Settings& s) { return stir<InPlace<T>, Layout>(s, boundary); },
                         everything().all());
}

TEST(InPlace, PeriodicFields_HaveTheBitsOfTwoSets) { expect_bits_of_two_sets<float>(periodic); }
TEST(InPlace, FieldsAlongZ_HaveTheBitsOfTwoSets) { expect_bits_of_two_sets<float, kij>(periodic); }
TEST(InPlace, HalfPrecision_HasTheBitsOfTwoSets) { expect_bits_of_two_sets<half>(periodic); }
TEST(InPlace, GhostsOfAllKinds_HaveTheBitsOfTwoSets) {
  expect_bits_of_two_sets<double>({constant(0.5), mirror, gradient(0.125)});
  expect_bits_of_two_sets<float>({wall_value(0.25), periodic, constant(0)});
}

/// On GPUs a block of threads holds 512 of them at a time.
TEST(InPlace, LongRows_HaveTheBitsOfTwoSets) {
  for (const Index length : {512, 513, 1100}) {
    const auto run = [length]<class T>(const Settings& settings, T) {
      Stirred<T> flow(settings, {periodic, periodic, constant(0.5)}, {length, 5, 4});
      flow.run(3);
      return Results{{"f", flow.f.checksum()}};
    };
    const auto expected = run(test::plainest(), float{});
    SettingsProduct product;
    product.cpu_joins_gpus = false;
    product.backends = {Backend::cpu, Backend::emulated};
    for (const Settings& settings : product.all()) {
      EXPECT_EQ(run(settings, InPlace<float>{}), expected) << length;
    }
  }
}

TEST(InPlace, ManySteps_GoRoundEveryRing) {
  // 70 x 13 x 11 cells: the ring of a component is passed after some 12 steps along z.
  Stirred<float> expected(test::plainest());
  Settings settings;
  settings.threads = 2;
  Stirred<InPlace<float>> found(settings);
  for (int round = 0; round < 5; ++round) {
    expected.run(23);
    found.run(23);
    ASSERT_EQ(found.f.checksum(), expected.f.checksum()) << round;
  }
}

/// Other stages read and write the field like any other, values come and go at any step.
template <class T>
Results used(const Settings& settings) {
  Stirred<T> flow(settings, {mirror, periodic, constant(0.25)});
  Field<float> spread(flow.grid, "spread");
  Parameter<double> total("total"), largest("largest");
  Program watch("watch");
  watch.apply(Spread{}, in(flow.f), out(spread));
  watch.reduce(Total{}, in(flow.f), sum, into(total));
  watch.reduce(Total{}, in(flow.f), maximum, into(largest));
  watch.apply(Damp{}, inout(flow.f)).over({{3, 2, 1}, {40, 9, 8}});
  Results results;
  for (int n = 0; n < 4; ++n) {
    flow.run(3);
    flow.run_once(watch);
    flow.f.set({n, 3, 4}, 2.0f, 6);
    const Box box{{5, 4, 3}, {50, 9, 7}};
    auto values = flow.f.copy_out(box);
    std::reverse(values.begin(), values.end());
    flow.f.copy_in(values, box);
    const std::string step = std::to_string(n);
    results["f " + step] = flow.f.checksum();
    results["spread " + step] = spread.checksum();
    results["total " + step] = test::bits(total.value());
    results["largest " + step] = test::bits(largest.value());
    results["sum " + step] = test::bits(flow.f.sum(5));
    results["value " + step] = test::bits(flow.f.get({69, 12, 10}, 6));
  }
  return results;
}

TEST(InPlace, ValuesCanBeUsedAtEveryStep) {
  SettingsProduct product;
  product.cpu_joins_gpus = false;
  product.cuts = {{"", "", ""}, {"31,39", "", ""}, {"", "6,7", "5,6"}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::two_kernel};
  EXPECT_EQ(used<InPlace<float>>(test::plain_schedule()), used<float>(test::plainest()));
  test::expect_same_bits(used<InPlace<float>>, product.all());
}

TEST(InPlace, ValuesMoveToOtherPatches) {
  Stirred<float> expected(test::plainest());
  Stirred<InPlace<float>> found(test::plain_schedule());
  for (const Index3& patches : {Index3{2, 1, 1}, {1, 2, 2}, {1, 1, 1}}) {
    expected.run(5);
    found.run(5);
    domain_of(*found.grid.state()).redistribute(cut_evenly(cells, patches));
    EXPECT_EQ(found.f.checksum(), expected.f.checksum());
  }
}

TEST(InPlace, TwoFieldsTakeTheMemoryOfOne) {
  Stirred<float> two(test::plainest());
  Stirred<InPlace<float>> one(test::plain_schedule());
  const auto bytes = [](auto& flow) {
    flow.run(1);
    EXPECT_EQ(domain_of(*flow.grid.state()).bytes_allocated(), flow.engine->bytes_needed());
    return static_cast<double>(flow.engine->bytes_needed());
  };
  EXPECT_NEAR(bytes(one) / bytes(two), 0.5, 0.1);
}

// ---- What cannot be done in place

class InPlaceRefusal : public testing::Test {
 protected:
  using Populations = Field<InPlace<float>, count>;

  std::string refusal(const Program& program) {
    return error_of([&] { Engine(program).prepare(); });
  }

  Runtime runtime_{test::plainest()};
  Grid grid_{runtime_, {.cells = {8, 8, 8}, .boundary = {periodic}}};
  Populations f_{grid_, "f"}, next_{f_, "next"};
  Field<std::uint8_t> mask_{grid_, "mask"};
  Program program_{"program"};
};

struct Average {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    unroll<count>([&](auto q) { next[q] = 0.5f * (f[q](1, 0, 0) + f[q](-1, 0, 0)); });
  }
};
struct Leap {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    unroll<count>([&](auto q) { next[q] = f[q](0, 0, 2); });
  }
};
struct Blend {
  GOBAN_FUNCTION void operator()(auto f, auto next, auto other) const {
    unroll<count>([&](auto q) { next[q] = f[q]() + other[q](); });
  }
};

TEST_F(InPlaceRefusal, ComponentsThatAreReadTwice) {
  program_.apply(Average{}, in(f_), out(next_));
  program_.swap(f_, next_);
  EXPECT_EQ(refusal(program_),
            "stage 'Average' cannot work on field 'f' in place (component 0 is read at several "
            "offsets); store it without InPlace");
}
TEST_F(InPlaceRefusal, ComponentsThatAreReadFarAway) {
  program_.apply(Leap{}, in(f_), out(next_));
  program_.swap(f_, next_);
  EXPECT_EQ(refusal(program_),
            "stage 'Leap' cannot work on field 'f' in place (component 0 is read more than a cell "
            "away); store it without InPlace");
}
TEST_F(InPlaceRefusal, StagesWithoutASwap) {
  program_.apply(Stir{}, in(f_), out(next_));
  EXPECT_EQ(
      refusal(program_),
      "stage 'Stir' cannot use field 'next' ('f' is gone after it); swap both right after the "
      "stage");
}
TEST_F(InPlaceRefusal, PartsOfAField) {
  const std::string refused =
      "stage 'Stir' cannot use field 'next' (it takes the place of 'f', which is not whole after "
      "part of a step); leave the region or the mask away";
  program_.apply(Stir{}, in(f_), out(next_)).over({{1, 1, 1}, {4, 4, 4}});
  program_.swap(f_, next_);
  EXPECT_EQ(refusal(program_), refused);
  Program masked("masked");
  masked.apply(Stir{}, in(f_), out(next_)).where(mask_);
  masked.swap(f_, next_);
  EXPECT_EQ(refusal(masked), refused);
}
TEST_F(InPlaceRefusal, ValuesThatAreNotThere) {
  Populations other(grid_, "other");
  program_.apply(Blend{}, in(f_), out(other), in(next_));
  EXPECT_EQ(refusal(program_),
            "stage 'Blend' cannot use field 'next' (it has no values but those of 'f' after a "
            "step); read 'f'");
  EXPECT_EQ(error_of([&] { next_.checksum(); }),
            "field 'next' has no values of its own (it shares the memory of 'f'); use 'f'");
  EXPECT_NE(error_of([&] { next_.fill(0); }), "");
}
TEST_F(InPlaceRefusal, OutputsInPlaceOfAFieldThatIsNotRead) {
  Populations other(grid_, "other");
  program_.apply(Stir{}, in(other), out(next_));
  EXPECT_EQ(refusal(program_),
            "stage 'Stir' cannot use field 'next' (it takes the place of 'f' as the same stage "
            "reads it); pass in(f) and out(next), once each");
}
TEST_F(InPlaceRefusal, SwapsOfOtherFields) {
  Populations other(grid_, "other");
  program_.apply(Stir{}, in(f_), out(other));
  program_.swap(f_, other);
  EXPECT_EQ(refusal(program_),
            "swap of field 'f' is refused (it is stored in place); swap it with the output of the "
            "stage just before, or store it without InPlace");
}

}  // namespace
}  // namespace goban::in_place_test
