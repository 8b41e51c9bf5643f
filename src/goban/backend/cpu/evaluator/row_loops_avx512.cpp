#define GOBAN_ROW_LOOPS avx512
#include "goban/backend/cpu/evaluator/row_loops.hpp"
