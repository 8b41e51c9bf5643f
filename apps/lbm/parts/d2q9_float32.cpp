#include "goban/goban.hpp"
#include "lbm/step_programs.hpp"

namespace goban::lbm {

template class FlowStep<D2Q9, float, ijk>;
template class FlowStep<D2Q9, float, kij>;

}  // namespace goban::lbm
