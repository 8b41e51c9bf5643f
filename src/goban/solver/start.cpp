#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

template <class T, class U>
void add_start(Program& program, const Level<T>& fine, const Level<T>& coarse, const Field<U>& u) {
  if (!fine.conductances.empty()) {
    program.apply(SetZero{}, out(u));
    return add_correction(program, fine, coarse, u);
  }
  program.apply(Interpolate{CoarsenedAxes(fine.ratio)}, site, in(coarse.u), out(u));
}

template void add_start(Program&, const Level<float>&, const Level<float>&, const Field<float>&);
template void add_start(Program&, const Level<float>&, const Level<float>&, const Field<double>&);
template void add_start(Program&, const Level<double>&, const Level<double>&, const Field<double>&);

}  // namespace goban::multigrid
