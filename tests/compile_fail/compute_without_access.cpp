// expect: goban: compute takes parameters as in(p), out(p) or inout(p)
#include "goban/program/program.hpp"

using namespace goban;

void add(Program& step, const Parameter<double>& dt) {
  step.compute([](double& value) { value *= 2; }, dt);
}
