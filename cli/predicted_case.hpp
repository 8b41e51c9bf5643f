#pragma once
// What predictions are made of: a case on paper, or a computation told by its numbers.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "cli/on_paper.hpp"
#include "goban/performance/predict/told_work.hpp"
#include "goban/simulation/predict/predictions.hpp"

namespace goban::cli {

/// What is asked about.
struct PredictedSource {
  std::string file;  ///< file of a case; empty: there is none
  std::string work;  ///< see told_work(); empty: it is a case
  std::vector<std::string> overrides;
  double rounds = 1;  ///< rounds of loops until a condition holds
};

struct PredictedCase {
  CaseOnPaper paper;  ///< what `run` refers to
  PredictedRun run;
  Settings settings;
  std::optional<ToldWork> work;
};

/// With `times` as many cells along each axis of the same size: the case is set up anew, so that
/// what belongs to the ends of its grid is at the ends of the larger one. Errors (ExitCode::usage):
/// those of the case, which may not exist on such a grid.
PredictedCase predicted_case(const Context& context, const PredictedSource& source,
                             Index3 times = {1, 1, 1});

}  // namespace goban::cli
