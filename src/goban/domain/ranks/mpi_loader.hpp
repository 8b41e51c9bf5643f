#pragma once
// Finds and loads the MPI that started this program.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/domain/ranks/mpi_module.hpp"

namespace goban {

/// How the program was started.
struct Launch {
  int ranks = 1;  ///< the number of ranks; 0 if the launcher does not tell
  /// MPIs that may have started it, "openmpi" or "mpich"; empty if none
  std::vector<std::string> mpis;
  int rank = 0;  ///< the rank of this process
};

/// Reads the environment variables that mpirun, mpiexec and srun set. GOBAN_MPI may name one MPI,
/// or "none".
Launch find_launch(const std::function<const char*(const char* name)>& environment);

/// Returns the communicator of all ranks, or self_communicator() if no MPI started the program. The
/// first call is collective; it loads a module (see modules.hpp) and starts the watch (see
/// watch.hpp). MPI lives until the process ends, which it does together with all others; a rank
/// that ends earlier calls abandon(). Throws an Error (ExitCode::resources) if the program was
/// started as several ranks but its MPI cannot be used.
std::shared_ptr<Communicator> world_communicator();
/// Returns whether world_communicator() has returned successfully.
bool has_world();

/// What a rank that ends with an error knows about the other ranks.
enum class Parting {
  alike,  ///< all ranks end with the same code and text
  first,  ///< all ranks end, and this rank is the lowest whose error is no consequence of another's
  later,  ///< all ranks end, and another rank is that one
  alone   ///< some ranks have not come in time
};
/// Lets all ranks meet once at their end; ranks that end normally wait for the others in exit().
/// This rank fails with `code` and waits no longer than `patience`. There must be several ranks.
Parting leave_world(int code, const std::string& text, std::chrono::milliseconds patience);

/// Returns the ranks of a user's own MPI communicator, which is duplicated; see goban/mpi.hpp.
std::shared_ptr<Communicator> open_mpi_communicator(const MpiRequest& request);

}  // namespace goban
