// expect: goban: a stage of a fuse reads a field that it or a later stage writes; use a second
// field and swap, or put the stage that writes first
#include "goban/program/program.hpp"

using namespace goban;

struct Flux {
  GOBAN_FUNCTION void operator()(auto u, auto flux) const { flux = u() - u(-1, 0, 0); }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto flux, auto next) const { next = flux(1, 0, 0) - flux(); }
};

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Divergence{}, in(flux), out(next)), stage(Flux{}, in(u), out(flux)));
      },
      u, flux, next);
}
