#pragma once
// The mathematical functions; docs/mathematics.md says how exact they are.

#include "goban/stencil/mathematics/atan.hpp"
#include "goban/stencil/mathematics/cbrt.hpp"
#include "goban/stencil/mathematics/exp.hpp"
#include "goban/stencil/mathematics/list.hpp"
#include "goban/stencil/mathematics/log.hpp"
#include "goban/stencil/mathematics/pow.hpp"
#include "goban/stencil/mathematics/tanh.hpp"
#include "goban/stencil/mathematics/trigonometry.hpp"
