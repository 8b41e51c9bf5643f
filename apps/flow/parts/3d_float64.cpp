#include "flow/step_programs.hpp"
#include "flow/step_start.hpp"
#include "flow/step_sums.hpp"

namespace goban::flow {

template class FlowStep<3, double>;

}  // namespace goban::flow
