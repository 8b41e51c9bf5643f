#include "goban/goban.hpp"
#include "heat/step_programs.hpp"

namespace goban::heat {

template class ExplicitStep<half, kij>;

}  // namespace goban::heat
