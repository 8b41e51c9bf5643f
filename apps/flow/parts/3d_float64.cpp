#include "flow/step_programs.hpp"

namespace goban::flow {

template class FlowStep<3, double>;

}  // namespace goban::flow
