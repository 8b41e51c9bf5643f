// expect: goban: a stage of a fuse reads a field that it or a later stage writes; use a second
// field and swap, or put the stage that writes first
#include "flux.hpp"

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Divergence{}, in(flux), out(next)), stage(Flux{}, in(u), out(flux)));
      },
      u, flux, next);
}
