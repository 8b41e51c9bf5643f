// Long reaches, up to four cells and to one side only; offsets known at run time only.

#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Both neighbours `Reach` cells away along each of the first `Axes` axes.
template <int Reach, int Axes>
struct FarStar {
  std::array<float, 7> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto sum = w[0] * u();
    unroll<Axes>([&](auto axis) {
      constexpr int i = axis == 0 ? Reach : 0, j = axis == 1 ? Reach : 0, k = axis == 2 ? Reach : 0;
      sum += w[1 + 2 * axis] * u(i, j, k) + w[2 + 2 * axis] * u(-i, -j, -k);
    });
    next = sum;
  }
};

template <int Order>
struct Smooth {
  double r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5 * u() + r * laplacian<Order>(u);
  }
};

template <Axis A, int Order>
struct Advect {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * u() + r * d<A, Order>(u);
  }
};

/// Towards the low side of y alone.
struct Behind {
  std::array<float, 3> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u() + w[1] * u(0, -1, 0) + w[2] * u(0, -3, 0);
  }
};

/// Like a knight of chess.
struct Knight {
  std::array<float, 4> w{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = w[0] * u(2, -1, 0) + w[1] * u(-3, 0, 1) + w[2] * u(0, 2, -2) + w[3] * u();
  }
};

/// Offsets are members: the footprint of the type says nothing of the object's.
template <class W, int Reads>
struct Gather {
  std::array<W, Reads> w{};
  std::array<std::array<int, 3>, Reads> offset{};
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto sum = w[0] * u(offset[0][0], offset[0][1], offset[0][2]);
    unroll<Reads - 1>([&](auto n) {
      const auto& o = offset[n + 1];
      sum += w[n + 1] * u(o[0], o[1], o[2]);
    });
    next = sum;
  }
};

/// Operators of unit spacing multiply what they are given by less than 16.
template <class F, class T, class Layout>
void add_operator(ProgramDraft& draft) {
  const auto& u = draft.input<T, 1, Layout>();
  const auto& next = draft.output<T, 1, Layout>();
  draft.apply(F{static_cast<decltype(F{}.r)>(draft.number(-0.4, 0.4) / 16)}, in(u), out(next));
}

template <class W, int Reads, class Layout>
void add_gather(ProgramDraft& draft) {
  const auto& u = draft.input<W, 1, Layout>();
  const auto& next = draft.output<W, 1, Layout>();
  Gather<W, Reads> gather{draft.weights<W, Reads>()};
  const Index reach = draft.whole(0, 4);
  for (auto& offset : gather.offset) {
    for (int& o : offset) o = static_cast<int>(draft.whole(-reach, reach));
  }
  draft.apply(gather, in(u), out(next));
}

}  // namespace

std::vector<Family> far_families() {
  return {{"FarStar<2>", add_weighted<FarStar<2, 3>, float, ijk>},
          {"FarStar<4>", add_weighted<FarStar<4, 3>, float, ijk>},
          {"FarStar<3, kij>", add_weighted<FarStar<3, 2>, float, kij>},
          {"Smooth<4>", add_operator<Smooth<4>, double, ijk>},
          {"Advect<x, 6>", add_operator<Advect<Axis::x, 6>, float, ijk>},
          {"Advect<z, 8, kij>", add_operator<Advect<Axis::z, 8>, float, kij>},
          {"Behind", add_weighted<Behind, float, ijk>},
          {"Knight", add_weighted<Knight, float, ijk>},
          {"Gather<float, 5>", add_gather<float, 5, ijk>},
          {"Gather<double, 2>", add_gather<double, 2, ijk>},
          {"Gather<float, 3, kij>", add_gather<float, 3, kij>}};
}

}  // namespace goban::fuzz
