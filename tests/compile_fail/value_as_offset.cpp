// expect: it cannot be an offset or the bound of a loop
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto v) const { v = u(c(), 0, 0); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::in, std::int32_t>,
          FieldParameter<Access::out, float>>(Functor{});
