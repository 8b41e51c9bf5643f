#include "goban/goban.hpp"
#include "heat/step_programs.hpp"

namespace goban::heat {

template class ExplicitStep<double, ijk>;

}  // namespace goban::heat
