#include "goban/simulation/run/nan_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "goban/base/error.hpp"

namespace goban {

void check_finite(const std::vector<LiveField>& fields, Index step, const std::string& advice) {
  for (const LiveField& field : fields) {
    if (!field.changes) continue;
    const auto place = field.grid->storage().find_nonfinite(*field.record);
    if (!place) continue;
    std::string where = fmt::format("step {}, cell ({})", step, fmt::join(place->index, ", "));
    if (field.record->components > 1) where += fmt::format(", component {}", place->component);
    throw Error(ExitCode::diverged,
                fmt::format("field '{}' holds NaN or infinity", field.record->name), where, advice);
  }
}

}  // namespace goban
