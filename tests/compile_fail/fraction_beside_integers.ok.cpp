#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = 0.5 * convert<float>(u()); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, std::int32_t>, FieldParameter<Access::out, float>>(Functor{});
