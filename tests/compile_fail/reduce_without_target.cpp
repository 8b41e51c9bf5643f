// expect: goban: reduce takes a functor and its arguments, as apply does, then sum, minimum or
#include "goban/program/program.hpp"

using namespace goban;

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

void add(Program& step, const Field<float>& u, const Parameter<double>& most) {
  step.reduce(Value{}, in(u), into(most), maximum);
}
