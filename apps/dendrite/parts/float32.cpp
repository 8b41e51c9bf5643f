#include "dendrite/step_programs.hpp"
#include "goban/goban.hpp"

namespace goban::dendrite {

template class GrowthStep<float>;

}  // namespace goban::dendrite
