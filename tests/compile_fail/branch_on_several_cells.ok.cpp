#include "goban/stencil/accessor.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    if (u() > 0) {
      v = 1;
    } else {
      v = 0;
    }
  }
};

void sweep(const float* in, float* out) {
  constexpr int N = 1;
  Pack<float, N> slot[1];
  Functor{}(Reader<float, 1, N>(in, {1, 0, 0}, 0), Writer<float, 1, N>(slot));
  store(out, slot[0]);
}
