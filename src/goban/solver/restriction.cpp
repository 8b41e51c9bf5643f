#include "goban/backend/launchers/launchers.hpp"
#include "goban/solver/coarsened_axes.hpp"
#include "goban/solver/multigrid_level.hpp"

namespace goban::multigrid {

template <class T>
void add_restriction(Program& program, const Level<T>& fine, const Level<T>& coarse,
                     double weight) {
  with_coarsened(fine.ratio, [&]<class Axes>(Axes) {
    const RestrictResidual<Axes> restrict {fine.per_h2, coarse.per_h2, weight};
    const auto &c = fine.conductances, &d = coarse.conductances;
    if (c.empty()) {
      program.apply(restrict, in(fine.u), in(fine.f), out(coarse.f), out(coarse.u));
    } else {
      program.apply(restrict, in(fine.u), in(fine.f), out(coarse.f), out(coarse.u), in(c[0]),
                    in(c[1]), in(c[2]), in(d[0]), in(d[1]), in(d[2]));
    }
  });
}

template void add_restriction(Program&, const Level<float>&, const Level<float>&, double);
template void add_restriction(Program&, const Level<double>&, const Level<double>&, double);

}  // namespace goban::multigrid
