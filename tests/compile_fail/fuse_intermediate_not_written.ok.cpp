#include "flux.hpp"
struct Add {
  GOBAN_FUNCTION void operator()(auto flux, auto total) const { total += flux(); }
};

void fuse(Program& step, const Field<float>& u, const Intermediate<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Flux{}, in(u), out(flux)), stage(Add{}, in(flux), inout(next)));
      },
      u, flux, next);
}
