#include "dendrite/step_programs.hpp"
#include "goban/goban.hpp"

namespace goban::dendrite {

template class GrowthStep<double>;

}  // namespace goban::dendrite
