// Bytes and integers: they wrap, they count, they say what kind of cell a cell is.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Conway's rule with other numbers of neighbours; cells that are not 0 live.
struct Life {
  std::uint8_t born = 3, kept = 2;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto alive = [](auto cell) { return select(cell != 0, 1, 0); };
    const auto count = alive(u(-1, -1, 0)) + alive(u(0, -1, 0)) + alive(u(1, -1, 0)) +
                       alive(u(-1, 0, 0)) + alive(u(1, 0, 0)) + alive(u(-1, 1, 0)) +
                       alive(u(0, 1, 0)) + alive(u(1, 1, 0));
    next = select(count == born || (count == kept && u() != 0), 1, 0);
  }
};

/// Sums of bytes wrap.
struct Bytes {
  std::uint8_t a = 1;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = a * u(0, 0, 1) + (u(-1, 0, 0) ^ u(0, 1, 0)) - (u() >> 1);
  }
};

/// Sums and products of integers wrap too.
struct Scramble {
  std::int32_t a = 1;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = (a * u(1, 0, 0) + (u(0, -2, 0) ^ (u() << 3))) & 0xffff;
  }
};

/// Integers become fractions.
struct Fraction {
  double r = 0;
  GOBAN_FUNCTION void operator()(auto n, auto u) const {
    u = 0.5 * u() + r * convert<double>(n(0, 1, 0) % 97);
  }
};

/// Values become bytes: masks of later stages.
struct Threshold {
  float level = 0;
  GOBAN_FUNCTION void operator()(auto u, auto mask) const {
    mask = select(u() + 0.25f * u(0, 0, 1) > level, 200, 0);
  }
};

/// Bytes choose what a cell does with its neighbours.
struct ByKind {
  std::array<float, 3> w{};
  GOBAN_FUNCTION void operator()(auto kind, auto u, auto next) const {
    const auto from = select(kind(1, 0, 0) == 0, u(1, 0, 0), u());
    next = w[0] * from + w[1] * u(0, 1, 0) + w[2] * convert<float>(kind()) / 64;
  }
};

template <class Layout>
void add_life(ProgramDraft& draft) {
  const auto& u = draft.input<std::uint8_t, 1, Layout>();
  const auto& next = draft.output<std::uint8_t, 1, Layout>();
  const auto born = static_cast<std::uint8_t>(draft.whole(2, 4));
  const auto kept = static_cast<std::uint8_t>(draft.whole(1, 5));
  draft.apply(Life{born, kept}, in(u), out(next));
}
void add_bytes(ProgramDraft& draft) {
  const auto& u = draft.input<std::uint8_t>();
  const auto& next = draft.output<std::uint8_t>();
  draft.apply(Bytes{static_cast<std::uint8_t>(draft.whole(0, 255))}, in(u), out(next));
}
void add_scramble(ProgramDraft& draft) {
  const auto& u = draft.input<std::int32_t>();
  const auto& next = draft.output<std::int32_t>();
  draft.apply(Scramble{static_cast<std::int32_t>(draft.whole(1, 1 << 30))}, in(u), out(next));
}
void add_fraction(ProgramDraft& draft) {
  const auto& u = draft.output<double>();
  const auto& n = draft.input<std::int32_t>();
  draft.apply(Fraction{draft.number(-1, 1) / 97}, in(n), inout(u));
}
template <class T, class Layout>
void add_threshold(ProgramDraft& draft) {
  const auto& u = draft.input<T, 1, Layout>();
  const auto& mask = draft.output<std::uint8_t, 1, Layout>();
  draft.apply(Threshold{static_cast<float>(draft.number(-0.5, 0.5))}, in(u), out(mask));
}
void add_by_kind(ProgramDraft& draft) {
  const auto& kind = draft.input<std::uint8_t>();
  const auto& u = draft.input<float>();
  const auto& next = draft.output<float>();
  draft.apply(ByKind{draft.weights<float, 3>()}, in(kind), in(u), out(next));
}

}  // namespace

std::vector<Family> integer_families() {
  return {{"Life", add_life<ijk>},
          {"Life<kij>", add_life<kij>},
          {"Bytes", add_bytes},
          {"Scramble", add_scramble},
          {"Fraction", add_fraction},
          {"Threshold", add_threshold<float, ijk>},
          {"Threshold<double, kij>", add_threshold<double, kij>},
          {"ByKind", add_by_kind}};
}

}  // namespace goban::fuzz
