#pragma once
// The interface of modules, each of which is for one MPI. They are compiled separately, once for
// every MPI that was found, and loaded by programs that run under it; goban itself depends on none.

#include <cstddef>
#include <memory>

#include "goban/base/activity.hpp"
#include "goban/base/communicator.hpp"

namespace goban {

/// The ranks that the module is to connect.
struct MpiRequest {
  /// Address of an MPI_Comm; null for all ranks of the program.
  const void* communicator = nullptr;
  std::size_t bytes = 0;           ///< the size of an MPI_Comm
  const char* library = nullptr;   ///< the text of MPI_Get_library_version of its MPI
  ActivityBoard* board = nullptr;  ///< the program's board, on which waiting is noted
  void (*abandoned)(int exit_code) noexcept = nullptr;  ///< called before abandon() acts
};

/// The only symbol of a module. Its number changes whenever this interface does.
constexpr const char* mpi_module_symbol = "goban_mpi_communicator_4";
extern "C" {
using MpiModule = void(const MpiRequest* request, std::shared_ptr<Communicator>* result);
}

}  // namespace goban
