#pragma once
// Everything a program written with goban includes.

#include "goban/backend/cpu/sweep.hpp"
#include "goban/domain/engine.hpp"
#include "goban/field/field.hpp"
#include "goban/program/program.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/simulation.hpp"
#include "goban/stencil/operators.hpp"
