// Stencils of the nearest neighbours: stars, boxes, diagonals, one-sided, in each type and layout.

#include "goban/stencil/unroll.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

template <class W>
struct Star {
  std::array<W, 7> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u() + w[1] * u(1, 0, 0) + w[2] * u(-1, 0, 0) + w[3] * u(0, 1, 0) +
           w[4] * u(0, -1, 0) + w[5] * u(0, 0, 1) + w[6] * u(0, 0, -1);
  }
};

template <class W>
struct Cross {
  std::array<W, 5> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u() + w[1] * u(1, 0, 0) + w[2] * u(-1, 0, 0) + w[3] * u(0, 1, 0) +
           w[4] * u(0, -1, 0);
  }
};

struct Line {
  std::array<float, 3> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u() + w[1] * u(1, 0, 0) + w[2] * u(-1, 0, 0);
  }
};

struct Blur {
  std::array<float, 27> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto sum = w[13] * u();
    unroll<27>([&](auto n) {
      if constexpr (n != 13) {
        constexpr int i = n % 3 - 1, j = n / 3 % 3 - 1, k = n / 9 - 1;
        sum += w[n] * u(i, j, k);
      }
    });
    next = sum;
  }
};

/// Only corners of the halo.
struct Corners {
  std::array<double, 4> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u(-1, -1, -1) + w[1] * u(1, 1, 1) + w[2] * u(-1, 1, -1) + w[3] * u(1, -1, 1);
  }
};

/// Only edges of the halo.
struct Edges {
  std::array<float, 4> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u(1, 1, 0) + w[1] * u(-1, 0, 1) + w[2] * u(0, 1, -1) + w[3] * u();
  }
};

struct Upwind {
  std::array<float, 4> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u() + w[1] * u(-1, 0, 0) + w[2] * u(0, 1, 0) + w[3] * u(0, 0, -1);
  }
};

struct Local {
  float a = 0, b = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = a * u() + b; }
};

/// Relaxes in place towards another field's neighbours.
struct Relax {
  std::array<float, 3> w{};
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v = 0.5f * v() + 0.5f * (w[0] * u(0, 1, 0) + w[1] * u(0, 0, -1) + w[2] * u());
  }
};

void add_local(ProgramDraft& draft) {
  const auto& u = draft.input<float>();
  const auto& next = draft.output<float>();
  const auto a = static_cast<float>(draft.number(-0.9, 0.9));
  const auto b = static_cast<float>(draft.number(-1, 1));
  draft.apply(Local{a, b}, in(u), out(next));
}

template <class Layout>
void add_relax(ProgramDraft& draft) {
  const auto& v = draft.output<float, 1, Layout>();
  const auto& u = draft.input<float, 1, Layout>();
  draft.apply(Relax{draft.weights<float, 3>()}, in(u), inout(v));
}

}  // namespace

std::vector<Family> neighbor_families() {
  return {{"Star<float>", add_weighted<Star<float>, float, ijk>},
          {"Star<double>", add_weighted<Star<double>, double, ijk>},
          {"Star<half>", add_weighted<Star<float>, half, ijk>},
          {"Star<float, kij>", add_weighted<Star<float>, float, kij>},
          {"Cross<float>", add_weighted<Cross<float>, float, ijk>},
          {"Cross<double, kij>", add_weighted<Cross<double>, double, kij>},
          {"Line<float>", add_weighted<Line, float, ijk>},
          {"Blur<float>", add_weighted<Blur, float, ijk>},
          {"Corners<double>", add_weighted<Corners, double, ijk>},
          {"Edges<float, kij>", add_weighted<Edges, float, kij>},
          {"Upwind<float>", add_weighted<Upwind, float, ijk>},
          {"Local<float>", add_local},
          {"Relax<float>", add_relax<ijk>},
          {"Relax<float, kij>", add_relax<kij>}};
}

}  // namespace goban::fuzz
