#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

template <class T, class U>
void add_correction(Program& program, const Level<T>& fine, const Level<T>& coarse,
                    const Field<U>& u) {
  with_conductances(fine, [&](const auto&... c) {
    program.apply(Correct{CoarsenedAxes(fine.ratio)}, site, in(coarse.u), inout(u), c...);
  });
}

template void add_correction(Program&, const Level<float>&, const Level<float>&,
                             const Field<float>&);
template void add_correction(Program&, const Level<float>&, const Level<float>&,
                             const Field<double>&);
template void add_correction(Program&, const Level<double>&, const Level<double>&,
                             const Field<double>&);

}  // namespace goban::multigrid
