#define GOBAN_NODE_LOOPS avx512
#include "goban/particle/nodes/node_loops.hpp"
