// expect: several threads call it, so it cannot be mutable
#include "goban/boundary/boundary.hpp"

const auto condition =
    goban::custom([n = 0](const goban::GhostCell& ghost) mutable { return n++ + ghost.inside(1); });
