#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

template <class T>
void add_correction_and_swap(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  with_conductances(fine, [&](const auto&... c) {
    program.apply(CorrectInto{CoarsenedAxes(fine.ratio)}, site, in(coarse.u), in(fine.u),
                  out(fine.next), c...);
  });
  program.swap(fine.u, fine.next);
}

template void add_correction_and_swap(Program&, const Level<float>&, const Level<float>&);
template void add_correction_and_swap(Program&, const Level<double>&, const Level<double>&);

}  // namespace goban::multigrid
