#include "flow/step_programs.hpp"

namespace goban::flow {

template class FlowStep<2, float>;

}  // namespace goban::flow
