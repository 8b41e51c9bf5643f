#include "seismic/step_programs.hpp"

namespace goban::seismic {

template class WaveStep<3, double>;

}  // namespace goban::seismic
