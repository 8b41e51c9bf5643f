#include "seismic/rock_files.hpp"

#include <fmt/format.h>

#include <limits>

#include "goban/base/agreement.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/each_cell.hpp"
#include "seismic/segy.hpp"

namespace goban::seismic {
namespace {

ImageWindow open_one(const Case& values, const std::string& key) {
  if (values.path(key).empty()) {
    throw values.error(key, "the medium is incomplete", "its other files are given",
                       fmt::format("name a file in {}", key));
  }
  const Index3 cells = values.integer3("grid.cells");
  if (is_segy(values.path(key))) {
    return ImageWindow(
        open_segy(values.path(key), cells,
                  {values.integer("medium.inline_byte"), values.integer("medium.crossline_byte")}));
  }
  return ImageWindow(
      open_image(values.path(key), {.extents = cells, .type = ElementType::float32}));
}

}  // namespace

RockFiles::RockFiles(const Case& values)
    : values_(values),
      extents_(values.integer3("grid.cells")),
      windows_{open_one(values, "medium.vp"), open_one(values, "medium.vs"),
               open_one(values, "medium.density")} {}

void RockFiles::show(const Box& box) {
  for (ImageWindow& window : windows_) window.show(box);
  each_cell(box, [&](Index3 cell) {
    const Rock rock = at(cell);
    if (rock.exists()) return;
    throw values_.error(
        "medium.vp",
        fmt::format("vp = {}, vs = {} m/s, density = {} kg/m3 are refused", rock.vp, rock.vs,
                    rock.density),
        fmt::format("cell {} {} {} of the files has them", cell[0], cell[1], cell[2]),
        "vp and density are positive, vs is at most 0.866 vp");
  });
}

SpeedRange RockFiles::speeds(Communicator& ranks) {
  constexpr Index bytes_at_a_time = Index{4} << 20;
  const auto boxes = blocks_of(extents_, sizeof(float), bytes_at_a_time);
  const auto first_of = [&](int rank) {
    return boxes.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
  };
  SpeedRange range;
  agree(ranks, [&] {
    for (std::size_t b = first_of(ranks.rank()); b < first_of(ranks.rank() + 1); ++b) {
      show(boxes[b]);
      each_cell(boxes[b], [&](Index3 cell) { range.include(at(cell)); });
    }
  });
  constexpr double none = std::numeric_limits<double>::infinity();
  const double slowest = minimum_of_ranks(ranks, range.slowest > 0 ? range.slowest : none);
  return {-minimum_of_ranks(ranks, -range.fastest), slowest == none ? 0 : slowest};
}

}  // namespace goban::seismic
