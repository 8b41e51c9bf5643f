// expect: goban: this field has several components; write u[c]() to read one
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto f, auto v) const { v = f(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float, 3>, FieldParameter<Access::out, float>>(Functor{});
