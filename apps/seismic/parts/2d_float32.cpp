#include "seismic/step_programs.hpp"

namespace goban::seismic {

template class WaveStep<2, float>;

}  // namespace goban::seismic
