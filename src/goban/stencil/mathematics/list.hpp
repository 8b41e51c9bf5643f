#pragma once
// The names of the mathematical functions, for what is said of each of them.

#define GOBAN_FUNCTIONS_OF_ONE(what) \
  what(cbrt) what(exp) what(log) what(sin) what(cos) what(tan) what(tanh) what(atan)
#define GOBAN_FUNCTIONS_OF_TWO(what) what(pow) what(atan2)
