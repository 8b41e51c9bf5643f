// expect: goban: no stage of the fuse writes an Intermediate, as out
#include "flux.hpp"
struct Add {
  GOBAN_FUNCTION void operator()(auto flux, auto total) const { total += flux(); }
};

void fuse(Program& step, const Field<float>& u, const Intermediate<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Flux{}, in(flux), out(next)), stage(Add{}, in(flux), inout(u)));
      },
      u, flux, next);
}
