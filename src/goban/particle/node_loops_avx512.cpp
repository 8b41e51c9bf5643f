#define GOBAN_NODE_LOOPS avx512
#include "goban/particle/node_loops.hpp"
