#include "goban/domain/transport/failure.hpp"

#include "goban/domain/transport/mpi_loader.hpp"

namespace goban {

int report_failure(const Error& error, const std::function<void(const std::string& line)>& print) {
  const auto world = world_communicator();
  const int code = static_cast<int>(error.code());
  if (world->size() == 1) {
    print(error.what());
  } else {
    print("rank " + std::to_string(world->rank()) + ": " + error.what());
    world->abandon(code);
  }
  return code;
}

}  // namespace goban
