#include "flow/step_programs.hpp"

namespace goban::flow {

template class FlowStep<3, float>;

}  // namespace goban::flow
