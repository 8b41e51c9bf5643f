#include "goban/backend/api.hpp"

namespace goban {

Event::~Event() = default;
Executor::~Executor() = default;

}  // namespace goban
