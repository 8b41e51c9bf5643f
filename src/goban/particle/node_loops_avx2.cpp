#define GOBAN_NODE_LOOPS avx2
#include "goban/particle/node_loops.hpp"
