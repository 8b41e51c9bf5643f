// Functors that read another grid than they write.

#include "goban/stencil/between_grids.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Reads the cell's parts on the finer grid and what lies around them.
template <class T>
struct GatherBetween {
  std::array<T, 5> w{};
  GOBAN_FUNCTION void operator()(auto fine, auto next) const {
    next = w[0] * fine() + w[1] * fine(1, 1, 0) + w[2] * fine(0, -1, 1) + w[3] * fine(-2, 0, 0) +
           w[4] * fine(3, 0, 1);
  }
};

/// Weights that the place among the parts decides.
template <class T>
struct Spread {
  T r = 0;
  GOBAN_FUNCTION void operator()(auto site, auto coarse, auto next) const {
    next = T(0.5) * next() + r * interpolated<Axis::y, Axis::x>(site, coarse) +
           r * select(is_upper_part<Axis::z>(site), coarse(0, 0, 1), coarse(0, 1, -1));
  }
};

/// Components, of halves, beside the stage's own grid.
struct Residual {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto fine, auto own, auto next) const {
    next[0] = r * (fine[1](1, 0, 1) - fine[0](0, 2, 0)) + r * own(0, 0, -1);
    next[1] = r * fine[0](-1, 0, 0) + 0.5f * own();
  }
};

/// Branches: one cell at a time.
struct ChooseBetween {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto coarse, auto next) const {
    if (coarse() > r) {
      next = 0.5f * coarse(1, 0, 0);
    } else {
      next = r - 0.5f * coarse(0, -1, 1);
    }
  }
};

struct CountBetween {
  GOBAN_FUNCTION void operator()(auto fine, auto next) const {
    next = fine() + fine(1, 0, 0) - fine(0, 1, 1);
  }
};

struct DifferenceBetween {
  GOBAN_FUNCTION auto operator()(auto own, auto coarse) const { return abs(own() - coarse()); }
};

template <class T, class Layout>
void add_gather_between(ProgramDraft& draft) {
  if (!draft.has_finer()) return;
  const auto& fine = draft.finer<T, 1, Layout>();
  const auto& next = draft.output<T, 1, Layout>();
  using Number = ArithmeticOf<T>;
  draft.apply(GatherBetween<Number>{draft.weights<Number, 5>()}, in(fine), out(next));
}
template <class T, class Layout>
void add_spread(ProgramDraft& draft) {
  if (!draft.has_coarser()) return;
  const auto& coarse = draft.coarser<T, 1, Layout>();
  const auto& next = draft.output<T, 1, Layout>();
  using Number = ArithmeticOf<T>;
  draft.apply(Spread<Number>{static_cast<Number>(draft.number(-0.25, 0.25))}, site, in(coarse),
              inout(next));
}
void add_residual(ProgramDraft& draft) {
  if (!draft.has_finer()) return;
  const auto& fine = draft.finer<half, 2>();
  const auto& own = draft.input<float>();
  const auto& next = draft.output<float, 2>();
  draft.apply(Residual{static_cast<float>(draft.number(-0.25, 0.25))}, in(fine), in(own),
              out(next));
}
void add_choose_between(ProgramDraft& draft) {
  if (!draft.has_coarser()) return;
  const auto& coarse = draft.coarser<float>();
  const auto& next = draft.output<float>();
  draft.apply(ChooseBetween{static_cast<float>(draft.number(-0.5, 0.5))}, in(coarse), out(next));
}
void add_count_between(ProgramDraft& draft) {
  if (!draft.has_finer()) return;
  const auto& fine = draft.finer<std::int32_t>();
  const auto& next = draft.output<std::int32_t>();
  draft.apply(CountBetween{}, in(fine), out(next));
}
void add_difference_between(ProgramDraft& draft) {
  if (!draft.has_coarser()) return;
  const auto& own = draft.input<double>();
  const auto& coarse = draft.coarser<double>();
  draft.reduce(DifferenceBetween{}, in(own), in(coarse));
}

}  // namespace

std::vector<Family> between_families() {
  return {{"GatherBetween<double>", add_gather_between<double, ijk>},
          {"GatherBetween<float, kij>", add_gather_between<float, kij>},
          {"GatherBetween<half>", add_gather_between<half, ijk>},
          {"Spread<double>", add_spread<double, ijk>},
          {"Spread<float, kij>", add_spread<float, kij>},
          {"ChooseBetween", add_choose_between},
          {"Residual", add_residual},
          {"CountBetween", add_count_between},
          {"DifferenceBetween", add_difference_between}};
}

}  // namespace goban::fuzz
