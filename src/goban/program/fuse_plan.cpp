#include "goban/program/fuse_plan.hpp"

namespace goban::detail {
namespace {

template <class T>
double as_stored_number(double value) {
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<double>(static_cast<float>(half(static_cast<float>(value))));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(static_cast<T>(static_cast<std::int64_t>(value)));
  } else {
    return static_cast<double>(static_cast<T>(value));
  }
}

}  // namespace

ConstantGhosts ghosts_of(const FieldRecord& field) {
  ConstantGhosts ghosts;
  for (std::size_t a = 0; a < 3; ++a) {
    ghosts.staggered[a] = is_staggered(field.location, static_cast<int>(a));
    for (std::size_t side = 0; side < 2; ++side) {
      ghosts.value[a][side] = visit_element(field.type, [&]<class T>(T) {
        return as_stored_number<T>(field.boundary.front().sides[a][side].value);
      });
    }
  }
  return ghosts;
}

}  // namespace goban::detail
