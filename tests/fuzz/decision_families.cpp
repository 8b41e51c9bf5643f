// What a cell does depends on values: selection in every lane, branches of single cells.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

struct Select {
  float level = 0, r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto ahead = u(1, 0, 0), behind = u(-1, 0, 0);
    next = select(ahead > level && !(behind > ahead), r * min(ahead, behind),
                  0.75f * max(u(), -abs(behind)));
  }
};

/// Branches run one cell at a time.
struct Branch {
  float level = 0, r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    if (u() > level) {
      next = r * u(1, 0, 0);
    } else {
      next = 0.5f * u(0, -1, 0) + 0.25f * u();
    }
  }
};

/// Which neighbour is looked at depends on another field.
struct Choose {
  double r = 0;
  GOBAN_FUNCTION void operator()(auto kind, auto u, auto v) const {
    if (kind() == 0) return;
    if (kind() > 128) {
      v = 0.5 * v() + r * u(0, 0, 1);
    } else {
      v = r * u(0, 2, 0);
    }
  }
};

template <class F, class Layout>
void add(ProgramDraft& draft) {
  const auto& u = draft.input<float, 1, Layout>();
  const auto& next = draft.output<float, 1, Layout>();
  const auto level = static_cast<float>(draft.number(-0.5, 0.5));
  draft.apply(F{level, static_cast<float>(draft.number(-0.9, 0.9))}, in(u), out(next));
}
void add_choose(ProgramDraft& draft) {
  const auto& v = draft.output<double>();
  const auto& u = draft.input<double>();
  const auto& kind = draft.input<std::uint8_t>();
  draft.apply(Choose{draft.number(-0.5, 0.5)}, in(kind), in(u), inout(v));
}

}  // namespace

std::vector<Family> decision_families() {
  return {{"Select", add<Select, ijk>},
          {"Select<kij>", add<Select, kij>},
          {"Branch", add<Branch, ijk>},
          {"Branch<kij>", add<Branch, kij>},
          {"Choose", add_choose}};
}

}  // namespace goban::fuzz
