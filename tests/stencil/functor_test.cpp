// What functors are made of: types meet by one rule, and one written the way people write has the
// same bits however it is computed.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/error_text.hpp"

namespace goban::functor_test {
namespace {

/// What f gives for values of cells of these types.
template <class F, class... T>
using ValueOf = typename decltype(std::declval<F>()(Traced<T>()...))::Value;

/// Rule<T, U> is what f gives for each pair of types.
template <template <class, class> class Rule, class F, class... T>
constexpr bool follow_on_pairs(F, std::type_identity<T>...) {
  const auto with = []<class U>(std::type_identity<U>) {
    return (std::is_same_v<ValueOf<F, T, U>, Rule<T, U>> && ...);
  };
  return (with(std::type_identity<T>{}) && ...);
}
template <template <class, class> class Rule, class F>
constexpr bool integers_follow(F f) {
  return follow_on_pairs<Rule>(
      f, std::type_identity<std::int32_t>{}, std::type_identity<std::uint8_t>{},
      std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{});
}
template <template <class, class> class Rule, class F>
constexpr bool all_follow(F f) {
  return follow_on_pairs<Rule>(
      f, std::type_identity<float>{}, std::type_identity<double>{},
      std::type_identity<std::int32_t>{}, std::type_identity<std::uint8_t>{},
      std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{});
}

template <class T, class U>
using First = T;
template <class T, class U>
using Second = U;
template <class T, class U>
using Double = double;
template <class T, class U>
using OfFirstAndFloat = Promoted<T, float>;
template <class T, class U>
using OfSecondAndFloat = Promoted<U, float>;
template <class T, class U>
inline constexpr std::size_t compared_bytes = std::max(sizeof(T), sizeof(U));
template <class T, class U>
using AsWideAsCompared = SelectedInteger<compared_bytes<T, U>>;
template <class T, class U>
using SecondOrDouble = std::conditional_t<std::is_floating_point_v<U>, U, double>;

TEST(Types, MeetByOneRule) {
  static_assert(std::is_same_v<Promoted<float, double>, double>);
  static_assert(std::is_same_v<Promoted<std::int64_t, float>, float>);
  static_assert(std::is_same_v<Promoted<std::int32_t, std::uint8_t>, std::int32_t>);
  static_assert(std::is_same_v<Promoted<std::int64_t, std::uint64_t>, std::uint64_t>);
  static_assert(std::is_same_v<Promoted<std::uint8_t, std::uint8_t>, std::uint8_t>);
  static_assert(all_follow<Promoted>([](auto a, auto b) { return a + b; }));
  static_assert(all_follow<Promoted>([](auto a, auto b) { return -a * 2 / b - 1; }));
  static_assert(all_follow<First>([](auto a, auto b) { return a += b, a *= 2, a; }));
  static_assert(all_follow<Promoted>([](auto a, auto b) { return min(a, max(b, 1)); }));
  static_assert(all_follow<Promoted>([](auto a, auto b) { return select(a < b, a, b); }));
  static_assert(
      all_follow<Second>([](auto a, auto b) { return select((a < 1) != (b > 2), b, 0); }));
  static_assert(all_follow<Promoted>([](auto a, auto b) { return select(true, a, b); }));
  static_assert(
      all_follow<Double>([](auto a, auto b) { return convert<float>(a) * convert<double>(b); }));
  static_assert(all_follow<Promoted>([](auto a, auto b) { return abs(a) + abs(b); }));
  static_assert(integers_follow<Promoted>([](auto a, auto b) { return (a & b) | (~a ^ 3); }));
  static_assert(integers_follow<First>([](auto a, auto b) { return (a << b >> 1) % 7; }));
  static_assert(
      all_follow<OfFirstAndFloat>([](auto a, auto b) { return a + convert<float>(b) * 0.5; }));
  static_assert(all_follow<OfSecondAndFloat>([](auto a, auto b) {
    const auto x = convert<float>(a);
    return fma(x, 2, sqrt(x)) + pow(x, b) + atan2(1, x) + floor(tanh(x));
  }));
}

TEST(Types, OfSelectedWholeNumbersAreAsWideAsWhatIsCompared) {
  static_assert(std::is_same_v<SelectedInteger<1>, std::uint8_t>);
  static_assert(std::is_same_v<SelectedInteger<4>, std::int32_t>);
  static_assert(std::is_same_v<SelectedInteger<8>, std::int64_t>);
  static_assert(all_follow<AsWideAsCompared>(
      [](auto a, auto b) { return select(a < 1 && !(b == 2), 1, 0); }));
}

TEST(Types, OfSelectedNumbersWithFractionsAreThoseOfTheValuesBesideThem) {
  static_assert(
      all_follow<SecondOrDouble>([](auto a, auto b) { return select(a < 1, 0.1, 0) * b; }));
  static_assert(all_follow<SecondOrDouble>([](auto a, auto b) {
    const auto chosen = select(a < 1, 0.1, 0), other = select(a > 7, 0.2, 3);
    return select(b > 2, fma(1 - chosen, other, -sqrt(other)), b);
  }));
  static_assert(all_follow<Double>([](auto a, auto b) { return select(a < 1 || b > 2, 1.0, 0); }));
  static_assert(
      std::is_same_v<decltype(select(Traced<double>() < 1, 0.5F, 1) + 1), TracedChoice<float>>);
}

// 0.1 is another number in single precision. What is compared has other widths than what is stored.
struct ChooseByIndex {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto kind, auto scaled, auto plain) const {
    const auto is_first = site.index(Axis::x) == 0;
    const auto share = select(is_first, 0.1, 0.3) + select(kind() == 2, 0.7, 0);
    scaled = share * u();
    plain = select(is_first, 0.1, select(kind() == 2, 0.7, 0.3));
  }
};

template <class T>
void expect_numbers_of_their_use(Runtime& runtime, bool waits) {
  Grid grid(runtime, {.cells = {5, 1, 1}});
  Field<T> u(grid, "u"), scaled(grid, "scaled"), plain(grid, "plain");
  Field<std::uint8_t> kind(grid, "kind");
  u.fill([](Index3 i) { return 1 + static_cast<double>(i[0]) / 3; });
  kind.fill([](Index3 i) { return i[0]; });
  Program step("choose");
  step.apply(ChooseByIndex{}, site, in(u), in(kind), out(scaled), out(plain));
  if (waits) {
    EXPECT_TRUE(cpu::kernel_of(step.stages().front()).wait());
  }
  StepClock clock;
  Engine(step).run(1, clock);
  for (Index i = 0; i < 5; ++i) {
    const double share = (i == 0 ? 0.1 : 0.3) + (i == 2 ? 0.7 : 0);
    EXPECT_EQ(scaled.get({i, 0, 0}), static_cast<T>(share) * static_cast<T>(u.get({i, 0, 0})));
    EXPECT_EQ(plain.get({i, 0, 0}), static_cast<T>(i == 0 ? 0.1 : i == 2 ? 0.7 : 0.3));
  }
}

TEST(Functors, AreRefusedNumbersThatTheValuesBesideThemCannotHold) {
  Runtime runtime(Settings{});
  Grid grid(runtime, {.cells = {4, 4, 4}});
  Field<std::uint8_t> u(grid, "u"), next(grid, "next");
  Program step("step");
  const auto refusal = [&](auto functor) {
    return test::refusal(ExitCode::usage, [&] { step.apply(functor, in(u), out(next)); });
  };
  EXPECT_EQ(
      refusal([](auto u, auto next) { next = select(u() < 256, u(), 0); }),
      "the number 256 beside whole values of 8 bits is refused (they cannot hold it); convert "
      "the values: convert<double>(u())");
  EXPECT_EQ(refusal([](auto u, auto next) { next = (u() & 0xff) + 255 - (~u() ^ -1); }), "");
}

TEST(Functors, SelectNumbersInThePrecisionOfTheirUse) {
  Runtime runtime(Settings{});
  for (const bool waits : {false, true}) {
    expect_numbers_of_their_use<double>(runtime, waits);
    expect_numbers_of_their_use<float>(runtime, waits);
  }
}

TEST(Types, OfNumbersAreThoseOfTheValuesBesideThem) {
  static_assert(std::is_same_v<decltype(2.5 * Traced<float>()), Traced<float>>);
  static_assert(std::is_same_v<decltype(Traced<float>() + 1), Traced<float>>);
  static_assert(std::is_same_v<decltype(Traced<std::uint8_t>() + 300), Traced<std::uint8_t>>);
  static_assert(
      std::is_same_v<decltype(Traced<float>() + std::integral_constant<int, 2>{}), Traced<float>>);
}

/// The same for all cells.
template <class T>
using One = Traced<T, false>;

TEST(Types, OfNumbersThatAreTheSameForAllCellsAreThoseOfTheValuesBesideThem) {
  const auto follows = []<class T, class U>(std::type_identity<T>, std::type_identity<U>) {
    const auto f = [](auto a, auto dt) {
      return a * dt + (a - dt) * (dt * 2) + select(dt > 0, a, 0) + select(a > dt, 1, a);
    };
    return std::is_same_v<decltype(f(Traced<T>(), One<U>())), Traced<T>>;
  };
  static_assert(follows(std::type_identity<float>{}, std::type_identity<double>{}));
  static_assert(follows(std::type_identity<double>{}, std::type_identity<float>{}));
  static_assert(follows(std::type_identity<float>{}, std::type_identity<int>{}));
  static_assert(follows(std::type_identity<std::uint8_t>{}, std::type_identity<int>{}));
}

TEST(Types, OfNumbersThatAreTheSameForAllCellsMeetAsInPlainCode) {
  static_assert(std::is_same_v<decltype(One<float>() * 2.0f), One<float>>);
  static_assert(std::is_same_v<decltype(One<float>() * 2.0), One<double>>);
  static_assert(std::is_same_v<decltype(One<std::uint8_t>() + One<std::uint8_t>()), One<int>>);
  static_assert(std::is_same_v<decltype(convert<float>(One<std::int64_t>())), One<float>>);
}

template <class T>
GOBAN_FUNCTION T square(const T& x) {
  return x * x;
}

// Written the way people write.
struct Medley {
  float strength = 0.5f;
  std::array<float, 3> weights = {1, 2, 4};

  GOBAN_FUNCTION void operator()(auto site, auto dt, auto u, auto kind, auto f, auto v,
                                 auto w) const {
    using Value = decltype(u());
    std::array<Value, 3> gradient;
    unroll<3>([&](auto i) {
      constexpr Axis axis = all_axes[i];
      gradient[i] = weights[i] * (u.template shift<axis>(1)() - u.template shift<axis>(-1)()) / 2;
    });
    Value sum = 0;
    for (const Value& g : gradient) sum += square(g);
    const auto half_step = dt() * 0.5f;
    const auto inside = kind() == 1 || (kind() > 4 && u() > 0.25);
    auto flux = f[0]();
    unroll<2>([&](auto c) { flux -= f[c + 1](0, c, 0) * (c + 1); });
    if (site.step() % 2 == 0) flux *= 2;
    const auto noise = site.template random<float>(3) - 0.5f;
    const auto wave = sin(site.time()) * cos(site.template position<float>(Axis::y));
    v = select(inside, u() + half_step * sqrt(sum) + wave, strength * min(u(), 1) + noise);
    w[0] += flux;
    w[1] = -w[1]() + max(flux, convert<float>(kind()));
  }
};

/// The bits of u and w after three steps; `waits`: machine code is there from the first step on.
std::vector<std::uint32_t> medley(Backend backend, bool waits = false) {
  Settings settings;
  settings.backend = backend;
  settings.seed = 1;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {67, 5, 6}, .spacing = 0.1, .boundary = periodic});
  Field<float> u(grid, "u"), v(grid, "v");
  Field<std::uint8_t> kind(grid, "kind");
  Field<float, 3> f(grid, "f");
  Field<float, 2> w(grid, "w");
  Parameter<double> dt("dt", 0.25);
  const auto number = [](Index3 i) {
    return static_cast<std::size_t>(i[0] + 67 * (i[1] + 5 * i[2]));
  };
  u.fill([&](Index3 i) { return static_cast<float>(number(i) * 7919 % 1000) / 1000; });
  kind.fill([&](Index3 i) { return static_cast<std::uint8_t>(number(i) * 31 % 7); });
  f.fill([&](Index3 i, int c) {
    return static_cast<float>((number(i) + 2010 * static_cast<std::size_t>(c)) * 104729 % 997);
  });
  Program step("medley");
  step.apply(Medley{}, site, param(dt), in(u), in(kind), in(f), out(v), inout(w));
  step.swap(u, v);
  if (waits) {
    EXPECT_TRUE(cpu::kernel_of(step.stages().front()).wait());
  }
  StepClock clock;
  clock.dt = 0.25;
  Engine(step).run(3, clock);
  std::vector<std::uint32_t> bits;
  for (const float x : u.copy_out()) bits.push_back(std::bit_cast<std::uint32_t>(x));
  for (const float x : w.copy_out()) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return bits;
}

TEST(Functor, HasTheSameBitsHoweverItIsComputed) {
  const auto expected = medley(Backend::reference);
  EXPECT_EQ(medley(Backend::cpu, true), expected) << "machine code";
  EXPECT_EQ(medley(Backend::cpu), expected);
}

TEST(Functor, IsTracedWithoutChange) {
  const auto f =
      trace<SiteParameter, ValueParameter<double>, FieldParameter<Access::in, float>,
            FieldParameter<Access::in, std::uint8_t>, FieldParameter<Access::in, float, 3>,
            FieldParameter<Access::out, float>, FieldParameter<Access::inout, float, 2>>(Medley{});
  EXPECT_EQ(f.error, TraceError::none);
  EXPECT_FALSE(f.branching);
  EXPECT_EQ(f.paths, 2);
  EXPECT_EQ(f.read_count, 7 + 1 + 3 + 2);
}

}  // namespace
}  // namespace goban::functor_test

namespace of_a_user {

template <class X>
inline constexpr bool is_one = false;
template <class T>
inline constexpr bool is_one<goban::Traced<T, false>> = true;

/// The names of goban are found by the arguments.
struct InAll {
  constexpr void operator()(auto p, auto next) const {
    const auto x = p();
    static_assert(is_one<decltype(sin(3.0 * x))>);
    static_assert(is_one<decltype(exp(-x) + cos(x) - tan(x) * tanh(x) / atan(x))>);
    static_assert(is_one<decltype(log(abs(x)) + cbrt(sqrt(x)) + floor(x) - ceil(x))>);
    static_assert(is_one<decltype(pow(x, 2) + atan2(1.0, x) + fma(x, 2.0, x))>);
    static_assert(is_one<decltype(max(min(x, 1.0), 0.5 * x))>);
    next = pow(2.5 * x - 1, x) + sin(x * 3);
  }
};

}  // namespace of_a_user

namespace goban::functor_test {
namespace {

TEST(Functor, OfAUserFindsTheFunctionsOfGoban) {
  Runtime runtime(Settings{});
  Grid grid(runtime, {.cells = {8, 2, 2}});
  Field<double> next(grid, "next");
  Parameter<double> p("p", 0.7);
  Program step("in all");
  step.apply(of_a_user::InAll{}, param(p), out(next));
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(next.get({3, 1, 1}), goban::pow(2.5 * 0.7 - 1, 0.7) + goban::sin(0.7 * 3));
}

}  // namespace
}  // namespace goban::functor_test
