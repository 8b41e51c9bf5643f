#include "flow/step_programs.hpp"

namespace goban::flow {

template class FlowStep<2, double>;

}  // namespace goban::flow
