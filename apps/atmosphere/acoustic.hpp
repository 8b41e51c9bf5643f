#pragma once
// Short steps within a stage: sound and gravity waves of the deviations'' from the state that the
// rates belong to, forward in time along levels, implicit up and down (Klemp, Skamarock, Dudhia,
// Mon. Weather Rev. 135 (2007) 2897). Symbols as in stencils.hpp.

#include <tuple>

#include "atmosphere/pressure.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::atmosphere {

/// What the deviations are when a stage begins: from the state that its rates belong to to the one
/// that the step began with. `q`: r, th, U, V, W of this one, of that one, and the deviations.
struct BeginStage {
  GOBAN_FUNCTION void operator()(auto stiffness, auto p, auto... q) const {
    const auto all = std::tie(q...);
    unroll<5>([&](auto n) { std::get<10 + n>(all) = std::get<n>(all)() - std::get<5 + n>(all)(); });
    p = stiffness() * (std::get<1>(all)() - std::get<6>(all)());
  }
};

/// The state that a stage ends with, from the one that its rates belong to. `q`: the deviations and
/// that state, which changes; of the first stage, which begins with what must stay, that state, the
/// deviations, and what it ends with.
struct EndStage {
  GOBAN_FUNCTION void operator()(auto... q) const {
    constexpr int last = sizeof...(q) - 5, from = last == 5 ? 5 : 0;
    const auto all = std::tie(q...);
    unroll<5>([&](auto n) {
      std::get<last + n>(all) = std::get<from + n>(all)() + std::get<5 - from + n>(all)();
    });
  }
};

/// U'' += dtau (R_U - force of p*), V'' likewise, and sums of both where they are wanted.
template <int D, class Real>
struct Push {
  Real dtau;
  std::array<Real, 3> per_h;

  GOBAN_FUNCTION void operator()(auto site, auto p, auto stretch, auto slope_x, auto slope_y,
                                 auto rate_U, auto rate_V, auto UU, auto VV, auto... sums) const {
    UU +=
        dtau * (rate_U() - pressure_force<Axis::x>(site, stretch, slope_x, p, per_h[0], per_h[2]));
    if constexpr (D == 3) {
      VV += dtau *
            (rate_V() - pressure_force<Axis::y>(site, stretch, slope_y, p, per_h[1], per_h[2]));
    } else {
      VV += dtau * rate_V();
    }
    if constexpr (sizeof...(sums) == 2) {
      auto [sum_U, sum_V] = std::tie(sums...);
      sum_U += UU();
      sum_V += VV();
    }
  }
};

/// The numbers of an implicit step along columns.
template <class Real>
struct ImplicitStep {
  Real dtau;                  ///< s
  Real ahead, behind;         ///< share of its end, beta, and of its beginning
  Real per_ahead;             ///< 1/beta
  std::array<Real, 3> per_h;  ///< 1/m
  Real gravity;               ///< m/s2
  Real damping;               ///< damps divergences: share of the last change of p'' that is added
};

/// r'', th'', W'' after a short step, given U'', V'' after it. With k the cell above a face, k - 1
/// that below, X = (1 - beta) W'' - S+ what goes through a face beside beta W+, h = theta there, D
/// what leaves along levels, primes omitted:
///   r* = r + dtau [R_r - D - d_s X],  th* = th + dtau [R_th - D(h) - d_s (h X)],
///   r+ = r* - beta dtau d_s W+,  th+ = th* - beta dtau d_s (h W+),
///   G W+ = G W + dtau [R_W - beta B(th+, r+) - (1 - beta) B(th, r)],
///   B = d_s (E th) + g G mean(r / G),
/// which is tridiagonal in W+. At the ground W+ = S+, so that nothing goes through; at the lid
/// W+ = 0. Then W+ + W of the state is damped implicitly at a rate (sponge, 1/s), and p* = E (th+ +
/// damping (th+ - th)). The sum of (1 - beta) W'' + beta W+ is added to where one is wanted. On a
/// map `area`, by which E counts in B, comes before it.
template <int D, class Real, bool IsOnMap = false>
struct SolveColumns {
  ImplicitStep<Real> step;

  GOBAN_FUNCTION void forward(auto site, auto UU, auto VV, auto rate_r, auto rate_th, auto rate_W,
                              auto stretch, auto slope_x, auto slope_y, auto per_stretch_x,
                              auto per_stretch_y, auto theta, auto stiffness, auto, auto, auto WW,
                              auto rr, auto tt, auto, auto, auto s,
                              [[maybe_unused]] auto... more) const {
    const auto is_ground = site.index(Axis::z) == 0;
    const Real per_ds = step.per_h[2], beta = step.ahead, behind = step.behind;
    const auto rise = mass_along_levels<D>(UU, slope_x, per_stretch_x, VV, slope_y, per_stretch_y);
    const auto rise_above = above_levels(UU, slope_x, per_stretch_x, VV, slope_y, per_stretch_y);
    const auto through = select(is_ground, -beta * rise, behind * WW() - rise);
    const auto through_above = behind * WW(0, 0, 1) - rise_above;
    const auto heat_of = [&](int k) { return 0.5 * (theta(0, 0, k) + theta(0, 0, k - 1)); };
    const auto h = heat_of(0), h_above = heat_of(1), h_below = heat_of(-1);

    const auto level_heat = [&](Axis axis, int n) {
      return 0.5 * (theta.shift(axis, n)() + theta.shift(axis, n - 1)());
    };
    const auto leaves = [&](const auto& weight) {
      const auto along = [&](Axis axis, const auto& flux, Real per_h) {
        return per_h * (weight(axis, 1) * flux.shift(axis, 1)() - weight(axis, 0) * flux());
      };
      if constexpr (D == 3) {
        return along(Axis::x, UU, step.per_h[0]) + along(Axis::y, VV, step.per_h[1]);
      } else {
        return along(Axis::x, UU, step.per_h[0]);
      }
    };
    const auto mass_star =
        rr() + step.dtau * (rate_r() - leaves([](Axis, int) { return Real(1); }) -
                            per_ds * (through_above - through));
    const auto heat_star = tt() + step.dtau * (rate_th() - leaves(level_heat) -
                                               per_ds * (h_above * through_above - h * through));
    // What B is of: th and r, as they are and as they become but for W+.
    const auto mass = beta * mass_star + behind * rr(), heat = beta * heat_star + behind * tt();
    const auto mass_below = s[2].before(), heat_below = s[3].before();
    s[2] = mass;
    s[3] = heat;

    const auto G = stretch(), G_below = stretch(0, 0, -1);
    const auto mean_G = 0.5 * (G + G_below);
    const auto lifting = [&](const auto& stiffness) {
      if constexpr (IsOnMap) {
        return stiffness * std::get<0>(std::tie(more...))();
      } else {
        return stiffness;
      }
    };
    const auto E = lifting(stiffness()), E_below = lifting(stiffness(0, 0, -1));
    const auto half_weight = (Real(0.5) * step.gravity) * mean_G;
    const Real a = beta * step.dtau * (beta * step.dtau), a_h = a * per_ds * per_ds;
    const auto buoyancy = a * per_ds * half_weight / G,
               buoyancy_below = a * per_ds * half_weight / G_below;
    const auto lower = buoyancy_below - a_h * E_below * h_below;
    const auto upper = -(buoyancy + a_h * E * h_above);
    const auto diagonal = mean_G + a_h * h * (E + E_below) + (buoyancy - buoyancy_below);
    const auto force = per_ds * (E * heat - E_below * heat_below) +
                       half_weight * (mass / G + mass_below / G_below);
    const auto known = mean_G * WW() + step.dtau * (rate_W() - force);
    const auto per_pivot = 1 / (diagonal - lower * s[0].before());
    s[0] = select(is_ground, 0, upper * per_pivot);
    s[1] = select(is_ground, rise, (known - lower * s[1].before()) * per_pivot);
  }

  GOBAN_FUNCTION void backward(auto site, auto, auto, auto, auto, auto, auto, auto, auto, auto,
                               auto, auto theta, auto stiffness, auto sponge, auto star_W,
                               [[maybe_unused]] auto WW, auto rr, auto tt, auto next_WW, auto p,
                               auto s, auto... more) const {
    const Real per_ds = step.per_h[2], beta = step.ahead;
    const auto undamped = s[1]() - s[0]() * s[1].before();
    const auto rate = step.dtau * sponge();
    const auto damped =
        select(site.index(Axis::z) == 0, undamped, (undamped - rate * star_W()) / (1 + rate));
    const auto above = s[0].before();
    s[0] = damped;
    s[1] = undamped;
    next_WW = damped;
    constexpr std::size_t first = IsOnMap ? 1 : 0;
    if constexpr (sizeof...(more) > first) {
      std::get<first>(std::tie(more...)) += step.behind * WW() + step.ahead * damped;
    }

    // The stars, from the means that the way up has left.
    const auto star = [&](const auto& mean, const auto& now) {
      return (mean - step.behind * now) * step.per_ahead;
    };
    const auto old_heat = tt();
    const auto h = 0.5 * (theta(0, 0, 0) + theta(0, 0, -1)),
               h_above = 0.5 * (theta(0, 0, 1) + theta(0, 0, 0));
    const Real share = beta * step.dtau * per_ds;
    const auto heat = star(s[3](), old_heat) - share * (h_above * above - h * damped);
    rr = star(s[2](), rr()) - share * (above - damped);
    tt = heat;
    p = stiffness() * (heat + step.damping * (heat - old_heat));
  }

 private:
  GOBAN_FUNCTION auto above_levels(const auto&... of) const {
    return mass_along_levels<D>(of.shift(Axis::z, 1)...);
  }
};

}  // namespace goban::atmosphere
