#include "goban/goban.hpp"
#include "lbm/step_programs.hpp"

namespace goban::lbm {

template class FlowStep<D3Q19, InPlace<float>, ijk>;

}  // namespace goban::lbm
