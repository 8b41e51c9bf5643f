#include "goban/solver/full_weighting_stencils.hpp"
#include "goban/solver/multigrid_level.hpp"

namespace goban::multigrid {

template <class T>
void add_correction_and_swap(Program& program, const Level<T>& fine, const Level<T>& coarse) {
  const CoarsenedAxes axes(fine.ratio);
  if (fine.ends) {
    program.apply(CorrectBetweenVerticesInto{axes}, site, in(coarse.u), in(fine.u), out(fine.next));
  } else {
    with_conductances(fine, [&](const auto&... c) {
      program.apply(CorrectInto{axes}, site, in(coarse.u), in(fine.u), out(fine.next), c...);
    });
  }
  program.swap(fine.u, fine.next);
}

template void add_correction_and_swap(Program&, const Level<float>&, const Level<float>&);
template void add_correction_and_swap(Program&, const Level<double>&, const Level<double>&);

}  // namespace goban::multigrid
