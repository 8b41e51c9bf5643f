#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto v) const {
    v = select(c() == 1, u(1, 0, 0), u());
  }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::in, std::int32_t>,
          FieldParameter<Access::out, float>>(Functor{});
