#include "goban/program/program.hpp"

using namespace goban;

struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto factor, auto next) const { next = factor() * u(); }
};

void add(Program& step, const Field<float>& u, const Parameter<float>& factor,
         const Field<float>& next) {
  step.apply(Scale{}, in(u), param(factor), out(next)).over(Box{});
}
