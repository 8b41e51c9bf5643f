// expect: goban: fuse takes fields as they are, in(u) and out(u) stand in its stages; numbers as
// param(p), and site
#include "flux.hpp"

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Flux{}, in(u), out(flux)), stage(Divergence{}, in(flux), out(next)));
      },
      in(u), flux, next);
}
