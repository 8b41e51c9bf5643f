// expect: goban: apply takes fields as in(u), out(u) or inout(u), numbers as param(p), and site
#include "goban/program/program.hpp"

using namespace goban;

struct Copy {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u(); }
};

void add(Program& step, const Field<float>& u, const Field<float>& next) {
  step.apply(Copy{}, u, out(next));
}
