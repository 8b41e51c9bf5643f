#pragma once
// What goes from a grid to a coarser one whose values lie at every second of its own, and back:
// cell I of the coarser grid stands where cell 2 I does.

#include "goban/solver/relaxation.hpp"
#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

/// Cells at the ends of a grid along an axis; -1 where it is periodic.
struct EndCells {
  std::int32_t first[3]{}, last[3]{};

  constexpr EndCells() = default;
  EndCells(Index3 cells, const BoundarySet& boundary) {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool wraps = boundary.sides[a][0].kind == periodic_kind;
      first[a] = wraps ? -1 : 0;
      last[a] = wraps ? -1 : static_cast<std::int32_t>(cells[a] - 1);
    }
  }
  GOBAN_FUNCTION auto is_first(Axis axis, const auto& site) const {
    return site.index(axis) == first[index_of(axis)];
  }
  GOBAN_FUNCTION auto is_last(Axis axis, const auto& site) const {
    return site.index(axis) == last[index_of(axis)];
  }
};

/// 1/4, 1/2, 1/4 along the first n axes: what linear interpolation makes of one coarser value. The
/// finer value behind the last coarser one is that one's alone.
template <int n>
GOBAN_FUNCTION auto weighted(const CoarsenedAxes& axes, const EndCells& ends, const auto& site,
                             const auto& finer) {
  if constexpr (n == 0) {
    return finer();
  } else {
    constexpr Axis axis = all_axes[n - 1];
    const auto at = [&](int o) { return weighted<n - 1>(axes, ends, site, finer.shift(axis, o)); };
    const auto here = at(0);
    if (!axes.along[n - 1]) return here;
    const auto above = at(1);
    const auto beside = select(ends.is_first(axis, site), 0, at(-1)) +
                        select(ends.is_last(axis, site), 2 * above, above);
    return 0.5 * here + 0.25 * beside;
  }
}

/// The weighted residual becomes the right-hand side of the coarser grid, as RestrictResidual does.
struct WeighResidual {
  CoarsenedAxes axes;
  EndCells ends;
  Real3 coarser_per_h2;
  double weight;
  GOBAN_FUNCTION void operator()(auto site, auto residual, auto coarser_f, auto coarser_u,
                                 auto... coarser_c) const {
    const auto sum = weighted<3>(axes, ends, site, residual);
    coarser_f = sum;
    coarser_u = (-weight * inverse_diagonal(coarser_per_h2, coarser_c...)) * sum;
  }
};
struct WeighValue {
  CoarsenedAxes axes;
  EndCells ends;
  GOBAN_FUNCTION void operator()(auto site, auto f, auto coarser_f) const {
    coarser_f = weighted<3>(axes, ends, site, f);
  }
};

/// Linear between coarser values along the first n axes.
template <int n>
GOBAN_FUNCTION auto between_vertices(const CoarsenedAxes& axes, const auto& site,
                                     const auto& coarser) {
  if constexpr (n == 0) {
    return coarser();
  } else {
    constexpr Axis axis = all_axes[n - 1];
    const auto here = between_vertices<n - 1>(axes, site, coarser);
    if (!axes.along[n - 1]) return here;
    const auto next = between_vertices<n - 1>(axes, site, coarser.shift(axis, 1));
    return select(is_upper_part<axis>(site), 0.5 * (here + next), here);
  }
}

struct CorrectBetweenVertices {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u) const {
    u += between_vertices<3>(axes, site, correction);
  }
};

/// The same, to where it has not been.
struct CorrectBetweenVerticesInto {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u, auto next) const {
    next = u() + between_vertices<3>(axes, site, correction);
  }
};

/// Conductances of a coarser grid: areas of faces, which the cells at ends have other than the
/// rest, and distances from sides. Right-hand sides are weighted by volumes likewise.
struct ConductBetweenVertices {
  EndCells cells;
  AxisEnds ends[3];
  GOBAN_FUNCTION void operator()(auto site, auto x, auto y, auto z) const {
    x = flow(Axis::x, site) * (length(Axis::y, site) * length(Axis::z, site));
    y = flow(Axis::y, site) * (length(Axis::z, site) * length(Axis::x, site));
    z = flow(Axis::z, site) * (length(Axis::x, site) * length(Axis::y, site));
  }

 private:
  GOBAN_FUNCTION auto length(Axis axis, const auto& site) const {
    const AxisEnds& its = ends[index_of(axis)];
    return 1 + (select(cells.is_first(axis, site), its.first - 1, 0.0) +
                select(cells.is_last(axis, site), its.last - 1, 0.0));
  }
  GOBAN_FUNCTION auto flow(Axis axis, const auto& site) const {
    const AxisEnds& its = ends[index_of(axis)];
    const auto is_behind = site.index(axis) == cells.last[index_of(axis)] + 1;
    return select(cells.is_first(axis, site), its.low_flow, select(is_behind, its.high_flow, 1.0));
  }
};

}  // namespace goban::multigrid
