#include "goban/domain/data/place_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "goban/base/quantity_text.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/decomposition/amalgamation.hpp"

namespace goban {

std::string place_text(GridState& grid) {
  const Decomposition& own = decomposition_of(grid);
  const bool is_on_one = own.patches() == 1;
  const std::string where =
      is_on_one ? "on one device"
                : fmt::format("in {} patches", fmt::join(own.process_grid(), " x "));
  const Amalgamation predicted = predicted_amalgamation(decomposition_of(*grid.finer), grid);
  if (predicted.spread == 0) return where;
  return fmt::format("{} ({} predicted for it and coarser ones, {} {})", where,
                     quantity_text(predicted.seconds, "s", 3),
                     quantity_text(is_on_one ? predicted.spread : predicted.gathered, "s", 3),
                     is_on_one ? "spread" : "gathered");
}

}  // namespace goban
