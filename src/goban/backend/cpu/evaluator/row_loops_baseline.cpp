#define GOBAN_ROW_LOOPS baseline
#include "goban/backend/cpu/evaluator/row_loops.hpp"
