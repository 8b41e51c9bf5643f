// expect: goban: an inout is read at offset 0 alone, written w(); pass the neighbours as in
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto w) const { w += w(1, 0, 0); }
};

constexpr auto footprint = trace<FieldParameter<Access::inout, float>>(Functor{});
