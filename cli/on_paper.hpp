#pragma once
// A case whose fields have no values: what it would compute, without computing it.

#include <memory>

#include "goban/io/case/file.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::cli {

struct CaseOnPaper {
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Setup> setup;
  Simulation* simulation = nullptr;  ///< null: it has no sweeps over a grid
};

CaseOnPaper on_paper(const Application& application, const Case& values);

}  // namespace goban::cli
