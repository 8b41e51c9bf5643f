#include "goban/boundary/boundary.hpp"

const auto condition =
    goban::custom([n = 1](const goban::GhostCell& ghost) { return n + ghost.inside(1); });
