// expect: goban: a floating-point number beside integer values would lose its fraction
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = 0.5 * u(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, std::int32_t>, FieldParameter<Access::out, float>>(Functor{});
