// Functions and division: the same bits for every number of lanes.

#include "goban/stencil/operators.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

struct Waves {
  float k = 1;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5f * sin(k * u(1, 0, 0)) + 0.4f * exp(-abs(u(0, 1, 0))) * cos(u());
  }
};
struct Roots {
  double a = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto square = fma(u(0, 0, 1), u(0, 0, 1), 0.5);
    next = a * u(-1, 0, 0) / sqrt(square) + 0.125 * floor(4 * tanh(u()));
  }
};
struct Powers {
  double a = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto size = 0.1 + abs(u(0, -1, 0));
    const auto power = pow(size, a * tanh(u(0, 0, -1)));
    next = 0.5 * cbrt(u()) + 0.2 * atan2(u(1, 0, 0), log(size)) + 0.1 * power / (1 + power);
  }
};
/// Angles of any size.
struct Turns {
  float k = 1;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto angle = exp(k * tanh(u(0, 1, 0))) * u(-1, 0, 0);
    next = 0.5f * atan(tan(angle)) + 0.25f * cos(1e6f * angle) - 0.1f * sin(u());
  }
};
/// Half cells in series.
struct Series {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto c, auto u, auto next) const {
    const auto mean = harmonic_average<Axis::x, Onto::face>(c);
    next = 0.75f * u() + r * tanh(mean * (u() - u(-1, 0, 0)));
  }
};

void add_waves(ProgramDraft& draft) {
  const auto& u = draft.input<float>();
  const auto& next = draft.output<float>();
  draft.apply(Waves{static_cast<float>(draft.number(0, 4))}, in(u), out(next));
}
void add_roots(ProgramDraft& draft) {
  const auto& u = draft.input<double, 1, kij>();
  const auto& next = draft.output<double, 1, kij>();
  draft.apply(Roots{draft.number(-0.6, 0.6)}, in(u), out(next));
}
void add_powers(ProgramDraft& draft) {
  const auto& u = draft.input<double>();
  const auto& next = draft.output<double>();
  draft.apply(Powers{draft.number(-6, 6)}, in(u), out(next));
}
void add_turns(ProgramDraft& draft) {
  const auto& u = draft.input<half>();
  const auto& next = draft.output<float>();
  draft.apply(Turns{static_cast<float>(draft.number(-9, 9))}, in(u), out(next));
}
void add_series(ProgramDraft& draft) {
  const auto& c = draft.input<half>();
  const auto& u = draft.input<float>();
  const auto& next = draft.output<float>();
  draft.apply(Series{static_cast<float>(draft.number(-0.25, 0.25))}, in(c), in(u), out(next));
}

}  // namespace

std::vector<Family> math_families() {
  return {{"Waves", add_waves},
          {"Roots<kij>", add_roots},
          {"Powers", add_powers},
          {"Turns", add_turns},
          {"Series", add_series}};
}

}  // namespace goban::fuzz
