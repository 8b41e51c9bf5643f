#pragma once
// What a module for one MPI gives. Modules are compiled apart, once for every MPI that was found,
// and loaded by programs that run under it: goban itself knows none.

#include <cstddef>
#include <memory>

#include "goban/base/activity.hpp"
#include "goban/base/communicator.hpp"

namespace goban {

/// The ranks that are asked for.
struct MpiRequest {
  const void* communicator = nullptr;  ///< an MPI_Comm; null for all ranks of the program
  std::size_t bytes = 0;               ///< an MPI_Comm has as many
  const char* library = nullptr;       ///< what its MPI says in MPI_Get_library_version
  ActivityBoard* board = nullptr;      ///< where waiting is noted
  void (*abandoned)(int exit_code) noexcept = nullptr;  ///< called before abandon() acts
};

/// The one symbol of a module. Its number changes with what crosses it.
constexpr const char* mpi_module_symbol = "goban_mpi_communicator_4";
extern "C" {
using MpiModule = void(const MpiRequest* request, std::shared_ptr<Communicator>* result);
}

}  // namespace goban
