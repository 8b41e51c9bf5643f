#pragma once
// Everything a program written with goban includes.

#include "goban/domain/engine/engine.hpp"
#include "goban/field/field.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/image/image_source.hpp"
#include "goban/program/program.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "goban/solver/fourier.hpp"
#include "goban/solver/krylov.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/stencil/between_grids.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"

// The words of schedules take plain numbers, so their arguments do not lead to the namespace:
// `simulation.output({u}, every(100))` is to work without a using-directive.
using goban::at;
using goban::at_end;
using goban::every;
using goban::every_time;
using goban::every_wall;
using goban::hours;
using goban::minutes;
using goban::seconds;
