#pragma once
// For programs that use MPI themselves: ranks of their own communicators. Compiled with their MPI.

#include <mpi.h>

#include <memory>

#include "goban/domain/ranks/mpi_loader.hpp"

namespace goban {

/// The ranks of an MPI_Comm, which is duplicated; its error handler stays. Collective over it, as
/// is the end of the last use of what is returned, which comes before MPI_Finalize.
/// Error (ExitCode::resources): goban was not built with this MPI.
inline std::shared_ptr<Communicator> mpi_communicator(MPI_Comm communicator) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  return open_mpi_communicator({&communicator, sizeof(communicator), library});
}

}  // namespace goban
