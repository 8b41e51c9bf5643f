#pragma once
// Packs: the values of N neighbouring cells as one value, with the operators of numbers.

#include "goban/stencil/pack/pack_memory.hpp"
#include "goban/stencil/pack/pack_operators.hpp"
#include "goban/stencil/pack/pack_types.hpp"
#include "goban/stencil/pack_math.hpp"
