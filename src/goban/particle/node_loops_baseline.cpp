#define GOBAN_NODE_LOOPS baseline
#include "goban/particle/node_loops.hpp"
