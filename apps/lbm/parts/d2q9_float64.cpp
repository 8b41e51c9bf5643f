#include "goban/goban.hpp"
#include "lbm/step_programs.hpp"

namespace goban::lbm {

template class FlowStep<D2Q9, double, ijk>;
template class FlowStep<D2Q9, double, kij>;

}  // namespace goban::lbm
