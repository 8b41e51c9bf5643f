#include "goban/goban.hpp"
#include "lbm/step_programs.hpp"

namespace goban::lbm {

template class FlowStep<D3Q19, double, ijk>;
template class FlowStep<D3Q19, double, kij>;

}  // namespace goban::lbm
