#include "goban/stencil/operators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "goban/stencil/graph/footprint.hpp"
#include "goban/stencil/graph/trace.hpp"

namespace goban::operators_test {
namespace {

namespace fd = finite_differences;

TEST(FiniteDifferences, HaveTheTextbookCoefficients) {
  static_assert(fd::first(1, 1) == 1. / 2);
  static_assert(fd::first(2, 1) == 2. / 3 && fd::first(2, 2) == -1. / 12);
  static_assert(fd::first(3, 1) == 3. / 4 && fd::first(3, 2) == -3. / 20 &&
                fd::first(3, 3) == 1. / 60);
  static_assert(fd::first(4, 1) == 4. / 5 && fd::first(4, 2) == -1. / 5 &&
                fd::first(4, 3) == 4. / 105 && fd::first(4, 4) == -1. / 280);
  static_assert(fd::second(1, 0) == -2 && fd::second(1, 1) == 1);
  static_assert(fd::second(2, 0) == -5. / 2 && fd::second(2, 1) == 4. / 3 &&
                fd::second(2, 2) == -1. / 12);
  static_assert(fd::second(3, 0) == -49. / 18 && fd::second(3, 1) == 3. / 2 &&
                fd::second(3, 2) == -3. / 20 && fd::second(3, 3) == 1. / 90);
  static_assert(fd::second(4, 0) == -205. / 72 && fd::second(4, 1) == 8. / 5 &&
                fd::second(4, 2) == -1. / 5 && fd::second(4, 3) == 8. / 315 &&
                fd::second(4, 4) == -1. / 560);
  static_assert(fd::staggered(1, 1) == 1);
  static_assert(fd::staggered(2, 1) == 9. / 8 && fd::staggered(2, 2) == -1. / 24);
  static_assert(fd::staggered(3, 1) == 75. / 64 && fd::staggered(3, 2) == -25. / 384 &&
                fd::staggered(3, 3) == 3. / 640);
  static_assert(fd::staggered(4, 1) == 1225. / 1024 && fd::staggered(4, 2) == -245. / 3072 &&
                fd::staggered(4, 3) == 49. / 5120 && fd::staggered(4, 4) == -5. / 7168);
  static_assert(fd::average(1, 1) == 1. / 2);
  static_assert(fd::average(2, 1) == 9. / 16 && fd::average(2, 2) == -1. / 16);
  static_assert(fd::average(3, 1) == 75. / 128 && fd::average(3, 2) == -25. / 256 &&
                fd::average(3, 3) == 3. / 256);
}

/// Reads plain numbers, x fastest, 16 along each axis.
struct Numbers : goban::detail::FieldAccessorBase {
  const double* here;

  explicit Numbers(const double* here_) : here(here_) {}
  double operator()(int i = 0, int j = 0, int k = 0) const { return here[i + 16 * j + 256 * k]; }
  Numbers shift(Axis axis, int n) const {
    return Numbers(here + (axis == Axis::x ? n : axis == Axis::y ? 16 * n : 256 * n));
  }
};

// Samples of f over 16^3 points; `offset` is where they lie within the cell along each axis.
class Samples {
 public:
  Samples(const std::function<double(double, double, double)>& f, Real3 offset) : values_(4096) {
    for (int n = 0; n < 4096; ++n) {
      values_[static_cast<std::size_t>(n)] =
          f(n % 16 - 8 + offset[0], n / 16 % 16 - 8 + offset[1], n / 256 - 8 + offset[2]);
    }
  }
  // At the cell with index 8: center (0.5, 0.5, 0.5), lower faces at 0.
  Numbers at_center() const { return Numbers(values_.data() + 8 + 16 * 8 + 256 * 8); }

 private:
  std::vector<double> values_;
};

constexpr Real3 centers = {0.5, 0.5, 0.5};
Real3 faces(Axis a) {
  Real3 offset = centers;
  offset[static_cast<std::size_t>(index_of(a))] = 0;
  return offset;
}
double along(Axis a, double x, double y, double z) { return std::array{x, y, z}[index_of(a)]; }

template <class T, T... values, class F>
void for_values(F f) {
  (f(std::integral_constant<T, values>{}), ...);
}
template <class F>
void for_axes_and_orders(F f) {
  for_values<Axis, Axis::x, Axis::y, Axis::z>(
      [&](auto axis) { for_values<int, 2, 4, 6, 8>([&](auto order) { f(axis, order); }); });
}

// Value of p-th derivative of s^degree, and how much the numbers that enter it can round.
double power(double s, int degree, int derivative = 0) {
  double factor = 1;
  for (int i = 0; i < derivative; ++i) factor *= degree - i;
  return factor == 0 ? 0 : factor * std::pow(s, degree - derivative);
}
double rounding(int degree) { return 1e-14 * std::pow(5, degree); }

TEST(Derivative, IsExactForPolynomialsUpToItsOrder) {
  for_axes_and_orders([](auto axis, auto order) {
    for (int degree = 0; degree <= order; ++degree) {
      const Samples u([&](auto... x) { return power(along(axis, x...), degree); }, centers);
      EXPECT_NEAR((d<axis, order>(u.at_center())), power(0.5, degree, 1), rounding(degree));
    }
    const Samples u([&](auto... x) { return power(along(axis, x...) - 0.5, order + 1); }, centers);
    EXPECT_GT(std::abs((d<axis, order>(u.at_center()))), 0.5) << "and not beyond";
  });
}

TEST(Derivative, OntoFacesIsExactForPolynomialsUpToItsOrder) {
  for_axes_and_orders([](auto axis, auto order) {
    for (int degree = 0; degree <= order; ++degree) {
      const Samples u([&](auto... x) { return power(along(axis, x...) + 1, degree); }, centers);
      EXPECT_NEAR((d<axis, order, Onto::face>(u.at_center())), power(1, degree, 1),
                  rounding(degree))
          << degree;
    }
  });
}

TEST(Derivative, OntoCentersIsExactForPolynomialsUpToItsOrder) {
  for_axes_and_orders([](auto axis, auto order) {
    for (int degree = 0; degree <= order; ++degree) {
      const Samples u([&](auto... x) { return power(along(axis, x...), degree); }, faces(axis));
      EXPECT_NEAR((d<axis, order, Onto::center>(u.at_center())), power(0.5, degree, 1),
                  rounding(degree));
    }
  });
}

TEST(SecondDerivative, IsExactForPolynomialsUpToItsOrderPlusOne) {
  for_axes_and_orders([](auto axis, auto order) {
    for (int degree = 0; degree <= order + 1; ++degree) {
      const Samples u([&](auto... x) { return power(along(axis, x...), degree); }, centers);
      EXPECT_NEAR((d2<axis, order>(u.at_center())), power(0.5, degree, 2), rounding(degree));
    }
    const Samples u([&](auto... x) { return power(along(axis, x...) - 0.5, order + 2); }, centers);
    EXPECT_GT(std::abs((d2<axis, order>(u.at_center()))), 0.5) << "and not beyond";
  });
}

TEST(Average, IsExactForPolynomialsBelowItsOrder) {
  for_axes_and_orders([](auto axis, auto order) {
    for (int degree = 0; degree < order; ++degree) {
      const auto f = [&](auto... x) { return power(along(axis, x...) + 1, degree); };
      const Samples from_cells(f, centers), from_faces(f, faces(axis));
      EXPECT_NEAR((average<axis, Onto::face, order>(from_cells.at_center())), 1, rounding(degree));
      EXPECT_NEAR((average<axis, Onto::center, order>(from_faces.at_center())), power(1.5, degree),
                  rounding(degree));
    }
  });
}

TEST(HarmonicAverage, IsTheConductivityOfTwoHalfCellsInSeries) {
  const Samples k([](double x, double, double) { return x < 0 ? 2 : 6; }, centers);
  EXPECT_EQ((harmonic_average<Axis::x, Onto::face>(k.at_center())), 3);
  EXPECT_EQ((harmonic_average<Axis::y, Onto::face>(k.at_center())), 6);
  const Samples zero([](double, double, double) { return 0; }, centers);
  EXPECT_EQ((harmonic_average<Axis::x, Onto::center>(zero.at_center())), 0);
}

TEST(Laplacian, IsTheSumOfSecondDerivatives) {
  for_values<int, 2, 4, 6, 8>([](auto order) {
    const Samples u(
        [](double x, double y, double z) { return x * x * x + 2 * y * y + 5 * z * z + x * y * z; },
        centers);
    EXPECT_NEAR((laplacian<order>(u.at_center())), 3 + 4 + 10, 1e-11);
    EXPECT_NEAR((laplacian<order, 2>(u.at_center())), 3 + 4, 1e-11);
    EXPECT_NEAR((laplacian<order, 1>(u.at_center())), 3, 1e-11);
    EXPECT_NEAR((laplacian<order>(u.at_center().shift(Axis::x, 3))), 6 * 3.5 + 4 + 10, 1e-11);
  });
}

TEST(Laplacian, OfAMirroredFieldIsTheSameToTheLastBit) {
  const auto f = [](double x, double y, double z) { return std::sin(x + 0.3 * y - 0.7 * z); };
  const Samples u(f, centers);
  const Samples mirrored([&](double x, double y, double z) { return f(1 - x, 1 - y, 1 - z); },
                         centers);
  for_values<int, 2, 4, 6, 8>([&](auto order) {
    EXPECT_EQ((laplacian<order>(u.at_center())), (laplacian<order>(mirrored.at_center())));
  });
}

template <int Order>
struct Diffuse {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u() + 0.1f * laplacian<Order>(u); }
};
struct Staggered {
  GOBAN_FUNCTION void operator()(auto p, auto k, auto v) const {
    v = harmonic_average<Axis::y, Onto::face>(k) * d<Axis::y, 4, Onto::face>(p);
  }
};

TEST(Operators, AreTraced) {
  using In = FieldParameter<Access::in, float>;
  using Out = FieldParameter<Access::out, float>;
  const Footprint second(trace<In, Out>(Diffuse<2>{})), eighth(trace<In, Out>(Diffuse<8>{}));
  EXPECT_EQ(second.reads.size(), 7u);
  EXPECT_EQ(second.flops, 9);
  EXPECT_EQ(eighth.reads.size(), 25u);
  // Per distance five additions and a product, their sum 3, the center 2, the step 2.
  EXPECT_EQ(eighth.flops, 31);
  const Footprint staggered(trace<In, In, Out>(Staggered{}));
  EXPECT_FALSE(staggered.branching);
  const std::vector<Read> expected = {{0, 0, {0, -2, 0}}, {0, 0, {0, -1, 0}}, {0, 0, {0, 0, 0}},
                                      {0, 0, {0, 1, 0}},  {1, 0, {0, -1, 0}}, {1, 0, {0, 0, 0}}};
  EXPECT_EQ(staggered.reads, expected);
}

}  // namespace
}  // namespace goban::operators_test
