#include "goban/goban.hpp"
#include "seismic/step_sweeps.hpp"

namespace goban::seismic {

GOBAN_SEISMIC_SWEEPS(2, 8, float);

}  // namespace goban::seismic
