// Fields of several components: streaming populations, gradients, divergences.

#include "goban/stencil/unroll.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Nine populations in the plane, each pulled from its own neighbour, relaxed towards their mean.
struct Stream9 {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    decltype(f[0]()) g[9];
    unroll<9>([&](auto q) {
      constexpr int i = q % 3 - 1, j = q / 3 - 1;
      g[q] = f[q](-i, -j, 0);
    });
    auto mean = g[0];
    unroll<8>([&](auto q) { mean += g[q + 1]; });
    unroll<9>([&](auto q) { next[q] = 0.9f * g[q] + r * mean; });
  }
};

/// Three components, each from another axis and in the others' place.
template <class W>
struct Turn {
  std::array<W, 3> w{};
  GOBAN_FUNCTION void operator()(auto v, auto next) const {
    next[0] = w[0] * v[1](1, 0, 0);
    next[1] = w[1] * v[2](0, -1, 0) + w[0] * v[0]();
    next[2] = w[2] * v[0](0, 0, 2);
  }
};

struct Gradient {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto p, auto v) const {
    v[0] = r * (p(1, 0, 0) - p(-1, 0, 0));
    v[1] = r * (p(0, 1, 0) - p(0, -1, 0));
    v[2] = r * (p(0, 0, 1) - p(0, 0, -1));
  }
};

struct Divergence {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto v, auto p) const {
    p = 0.5f * p() + r * (v[0](1, 0, 0) - v[0](-1, 0, 0) + v[1](0, 1, 0) - v[1](0, -1, 0) +
                          v[2](0, 0, 1) - v[2](0, 0, -1));
  }
};

/// One component is only read, another only at a distance.
struct Shear {
  double r = 0;
  GOBAN_FUNCTION void operator()(auto c, auto v) const {
    v[0] = 0.5 * v[0]() + r * c[1](0, 2, 0);
    v[1] = 0.25 * v[0]() - r * c[0]();
  }
};

template <class F, class T, int From, int To, class Layout, bool InPlace>
void add(ProgramDraft& draft) {
  const auto& v = draft.output<T, To, Layout>();
  const auto& u = draft.input<T, From, Layout>();
  const F functor{static_cast<decltype(F{}.r)>(draft.number(0, 0.05))};
  if constexpr (InPlace) {
    draft.apply(functor, in(u), inout(v));
  } else {
    draft.apply(functor, in(u), out(v));
  }
}

template <class T, class W, class Layout>
void add_turn(ProgramDraft& draft) {
  const auto& v = draft.input<T, 3, Layout>();
  const auto& next = draft.output<T, 3, Layout>();
  draft.apply(Turn<W>{draft.weights<W, 3>()}, in(v), out(next));
}

void add_in_place(ProgramDraft& draft) {
  draft.apply_in_place(Stream9{static_cast<float>(draft.number(0, 0.01))});
}

}  // namespace

std::vector<Family> component_families() {
  return {{"Stream9", add<Stream9, float, 9, 9, ijk, false>},
          {"Stream9 in place", add_in_place},
          {"Turn<half>", add_turn<half, float, ijk>},
          {"Turn<float, kij>", add_turn<float, float, kij>},
          {"Gradient", add<Gradient, float, 1, 3, ijk, false>},
          {"Divergence", add<Divergence, float, 3, 1, ijk, true>},
          {"Shear", add<Shear, double, 2, 2, ijk, true>}};
}

}  // namespace goban::fuzz
