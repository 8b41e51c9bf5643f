#include "goban/solver/full_weighting_stencils.hpp"
#include "goban/solver/multigrid_level.hpp"

namespace goban::multigrid {
namespace {

template <class T>
EndCells ends_of(const Level<T>& level) {
  return {level.cells, level.u.record()->boundary.front()};
}

}  // namespace

template <class T>
void add_restriction(Program& program, const Level<T>& fine, const Level<T>& coarse,
                     double weight) {
  if (fine.ends) {
    with_conductances(fine, [&](const auto&... c) {
      program.apply(Residual{fine.per_h2}, in(fine.u), in(fine.f), out(fine.next), c...);
    });
    const WeighResidual restrict {CoarsenedAxes(fine.ratio), ends_of(coarse), coarse.per_h2,
                                  weight};
    return with_conductances(coarse, [&](const auto&... c) {
      program.apply(restrict, site, in(fine.next), out(coarse.f), out(coarse.u), c...);
    });
  }
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
  const CoarsenedAxes axes(fine.ratio);
  if (fine.ends) {
    program.apply(WeighValue{axes, ends_of(coarse)}, site, in(fine.f), out(coarse.f));
  } else {
    program.apply(RestrictValue{axes}, in(fine.f), out(coarse.f));
  }
}

template <class T>
void add_conductances(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  const auto &c = fine.conductances, &d = coarse.conductances;
  if (coarse.ends) {
    const auto& [x, y, z] = *coarse.ends;
    program.apply(ConductBetweenVertices{ends_of(coarse), {x, y, z}}, site, out(d[0]), out(d[1]),
                  out(d[2]));
    return;
  }
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
