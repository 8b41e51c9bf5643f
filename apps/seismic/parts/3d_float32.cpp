#include "seismic/step_programs.hpp"

namespace goban::seismic {

template class WaveStep<3, float>;

}  // namespace goban::seismic
