// Several inputs and outputs, of different types.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Two time levels make the third.
struct Wave {
  std::array<float, 5> w{};
  GOBAN_FUNCTION void operator()(auto before, auto now, auto after) const {
    after = w[0] * now() + w[1] * now(1, 0, 0) + w[2] * now(0, 0, -1) + w[3] * before(0, 1, 0) +
            w[4] * before();
  }
};

/// Each input has a type of its own; the sums are computed in the widest.
struct Mix {
  std::array<double, 3> w{};
  GOBAN_FUNCTION void operator()(auto f, auto d, auto h, auto next) const {
    next = w[0] * f(0, -1, 0) + w[1] * d(-1, 0, 1) + w[2] * h(1, 0, 0);
  }
};

/// Doubles become floats and floats halves.
struct Narrow {
  double a = 0;
  GOBAN_FUNCTION void operator()(auto d, auto f, auto h) const {
    const auto mean = 0.5 * (d(0, 1, 0) + d(0, 0, 1));
    f = a * mean;
    h = a * d() - 0.25 * mean;
  }
};

/// Two outputs, one of them in place.
struct Exchange {
  std::array<float, 4> w{};
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c) const {
    b = w[0] * a(1, 0, 0) + w[1] * a(0, -1, 0);
    c = 0.5f * c() + 0.5f * (w[2] * a(0, 0, 2) + w[3] * a());
  }
};

/// The coefficient is a field.
struct Conduct {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto next) const {
    const auto flux = c() * (u(1, 0, 0) - u()) - c(-1, 0, 0) * (u() - u(-1, 0, 0)) +
                      c(0, 0, 1) * (u(0, 0, 1) - u());
    next = 0.9 * u() + 0.1 * flux / (1 + abs(flux));
  }
};

void add_wave(ProgramDraft& draft) {
  const auto& before = draft.input<float>();
  const auto& now = draft.input<float>();
  const auto& after = draft.output<float>();
  draft.apply(Wave{draft.weights<float, 5>()}, in(before), in(now), out(after));
}
void add_mix(ProgramDraft& draft) {
  const auto& f = draft.input<float>();
  const auto& d = draft.input<double>();
  const auto& h = draft.input<half>();
  const auto& next = draft.output<double>();
  draft.apply(Mix{draft.weights<double, 3>()}, in(f), in(d), in(h), out(next));
}
void add_narrow(ProgramDraft& draft) {
  const auto& d = draft.input<double>();
  const auto& f = draft.output<float>();
  const auto& h = draft.output<half>();
  draft.apply(Narrow{draft.number(-0.7, 0.7)}, in(d), out(f), out(h));
}
template <class Layout>
void add_exchange(ProgramDraft& draft) {
  const auto& a = draft.input<float, 1, Layout>();
  const auto& b = draft.output<float, 1, Layout>();
  const auto& c = draft.output<float, 1, Layout>();
  draft.apply(Exchange{draft.weights<float, 4>()}, in(a), out(b), inout(c));
}
void add_conduct(ProgramDraft& draft) {
  const auto& u = draft.input<double>();
  const auto& c = draft.input<double>();
  const auto& next = draft.output<double>();
  draft.apply(Conduct{}, in(u), in(c), out(next));
}

}  // namespace

std::vector<Family> several_field_families() {
  return {{"Wave", add_wave},
          {"Mix", add_mix},
          {"Narrow", add_narrow},
          {"Exchange", add_exchange<ijk>},
          {"Exchange<kij>", add_exchange<kij>},
          {"Conduct", add_conduct}};
}

}  // namespace goban::fuzz
