#include "flow/step_programs.hpp"
#include "flow/step_start.hpp"
#include "flow/step_sums.hpp"

namespace goban::flow {

template class FlowStep<2, float>;

}  // namespace goban::flow
