#include "goban/goban.hpp"
#include "lbm/step_programs.hpp"

namespace goban::lbm {

template class FlowStep<D2Q9, half, ijk>;

}  // namespace goban::lbm
