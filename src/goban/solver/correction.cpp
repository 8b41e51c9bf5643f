#include "goban/backend/launchers/launchers.hpp"
#include "goban/solver/coarsened_axes.hpp"
#include "goban/solver/multigrid_level.hpp"

namespace goban::multigrid {

template <class T>
void add_correction(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  with_coarsened(fine.ratio, [&]<class Axes>(Axes) {
    with_conductances(fine, [&](const auto&... c) {
      program.apply(Correct<Axes>{}, site, in(coarse.u), inout(fine.u), c...);
    });
  });
}

template <class T>
void add_mean(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  with_coarsened(fine.ratio, [&]<class Axes>(Axes) {
    program.apply(RestrictValue<Axes>{}, in(fine.f), out(coarse.f));
  });
}

template <class T>
void add_conductances(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  const auto &c = fine.conductances, &d = coarse.conductances;
  with_coarsened(fine.ratio, [&]<class Axes>(Axes) {
    program.apply(RestrictConductances<Axes>{}, in(c[0]), in(c[1]), in(c[2]), out(d[0]), out(d[1]),
                  out(d[2]));
  });
}

template void add_correction(Program&, const Level<float>&, const Level<float>&);
template void add_correction(Program&, const Level<double>&, const Level<double>&);
template void add_mean(Program&, const Level<float>&, const Level<float>&);
template void add_mean(Program&, const Level<double>&, const Level<double>&);
template void add_conductances(Program&, const Level<float>&, const Level<float>&);
template void add_conductances(Program&, const Level<double>&, const Level<double>&);

}  // namespace goban::multigrid
