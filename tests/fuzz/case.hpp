#pragma once
// One case: a random program on a random grid, and the ways in which it is executed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "goban/grid/decomposition.hpp"
#include "goban/grid/settings.hpp"
#include "tests/fuzz/program_draft.hpp"

namespace goban::fuzz {

/// All but the program, which follows from the seed.
struct Case {
  std::uint64_t seed = 0;
  GridOptions grid;
  /// Each coarsened from the one before.
  struct Coarser {
    Index3 ratio{1, 1, 1};
    CoarseningOptions options;
  };
  std::vector<Coarser> coarser;
  Ingredients ingredients;
  int items = 1;
  std::array<Index, 2> steps{};   ///< of two runs
  bool changes_boundary = false;  ///< between the runs
  double dt = 1;
  bool dt_is_parameter = false;
  std::uint64_t random_seed = 1;  ///< of random numbers in functors
  std::vector<int> dropped;       ///< items left out, to find what a failure needs
};

Case draw_case(std::uint64_t seed);

/// How a case is executed; nothing of it may be seen in the results.
struct Execution {
  Settings settings;
  std::optional<Decomposition> later;  ///< data moves there between the two runs
  int ranks = 1;                       ///< threads of this process
};

/// What a program reads beyond the cells it updates: decides which halos fit.
struct Reach {
  Index3 most{};                   ///< of any sweep
  Index3 total{};                  ///< of all sweeps together
  std::array<bool, 3> is_whole{};  ///< columns run there
};

/// The definition of what programs do.
Execution reference(const Case& drawn);
Execution draw_execution(const Case& drawn, const Reach& reach, Random& random);
std::string to_text(const Execution& execution);

/// Some halo may be wider than a patch: the execution may be refused.
bool may_be_refused(const Case& drawn, const Reach& reach, const Execution& execution);

struct Outcome {
  std::map<std::string, std::uint64_t> results;  ///< checksums of fields, bits of parameters
  std::string refusal;                           ///< what the halo that does not fit is told
  std::string failure;                           ///< any other error
  std::string program;                           ///< what was drawn
  std::map<std::string, int> families;           ///< sweeps of each
  Reach reach;
  int items = 0;
};

Outcome run(const Case& drawn, const Execution& execution);
/// Draws the program without running it.
Outcome draw(const Case& drawn);

/// What an execution did otherwise than the reference; empty if nothing.
std::string difference(const Case& drawn, const Execution& execution, const Outcome& expected,
                       const Outcome& found);

/// Seed, grid, program and settings in one line.
std::string to_text(const Case& drawn, const Outcome& outcome, const Execution& execution);

/// A smaller case and plainer settings that still differ.
std::pair<Case, Execution> shrink(Case drawn, Execution execution);

}  // namespace goban::fuzz
