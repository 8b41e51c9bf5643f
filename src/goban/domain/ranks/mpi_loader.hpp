#pragma once
// Finds the MPI that started this program.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/domain/ranks/mpi_module.hpp"

namespace goban {

/// How the program was started.
struct Launch {
  int ranks = 1;                  ///< 0: by a launcher that does not say
  std::vector<std::string> mpis;  ///< what may have started it, "openmpi", "mpich"; empty: none
  int rank = 0;                   ///< the rank of this process
};

/// Reads the variables that mpirun, mpiexec and srun set. GOBAN_MPI names one MPI, or "none".
Launch find_launch(const std::function<const char*(const char* name)>& environment);

/// All ranks of this program; self_communicator() if no MPI started it. Collective the first time.
/// MPI lives until the process ends, which it does with all others: a rank that ends early calls
/// abandon(). Modules are found as modules.hpp says.
/// From then on ranks watch each other, see watch.hpp.
/// Error (ExitCode::resources): it was started as several ranks, but its MPI cannot be used.
std::shared_ptr<Communicator> world_communicator();
/// Whether it has been called with success.
bool has_world();

/// What a rank that leaves the program with an error knows of the others.
enum class Parting {
  alike,  ///< all leave with the same code and text
  first,  ///< all leave, and this rank's error is the first that is no consequence of another
  later,  ///< all leave, and another rank's is
  alone   ///< some have not come within the time given
};
/// All ranks of the program meet here once, at their end: those that come to exit() wait in it for
/// the others. This one fails with `code` and waits no longer than `patience`. There are several.
Parting leave_world(int code, const std::string& text, std::chrono::milliseconds patience);

/// The ranks of a user's own communicator, which is duplicated; see goban/mpi.hpp.
std::shared_ptr<Communicator> open_mpi_communicator(const MpiRequest& request);

}  // namespace goban
