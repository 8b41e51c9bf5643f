#include "goban/goban.hpp"
#include "heat/step_programs.hpp"

namespace goban::heat {

template class ExplicitStep<float, ijk>;

}  // namespace goban::heat
