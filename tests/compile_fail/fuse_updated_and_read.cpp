// expect: goban: a stage of a fuse updates a field that another stage uses
#include "flux.hpp"
struct Add {
  GOBAN_FUNCTION void operator()(auto flux, auto total) const { total += flux(); }
};

void fuse(Program& step, const Field<float>& u, const Field<float>& flux,
          const Field<float>& next) {
  step.fuse(
      [](auto u, auto flux, auto next) {
        return stages(stage(Flux{}, in(u), out(flux)), stage(Add{}, in(flux), inout(u)),
                      stage(Flux{}, in(flux), out(next)));
      },
      u, flux, next);
}
