#pragma once
// What three mechanisms take from stresses and keep in memory (attenuation.hpp): one sweep after
// those that deform, cell by cell, whatever the order of differences.
//
// Q_s belongs to mu and to what of the normal stresses differs from their mean; the mean has the
// loss of lambda + 2 mu / D. Memory of a component is three values; those of the normal stresses
// lie one component after the other. It costs 72 bytes a cell in float32 and moves 200: stresses
// and memory, read and written, and two losses.

#include <array>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"
#include "seismic/attenuation.hpp"
#include "seismic/stencils.hpp"

namespace goban::seismic {

/// 1/Q_s of the edge that two lower faces of a cell along A and B share.
template <Axis A, Axis B>
GOBAN_FUNCTION auto loss_of_edge(const auto& loss) {
  const auto beside = loss.shift(A, -1);
  return ((loss() + beside()) + (loss.shift(B, -1)() + beside.shift(B, -1)())) / 4;
}

/// Three mechanisms as numbers of the fields' type.
template <class Real>
struct RelaxingParts {
  static constexpr int count = Mechanisms::count;
  std::array<Real, count> linear{}, square{};
  std::array<Real, count> decay{};  ///< D
  std::array<Real, count> keep{};   ///< 1 / (1 + D)

  static RelaxingParts of(const Mechanisms& mechanisms) {
    RelaxingParts parts;
    for (std::size_t l = 0; l < count; ++l) {
      parts.linear[l] = static_cast<Real>(mechanisms.linear[l]);
      parts.square[l] = static_cast<Real>(mechanisms.square[l]);
      parts.decay[l] = static_cast<Real>(mechanisms.decay[l]);
      parts.keep[l] = static_cast<Real>(1 / (1 + mechanisms.decay[l]));
    }
    return parts;
  }
  /// Y_l.
  template <int L>
  GOBAN_FUNCTION auto strength(const auto& loss) const {
    return loss * (linear[L] + square[L] * loss);
  }
};

/// Stress and memory together: s; the three values of memory begin with number First.
template <int First = 0>
GOBAN_FUNCTION auto whole_stress(const auto& stress, const auto& memory) {
  return stress() + (memory[First]() + memory[First + 1]() + memory[First + 2]());
}
/// Mean of s over the normal stresses.
template <int Dimensions>
GOBAN_FUNCTION auto whole_mean(const auto& normal, const auto& memory) {
  auto sum = whole_stress(normal[0], memory);
  unroll<Dimensions - 1>(
      [&](auto c) { sum = sum + whole_stress<Mechanisms::count*(c + 1)>(normal[c + 1], memory); });
  return sum / Dimensions;
}

template <int Dimensions, class Real>
struct Relax {
  RelaxingParts<Real> parts;

  /// p_l' for a sum of Y_l s.
  template <int L>
  GOBAN_FUNCTION auto relaxed(const auto& p, const auto& drive) const {
    return (p + parts.decay[L] * drive) * parts.keep[L];
  }
  GOBAN_FUNCTION void relax_shear(auto stress, auto memory, const auto& loss) const {
    const auto s = whole_stress(stress, memory);
    auto rest = s;
    unroll<Mechanisms::count>([&](auto l) {
      const auto p = relaxed<l>(memory[l](), parts.template strength<l>(loss) * s);
      memory[l] = p;
      rest = rest - p;
    });
    stress = rest;
  }
  GOBAN_FUNCTION void relax_normal(auto stress, auto memory, const auto& bulk,
                                   const auto& shear) const {
    constexpr int n = Mechanisms::count;
    const auto mean = whole_mean<Dimensions>(stress, memory);
    unroll<Dimensions>([&](auto c) {
      const auto s = whole_stress<n * c>(stress[c], memory);
      auto rest = s;
      unroll<n>([&](auto l) {
        const auto drive = parts.template strength<l>(bulk) * mean +
                           parts.template strength<l>(shear) * (s - mean);
        const auto p = relaxed<l>(memory[n * c + l](), drive);
        memory[n * c + l] = p;
        rest = rest - p;
      });
      stress[c] = rest;
    });
  }
  // Not with auto: nvcc 13.0 fails on so many.
  template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7,
            class T8, class T9>
  GOBAN_FUNCTION void operator()(T0 normal, T1 xy, T2 xz, T3 yz, T4 normal_memory, T5 xy_memory,
                                 T6 xz_memory, T7 yz_memory, T8 bulk, T9 shear) const {
    relax_normal(normal, normal_memory, bulk(), shear());
    relax_shear(xy, xy_memory, loss_of_edge<Axis::x, Axis::y>(shear));
    relax_shear(xz, xz_memory, loss_of_edge<Axis::x, Axis::z>(shear));
    relax_shear(yz, yz_memory, loss_of_edge<Axis::y, Axis::z>(shear));
  }
  GOBAN_FUNCTION void operator()(auto normal, auto xz, auto normal_memory, auto xz_memory,
                                 auto bulk, auto shear) const {
    relax_normal(normal, normal_memory, bulk(), shear());
    relax_shear(xz, xz_memory, loss_of_edge<Axis::x, Axis::z>(shear));
  }
};

/// StrainEnergy of such rock, J/m3, of a cell: with Y the sum of the Y_l, M the modulus,
///   ((1 - Y) s^2 + sum of (1 + D_l / 2) (Y_l s - p_l)^2 / Y_l) / (2 M).
/// With MotionEnergy it never grows: a step takes D_l (r_l + r_l')^2 / (4 M Y_l), r_l = Y_l s -
/// p_l.
template <int Dimensions, class Real>
struct LossyEnergy {
  RelaxingParts<Real> parts;

  /// What stands for the square of the elastic stress.
  GOBAN_FUNCTION auto square(const auto& s, const auto& p0, const auto& p1, const auto& p2,
                             const auto& loss) const {
    return s * s + part<0>(s, p0, loss) + part<1>(s, p1, loss) + part<2>(s, p2, loss);
  }
  template <int L>
  GOBAN_FUNCTION auto part(const auto& s, const auto& p, const auto& loss) const {
    const auto strength = parts.template strength<L>(loss);
    const auto rest = strength * s - p;
    return select(strength > 0, (1 + parts.decay[L] / 2) * (rest * rest) / strength, 0) -
           strength * (s * s);
  }
  GOBAN_FUNCTION auto of_shear(const auto& stress, const auto& memory, const auto& mu,
                               const auto& loss) const {
    const auto s = whole_stress(stress, memory);
    return select(mu > 0, square(s, memory[0](), memory[1](), memory[2](), loss) / mu, 0) / 2;
  }
  GOBAN_FUNCTION auto of_normal(const auto& stress, const auto& memory, const auto& lambda,
                                const auto& compliance, const auto& bulk, const auto& shear) const {
    constexpr int n = Mechanisms::count;
    const auto mu = 1 / compliance;
    const auto mean = whole_mean<Dimensions>(stress, memory);
    const auto mean_of = [&](int l) {
      auto sum = memory[l]();
      unroll<Dimensions - 1>([&](auto c) { sum = sum + memory[n * (c + 1) + l](); });
      return sum / Dimensions;
    };
    const auto p0 = mean_of(0), p1 = mean_of(1), p2 = mean_of(2);
    auto energy = square(mean, p0, p1, p2, bulk) / (2 * (lambda + 2 * mu / Dimensions));
    unroll<Dimensions>([&](auto c) {
      const auto s = whole_stress<n * c>(stress[c], memory);
      const auto rest = square(s - mean, memory[n * c]() - p0, memory[n * c + 1]() - p1,
                               memory[n * c + 2]() - p2, shear);
      energy = energy + select(mu > 0, rest / mu, 0) / 4;
    });
    return energy;
  }
  template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7,
            class T8, class T9, class T10, class T11>
  GOBAN_FUNCTION auto operator()(T0 normal, T1 xy, T2 xz, T3 yz, T4 normal_memory, T5 xy_memory,
                                 T6 xz_memory, T7 yz_memory, T8 lambda, T9 compliance, T10 bulk,
                                 T11 shear) const {
    return of_normal(normal, normal_memory, lambda(), compliance(), bulk(), shear()) +
           (of_shear(xy, xy_memory, modulus_of_edge<Axis::x, Axis::y>(compliance),
                     loss_of_edge<Axis::x, Axis::y>(shear)) +
            of_shear(xz, xz_memory, modulus_of_edge<Axis::x, Axis::z>(compliance),
                     loss_of_edge<Axis::x, Axis::z>(shear)) +
            of_shear(yz, yz_memory, modulus_of_edge<Axis::y, Axis::z>(compliance),
                     loss_of_edge<Axis::y, Axis::z>(shear)));
  }
  GOBAN_FUNCTION auto operator()(auto normal, auto xz, auto normal_memory, auto xz_memory,
                                 auto lambda, auto compliance, auto bulk, auto shear) const {
    return of_normal(normal, normal_memory, lambda(), compliance(), bulk(), shear()) +
           of_shear(xz, xz_memory, modulus_of_edge<Axis::x, Axis::z>(compliance),
                    loss_of_edge<Axis::x, Axis::z>(shear));
  }
};

}  // namespace goban::seismic
