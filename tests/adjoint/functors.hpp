#pragma once
// Steps that are derived: of each kind of operation, neighbour, boundary and stage one.

#include <functional>
#include <string>
#include <vector>

#include "goban/adjoint/adjoint.hpp"
#include "goban/adjoint/tangent.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::test {

struct Spread {  // constant coefficients
  double r = 0.1;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - 6.0 * u());
  }
};
struct Lopsided {  // far, diagonal, without any symmetry
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.3 * u() + 0.2 * u(2, 0, 0) - 0.15 * u(-1, 1, 0) + 0.25 * u(1, 1, -1) +
           0.1 * u(0, -2, 1) - 0.2 * u(-2, -1, -1);
  }
};
struct Conduct {  // a product of two fields, a quotient, a parameter
  GOBAN_FUNCTION void operator()(auto u, auto c, auto r, auto next) const {
    const auto flow = [&](auto a, auto b, auto x, auto y) {
      return 2.0 * a * b / (a + b) * (x - y);
    };
    const auto here = u(), k = 1.5 + c();
    next = here + r() * (flow(k, 1.5 + c(1, 0, 0), u(1, 0, 0), here) -
                         flow(k, 1.5 + c(-1, 0, 0), here, u(-1, 0, 0)) +
                         flow(k, 1.5 + c(0, 1, 0), u(0, 1, 0), here) -
                         flow(k, 1.5 + c(0, -1, 0), here, u(0, -1, 0)));
  }
};
struct Carry {  // upwind, by branches and limits
  GOBAN_FUNCTION void operator()(auto u, auto v, auto next) const {
    const auto slope = min(abs(u(1, 0, 0) - u()), abs(u() - u(-1, 0, 0)));
    const auto ahead = select(v() > 0.1, u() - u(-1, 0, 0), u(1, 0, 0) - u());
    if (u() > 0.4) {
      next = u() - 0.3 * v() * ahead + 0.1 * slope;
    } else {
      next = u() - 0.2 * max(v(0, 1, 0), v(0, -1, 0)) * ahead;
    }
  }
};
struct Functions {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto a = u(1, 0, 0), b = u(0, -1, 0), c = 1.0 + u(0, 0, 1) * u(0, 0, 1);
    next = 0.1 * (sin(a) * cos(b) + exp(-c) + log(c) + sqrt(c) * cbrt(c + a) + tan(0.3 * b) +
                  tanh(a) + atan(b) + atan2(a, c) + pow(c, b) + reciprocal(c) + fma(a, b, c) -
                  floor(3.0 * a) - ceil(b) + abs(a - b));
  }
};
/// Where the root is not taken its derivative is infinite.
struct Guarded {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto inside = max(u() - 0.5, 0.0);
    next = 0.4 * (u(1, 0, 0) + select(inside > 0.0, sqrt(inside), 0.0) +
                  select(u() > 0.6, 0.1 / inside, u()));
  }
};
struct Shallow {  // several components, several outputs
  GOBAN_FUNCTION void operator()(auto h, auto q, auto h_next, auto q_next) const {
    h_next = h() - 0.1 * (q[0](1, 0, 0) - q[0](-1, 0, 0) + q[1](0, 1, 0) - q[1](0, -1, 0));
    q_next[0] =
        q[0]() - 0.1 * (1.0 + h()) * (h(1, 0, 0) - h(-1, 0, 0)) - 0.05 * q[0]() * q[1](0, 1, 0);
    q_next[1] = q[1]() - 0.1 * (1.0 + h()) * (h(0, 1, 0) - h(0, -1, 0));
  }
};
struct Product {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto product) const {
    product = sin(u() * u(1, 0, 0)) + 0.5 * v();
  }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto flux, auto u, auto next) const {
    next = u() + 0.1 * (flux(1, 0, 0) - flux(0, -1, 0)) * flux();
  }
};
struct Relax {  // in place, one of two outputs on some paths
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v = v() + 0.1 * u() * v();
    if (u() > 0.3) u = u() * u() * 0.9;
  }
};
struct Heat {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto k) const {
    u = u() * (1.0 + 0.1 * k() * sin(0.2 * site.position(Axis::x)) + 0.01 * site.time());
  }
};
struct Steep {  // reads neighbours where a region or a mask limits it
  GOBAN_FUNCTION void operator()(auto v, auto u) const {
    u = 0.5 * u() + 0.3 * v(1, 0, 0) * v(0, -1, 0) - 0.2 * v();
  }
};
struct Energy {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * u(1, 0, 0) + 0.3 * v(); }
};
struct ScaledBy {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto s, auto next) const {
    next = u(1, 0, 0) * s() + 0.1 * v() * s() * s();
  }
};
struct Copy {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = 0.5 * u(0, 1, 0); }
};

/// Fields that steps work on.
struct Fields {
  Field<double> u, next, v, v_next, c;
  Field<double, 2> q, q_next;
  Field<std::uint8_t> mask;
  Parameter<double> k{"k", 0.1};

  Fields(Grid& grid)
      : u(grid, "u"),
        next(grid, "next"),
        v(grid, "v"),
        v_next(grid, "v_next"),
        c(grid, "c"),
        q(grid, "q"),
        q_next(grid, "q_next"),
        mask(grid, "mask") {
    u.fill([](Index3 i) { return value(i, 1); });
    v.fill([](Index3 i) { return value(i, 2); });
    c.fill([](Index3 i) { return value(i, 3); });
    q.fill([](Index3 i, int component) { return value(i, 4 + component); });
    mask.fill([](Index3 i) { return value(i, 6) > 0.2 ? 1 : 0; });
    for (Field<double>* one : {&next, &v_next}) one->fill(0);
    q_next.fill([](Index3, int) { return 0.0; });
  }

  /// Between -0.2 and 0.8, without a pattern.
  static double value(Index3 i, int seed) {
    auto x = static_cast<std::uint64_t>(i[0] + 101 * i[1] + 10007 * i[2] + 1000003 * seed);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53 - 0.2;
  }
};

struct DerivedStep {
  std::string name;
  std::function<void(Program&, Fields&)> append;
  bool is_linear = false;
};

inline std::vector<DerivedStep> derived_steps() {
  return {
      {"spread",
       [](Program& step, Fields& f) {
         step.apply(Spread{}, in(f.u), out(f.next));
         step.swap(f.u, f.next);
       },
       true},
      {"lopsided",
       [](Program& step, Fields& f) {
         step.apply(Lopsided{}, in(f.u), out(f.next));
         step.swap(f.u, f.next);
       },
       true},
      {"conduct",
       [](Program& step, Fields& f) {
         step.apply(Conduct{}, in(f.u), in(f.c), param(f.k), out(f.next));
         step.swap(f.u, f.next);
       }},
      {"carry",
       [](Program& step, Fields& f) {
         step.apply(Carry{}, in(f.u), in(f.v), out(f.next));
         step.swap(f.u, f.next);
       }},
      {"functions",
       [](Program& step, Fields& f) {
         step.apply(Functions{}, in(f.u), out(f.next));
         step.swap(f.u, f.next);
       }},
      {"guarded",
       [](Program& step, Fields& f) {
         step.apply(Guarded{}, in(f.u), out(f.next));
         step.swap(f.u, f.next);
       }},
      {"shallow",
       [](Program& step, Fields& f) {
         step.apply(Shallow{}, in(f.u), in(f.q), out(f.next), out(f.q_next));
         step.swap(f.u, f.next);
         step.swap(f.q, f.q_next);
       }},
      {"two stages, whose flux is overwritten later",
       [](Program& step, Fields& f) {
         step.apply(Product{}, in(f.u), in(f.v), out(f.v_next));
         step.apply(Divergence{}, in(f.v_next), in(f.u), out(f.next));
         step.apply(Product{}, in(f.next), in(f.v), out(f.v_next));
         step.apply(Divergence{}, in(f.v_next), in(f.next), out(f.u));
       }},
      {"in place",
       [](Program& step, Fields& f) {
         step.apply(Relax{}, inout(f.u), inout(f.v));
         step.apply(Heat{}, site, inout(f.u), param(f.k));
         step.apply(Relax{}, inout(f.v), inout(f.u));
       }},
      {"regions and masks",
       [](Program& step, Fields& f) {
         step.apply(Steep{}, in(f.v), inout(f.u)).over({{1, 0, 1}, {6, 4, 5}});
         step.apply(Steep{}, in(f.u), inout(f.v)).where(f.mask);
         step.apply(Copy{}, in(f.v), out(f.u)).over({{0, 0, 0}, {3, 8, 9}}).where(f.mask);
         step.apply(Heat{}, site, inout(f.v), param(f.k)).over({{2, 2, 2}, {5, 5, 5}});
       }},
      {"rotated",
       [](Program& step, Fields& f) {
         step.apply(Conduct{}, in(f.u), in(f.c), param(f.k), out(f.next));
         step.rotate(f.u, f.next, f.v);
         step.apply(Carry{}, in(f.u), in(f.next), out(f.v_next));
         step.swap(f.v_next, f.next);
       }},
      {"repeated",
       [](Program& step, Fields& f) {
         Program inner("inner");
         inner.apply(Conduct{}, in(f.u), in(f.c), param(f.k), out(f.next));
         inner.swap(f.u, f.next);
         step.repeat(3, inner);
       }},
      {"numbers of the step",
       [](Program& step, Fields& f) {
         const Parameter<double> energy("energy"), scale("scale"), steps("steps");
         step.reduce(Energy{}, in(f.u), in(f.v), sum, into(energy)).over({{1, 0, 2}, {6, 6, 7}});
         step.compute([](auto energy, auto k, auto& scale) { scale = 1 / (2 + energy * k); },
                      in(energy), in(f.k), out(scale));
         step.compute([](auto& steps) { steps += 1; }, inout(steps));
         step.apply(ScaledBy{}, in(f.u), in(f.v), param(scale), out(f.next));
         step.swap(f.u, f.next);
       }},
      {"fused",
       [](Program& step, Fields& f) {
         step.fuse(
             [](auto u, auto v, auto flux, auto next) {
               return stages(stage(Product{}, in(u), in(v), out(flux)),
                             stage(Divergence{}, in(flux), in(u), out(next)));
             },
             f.u, f.v, walled(f.c), f.next);
         step.swap(f.u, f.next);
       }},
  };
}

}  // namespace goban::test
