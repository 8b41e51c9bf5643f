#define GOBAN_NODE_LOOPS avx2
#include "goban/particle/nodes/node_loops.hpp"
