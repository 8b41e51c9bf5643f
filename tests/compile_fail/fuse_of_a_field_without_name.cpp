// expect: goban: stages of a fuse take its arguments under their names in the list
#include "flux.hpp"

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [&](auto, auto flux, auto next) {
        return stages(stage(Flux{}, in(u), out(flux)), stage(Divergence{}, in(flux), out(next)));
      },
      u, flux, next);
}
