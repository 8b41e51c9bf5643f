#define GOBAN_ROW_LOOPS avx2
#include "goban/backend/cpu/evaluator/row_loops.hpp"
