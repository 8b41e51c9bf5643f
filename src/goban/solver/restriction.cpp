#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

template <class T>
void add_restriction(Program& program, const Level<T>& fine, const Level<T>& coarse,
                     double weight) {
  const RestrictResidual restrict {CoarsenedAxes(fine.ratio), fine.per_h2, coarse.per_h2, weight};
  const auto &c = fine.conductances, &d = coarse.conductances;
  if (c.empty()) {
    program.apply(restrict, in(fine.u), in(fine.f), out(coarse.f), out(coarse.u));
  } else {
    program.apply(restrict, in(fine.u), in(fine.f), out(coarse.f), out(coarse.u), in(c[0]),
                  in(c[1]), in(c[2]), in(d[0]), in(d[1]), in(d[2]));
  }
}

template <class T>
void add_mean(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  program.apply(RestrictValue{CoarsenedAxes(fine.ratio)}, in(fine.f), out(coarse.f));
}

template <class T>
void add_conductances(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  const auto &c = fine.conductances, &d = coarse.conductances;
  program.apply(RestrictConductances{CoarsenedAxes(fine.ratio)}, in(c[0]), in(c[1]), in(c[2]),
                out(d[0]), out(d[1]), out(d[2]));
}

template void add_restriction(Program&, const Level<float>&, const Level<float>&, double);
template void add_restriction(Program&, const Level<double>&, const Level<double>&, double);
template void add_mean(Program&, const Level<float>&, const Level<float>&);
template void add_mean(Program&, const Level<double>&, const Level<double>&);
template void add_conductances(Program&, const Level<float>&, const Level<float>&);
template void add_conductances(Program&, const Level<double>&, const Level<double>&);

}  // namespace goban::multigrid
