#include "goban/domain/data/memory_refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

std::string size_text(Index bytes) {
  const double gibibytes = static_cast<double>(bytes) / static_cast<double>(1 << 30);
  return gibibytes < 1000 ? fmt::format("{:.3g} GiB", gibibytes)
                          : fmt::format("{:.3g} TiB", gibibytes / 1024);
}

}  // namespace

std::string name_of_machine(const Communicator& communicator) {
  const auto& nodes = communicator.nodes();
  const bool has_one = nodes == std::vector<int>(nodes.size(), nodes.front());
  return has_one ? std::string() : fmt::format("the machine of rank {}", communicator.rank());
}

Error memory_refusal(const Index3& cells, Index bytes_needed, Index bytes_available,
                     const std::string& where) {
  // A little less for halos and padding.
  const double scale =
      std::cbrt(0.97 * static_cast<double>(bytes_available) / static_cast<double>(bytes_needed));
  Index3 fitting;
  for (std::size_t a = 0; a < 3; ++a) {
    fitting[a] = std::max<Index>(1, static_cast<Index>(static_cast<double>(cells[a]) * scale));
  }
  return {ExitCode::resources, "the fields do not fit into memory",
          fmt::format("{} needed, {} available{}", size_text(bytes_needed),
                      size_text(bytes_available), where.empty() ? "" : " on " + where),
          fmt::format("of this shape {} fits; or take lower precision or a larger machine",
                      fmt::join(fitting, " x "))};
}

}  // namespace goban
