#include "goban/backend/host/field_memory.hpp"

#include <string>

#include "goban/base/error.hpp"

namespace goban::host {

AlignedMemory field_memory(std::size_t bytes, std::size_t alignment) {
  try {
    return aligned_memory(bytes, alignment);
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::resources, "no memory for a field",
                std::to_string(bytes >> 20) + " MiB were asked for",
                "use a smaller grid or more machines");
  }
}

}  // namespace goban::host
