// One functor, two kinds of value: what compiles on packs compiles on the tracer, with the same
// types, and gives the same for every width.

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "goban/stencil/accessor.hpp"
#include "goban/stencil/graph/trace.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::functor_test {
namespace {

template <class P>
using ElementOf = typename P::Value;

template <class F, class... T>
constexpr bool types_agree = std::is_same_v<ElementOf<decltype(std::declval<F>()(Pack<T, 4>()...))>,
                                            ElementOf<decltype(std::declval<F>()(Traced<T>()...))>>;

// f on all pairs of element types.
template <class F, class... T>
constexpr bool agree_on_pairs(F, std::type_identity<T>...) {
  const auto with = []<class U>(std::type_identity<U>) { return (types_agree<F, T, U> && ...); };
  return (with(std::type_identity<T>{}) && ...);
}
template <class F>
constexpr bool agree_on_all(F f) {
  return agree_on_pairs(f, std::type_identity<float>{}, std::type_identity<double>{},
                        std::type_identity<std::int32_t>{}, std::type_identity<std::uint8_t>{},
                        std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{});
}
template <class F>
constexpr bool agree_on_integers(F f) {
  return agree_on_pairs(f, std::type_identity<std::int32_t>{}, std::type_identity<std::uint8_t>{},
                        std::type_identity<std::int64_t>{}, std::type_identity<std::uint64_t>{});
}

TEST(Functor, HasTheSameTypesOnPacksAndOnTheTracer) {
  static_assert(agree_on_all([](auto a, auto b) { return a + b; }));
  static_assert(agree_on_all([](auto a, auto b) { return -a * 2 / b - 1; }));
  static_assert(agree_on_all([](auto a, auto b) { return a += b, a *= 2, a; }));
  static_assert(agree_on_all([](auto a, auto b) { return min(a, max(b, 1)); }));
  static_assert(agree_on_all([](auto a, auto b) { return select(a < b, a, b); }));
  static_assert(agree_on_all([](auto a, auto b) { return select(a < 1 && !(b == 2), 1, 0); }));
  static_assert(agree_on_all([](auto a, auto b) { return select(a < 1 || b > 2, 1.0, 0); }));
  static_assert(agree_on_all([](auto a, auto b) { return select((a < 1) != (b > 2), b, 0); }));
  static_assert(agree_on_all([](auto a, auto b) { return select(true, a, b); }));
  static_assert(
      agree_on_all([](auto a, auto b) { return convert<float>(a) * convert<double>(b); }));
  static_assert(agree_on_all([](auto a, auto b) { return abs(a) + abs(b); }));
  static_assert(agree_on_integers([](auto a, auto b) { return (a & b) | (~a ^ 3); }));
  static_assert(agree_on_integers([](auto a, auto b) { return (a << b >> 1) % 7; }));
  static_assert(agree_on_all([](auto a, auto b) { return a + convert<float>(b) * 0.5; }));
  static_assert(agree_on_all([](auto a, auto b) {
    const auto x = convert<float>(a);
    return fma(x, 2, sqrt(x)) + pow(x, b) + atan2(1, x) + floor(tanh(x));
  }));
}

TEST(Functor, HasTheSameTypesBesideNumbersThatAreTheSameForAllCells) {
  const auto agree = []<class T, class U>(std::type_identity<T>, std::type_identity<U>) {
    const auto f = [](auto a, auto dt) {
      return a * dt + (a - dt) * (dt * 2) + select(dt > 0, a, 0) + select(a > dt, 1, a);
    };
    return std::is_same_v<ElementOf<decltype(f(Pack<T, 4>(), U()))>,
                          ElementOf<decltype(f(Traced<T>(), Traced<U, false>()))>>;
  };
  static_assert(agree(std::type_identity<float>{}, std::type_identity<double>{}));
  static_assert(agree(std::type_identity<double>{}, std::type_identity<float>{}));
  static_assert(agree(std::type_identity<float>{}, std::type_identity<int>{}));
  static_assert(agree(std::type_identity<std::uint8_t>{}, std::type_identity<int>{}));
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

constexpr int nx = 64, rows = 5;

template <int N>
std::vector<float> medley() {
  std::vector<float> u(nx * rows * rows), f(3 * u.size()), out(3 * nx);
  std::vector<std::uint8_t> kind(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = static_cast<float>(i * 7919 % 1000) / 1000;
    kind[i] = static_cast<std::uint8_t>(i * 31 % 7);
  }
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<float>(i * 104729 % 997);
  const auto stride = static_cast<Index>(u.size());
  SiteInfo info{.index = {0, 2, 2},
                .extents = {nx, rows, rows},
                .periodic = {true, true, true},
                .origin = {0, 0, 0},
                .spacing = {0.1, 0.1, 0.1},
                .offset = {0.5, 0.5, 0.5},
                .step = 4,
                .time = 0.75,
                .seed = 1};
  const Index3 strides = {1, nx, nx * rows};
  for (Index i = N; i + 2 * N <= nx; i += N) {
    info.index[0] = i;
    const Index at = i + 2 * nx + 2 * nx * rows;
    Pack<float, N> v[1], w[2];
    preload<2>(w, f.data() + i, ComponentOffset<float>(nx));
    Medley{}(SiteAccessor<N>(info), ValueAccessor<double>{0.25},
             Reader<float, 1, N>(u.data() + at, strides, stride),
             Reader<std::uint8_t, 1, N>(kind.data() + at, strides, stride),
             Reader<float, 3, N>(f.data() + at, strides, stride), Writer<float, 1, N>(v),
             ReadWriter<float, 2, N>(w));
    store(out.data() + i, v[0]);
    store(out.data() + nx + i, w[0]);
    store(out.data() + 2 * nx + i, w[1]);
  }
  return out;
}

TEST(Functor, GivesTheSameBitsForEveryWidth) {
  const auto one = medley<1>();
  for (const auto& wide : {medley<4>(), medley<8>(), medley<16>()}) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (i % nx >= 16 && i % nx < 32) {
        EXPECT_EQ(wide[i], one[i]) << i;
      }
    }
  }
}

TEST(Functor, IsTracedWithoutChange) {
  constexpr auto f = constant_footprint<
      Medley, SiteParameter, ValueParameter<double>, FieldParameter<Access::in, float>,
      FieldParameter<Access::in, std::uint8_t>, FieldParameter<Access::in, float, 3>,
      FieldParameter<Access::out, float>, FieldParameter<Access::inout, float, 2>>;
  static_assert(f.error == TraceError::none);
  static_assert(!f.branching && f.paths == 2);
  static_assert(f.read_count == 7 + 1 + 3 + 2);
}

}  // namespace
}  // namespace goban::functor_test
