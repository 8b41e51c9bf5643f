// Numbers that are the same for all cells, in functors of the user's own namespace.

#include "goban/stencil/uniform.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/pack.hpp"

// As a functor would write them: the names of goban are found by its arguments.
namespace of_a_user {

template <class T>
constexpr bool is_uniform = false;
template <class T>
constexpr bool is_uniform<goban::Uniform<T>> = true;

const auto in_all = [](auto x) {
  static_assert(is_uniform<decltype(sin(3.0 * x))>);
  static_assert(is_uniform<decltype(exp(-x) + cos(x) - tan(x) * tanh(x) / atan(x))>);
  static_assert(is_uniform<decltype(log(abs(x)) + cbrt(sqrt(x)) + floor(x) - ceil(x))>);
  static_assert(is_uniform<decltype(pow(x, 2) + atan2(1.0, x) + fma(x, 2.0, x))>);
  static_assert(is_uniform<decltype(max(min(x, 1.0), 0.5 * x))>);
  return pow(2.5 * x - 1, x) + sin(x * 3);
};

}  // namespace of_a_user

namespace goban::uniform_test {
namespace {

TEST(Uniform, HasTheFunctionsOfGobanInEveryNamespace) {
  const double x = 0.7;
  EXPECT_EQ(of_a_user::in_all(Uniform<double>(x)),
            mathematics::pow(2.5 * x - 1, x) + mathematics::sin(x * 3));
}

TEST(Uniform, ComputesAsPlainNumbersDo) {
  const Uniform<float> dt(0.1f);
  const Uniform<std::int64_t> step(7);
  static_assert(std::is_same_v<decltype(dt * 2.0f), Uniform<float>>);
  static_assert(std::is_same_v<decltype(dt * 2.0), Uniform<double>>);
  static_assert(std::is_same_v<decltype(convert<float>(step)), Uniform<float>>);
  EXPECT_EQ(step % 3 * 0.5, 0.5);
  EXPECT_TRUE(step > 6 && dt < 1);
  const float plain = dt;
  EXPECT_EQ(plain, 0.1f);
}

TEST(Uniform, TakesTheTypeOfThePackBesideIt) {
  const Pack<float, 8> u(2.0f);
  const auto sum = u * Uniform<double>(0.5) + Uniform<std::int64_t>(3);
  static_assert(std::is_same_v<decltype(sum), const Pack<float, 8>>);
  EXPECT_EQ(sum.lane(5), 4.0f);
}

}  // namespace
}  // namespace goban::uniform_test
