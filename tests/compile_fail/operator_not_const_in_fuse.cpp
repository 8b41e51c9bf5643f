// expect: goban: the functor's operator() must be const: void operator()(...) const
#include "goban/program/program.hpp"

using namespace goban;

struct Flux {
  GOBAN_FUNCTION void operator()(auto u, auto flux) const { flux = u() - u(-1, 0, 0); }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto flux, auto next) { next = flux(1, 0, 0) - flux(); }
};

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Flux{}, in(u), out(flux)), stage(Divergence{}, in(flux), out(next)));
      },
      u, flux, next);
}
