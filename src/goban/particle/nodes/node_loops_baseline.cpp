#define GOBAN_NODE_LOOPS baseline
#include "goban/particle/nodes/node_loops.hpp"
