#include "atmosphere/step_programs.hpp"
#include "atmosphere/step_start.hpp"

namespace goban::atmosphere {

template class AtmosphereStep<3, double>;

}  // namespace goban::atmosphere
