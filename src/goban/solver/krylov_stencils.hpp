#pragma once
// What the stages of Krylov methods do at a cell; A is the user's functor, c its coefficients.

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "goban/base/macros.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::krylov {

/// r - A u, where r holds the right-hand side.
template <class A, int C>
struct SubtractProduct {
  A a;
  GOBAN_FUNCTION void operator()(auto u, auto r, auto... c) const {
    unroll<C>([&](auto n) { r[n] -= a(u[n], c...); });
  }
};

/// b - A u.
template <class A, int Component>
struct Residual {
  A a;
  GOBAN_FUNCTION auto operator()(auto u, auto b, auto... c) const {
    return b[Component]() - a(u[Component], c...);
  }
};

/// p A p.
template <class A, int Component>
struct Curvature {
  A a;
  GOBAN_FUNCTION auto operator()(auto p, auto... c) const {
    const auto one = p[Component];
    return one() * a(one, c...);
  }
};

/// z A p.
template <class A>
struct ProductWith {
  A a;
  GOBAN_FUNCTION auto operator()(auto z, auto p, auto... c) const { return z() * a(p, c...); }
};

/// r^2 / A_ii.
template <int Component>
struct WeightedSquare {
  GOBAN_FUNCTION auto operator()(auto r, auto inverse_diagonal) const {
    const auto here = r[Component]();
    return here * here * inverse_diagonal();
  }
};

struct Product {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return a() * b(); }
};
struct Square {
  GOBAN_FUNCTION auto operator()(auto a) const { return a() * a(); }
};

/// u += alpha p, r -= alpha A p; the first C of what comes last are alpha, the others c.
template <class A, int C>
struct Advance {
  A a;
  GOBAN_FUNCTION void operator()(auto p, auto u, auto r, auto... alpha_and_c) const {
    const auto all = std::tie(alpha_and_c...);
    [&]<std::size_t... N, std::size_t... I>(std::index_sequence<N...>, std::index_sequence<I...>) {
      const std::array alpha = {std::get<N>(all)()...};
      unroll<C>([&](auto n) {
        u[n] += alpha[n] * p[n]();
        r[n] -= alpha[n] * a(p[n], std::get<C + I>(all)...);
      });
    }
    (std::make_index_sequence<C>{}, std::make_index_sequence<sizeof...(alpha_and_c) - C>{});
  }
};

/// p = r / A_ii, and the same + beta p.
template <int C>
struct Turn {
  GOBAN_FUNCTION void operator()(auto r, auto inverse_diagonal, auto p) const {
    unroll<C>([&](auto n) { p[n] = inverse_diagonal() * r[n](); });
  }
  GOBAN_FUNCTION void operator()(auto r, auto inverse_diagonal, auto p, auto... beta) const {
    const std::array keep = {beta()...};
    unroll<C>([&](auto n) { p[n] = inverse_diagonal() * r[n]() + keep[n] * p[n](); });
  }
};

template <int C>
struct Clear {
  GOBAN_FUNCTION void operator()(auto u) const {
    unroll<C>([&](auto n) { u[n] = 0.0; });
  }
};

/// p = z + beta p.
struct Follow {
  GOBAN_FUNCTION void operator()(auto z, auto p, auto beta) const { p = z() + beta() * p(); }
};
/// p = r + beta (p - omega v).
struct FollowLess {
  GOBAN_FUNCTION void operator()(auto r, auto v, auto p, auto beta, auto omega) const {
    p = r() + beta() * (p() - omega() * v());
  }
};

struct Copy {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(); }
};
/// v = A y.
template <class A>
struct Multiply {
  A a;
  GOBAN_FUNCTION void operator()(auto y, auto v, auto... c) const { v = a(y, c...); }
};
/// u += k y, r -= k v.
struct AdvanceAlong {
  GOBAN_FUNCTION void operator()(auto y, auto v, auto u, auto r, auto k) const {
    u += k() * y();
    r -= k() * v();
  }
};
/// u += k r, r -= k v.
struct AdvanceAlongItself {
  GOBAN_FUNCTION void operator()(auto v, auto u, auto r, auto k) const {
    const auto before = r();
    u += k() * before;
    r -= k() * v();
  }
};

}  // namespace goban::krylov
