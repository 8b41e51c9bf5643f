// expect: goban: reading an out; it is written next = x, pass the field as inout to read its old
// value
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u() + v(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Functor{});
