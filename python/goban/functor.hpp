#pragma once
// What modules of functors include that were written in Python.

#include <limits>

#include "goban/program/program.hpp"
#include "goban/stencil/between_grids.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"

/// Appends the stage to a program. An argument of a functor has the field and its grid, or the
/// parameter, that it stands for; numbers are those of the functors, in their order. A program
/// loads the module and calls this.
extern "C" [[gnu::visibility("default")]] void goban_python_stage(
    goban::Program& program, const goban::StageArgument* arguments, const double* numbers);

/// Makes a boundary condition. Defined in its place by modules of rules for ghosts.
extern "C" [[gnu::visibility("default")]] void goban_python_ghost(goban::BoundaryCondition& made,
                                                                  const double* numbers);
