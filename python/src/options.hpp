#pragma once
// Options as the package writes them, JSON, read into those of simulations and solvers. A key that
// is missing or null leaves the default.

#include <optional>

#include "calls.hpp"
#include "goban/simulation/options.hpp"
#include "goban/solver/fourier.hpp"
#include "goban/solver/multigrid.hpp"

namespace goban::python {

template <class T>
void read(const Json& options, const char* key, T& value) {
  if (const auto found = options.find(key); found != options.end() && !found->is_null()) {
    value = found->template get<T>();
  }
}
template <class T>
void read(const Json& options, const char* key, std::optional<T>& value) {
  if (const auto found = options.find(key); found != options.end() && !found->is_null()) {
    value = found->template get<T>();
  }
}

/// {"every": 100, "every_time": 0.1, "seconds": 60, "at_steps": [...], "at_times": [...],
/// "at_end": true, "automatically": true}
When when_of(const Json& schedule);
/// Fields as options name them, {"field": number among the objects, "unit": "m/s"}.
AnyField field_of(const Json& named, void* const* objects);
std::vector<AnyField> fields_of(const Json& named, void* const* objects);

SimulationOptions simulation_options(const Json& options);
PictureOptions picture_options(const Json& options, void* const* objects);
CheckpointPolicy checkpoint_policy(const Json& options);
FourierOptions fourier_options(const Json& options);
MultigridOptions multigrid_options(const Json& options);
Position position_of(const Json& coordinates);

}  // namespace goban::python
