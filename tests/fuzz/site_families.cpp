// Functors that know where and when they are, draw random numbers, take parameters.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Random numbers drift with the flow, so that ghosts are computed too.
struct Stir {
  double r = 0;
  int stream = 0;
  GOBAN_FUNCTION void operator()(auto site, auto u, auto next) const {
    next = 0.25 * (u(1, 0, 0) + u(0, -1, 0) + u(0, 0, 1)) + r * site.random(stream) +
           0.001 * site.position(Axis::y);
  }
};
struct Shake {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto site, auto u) const {
    u = 0.75f * u() + r * (site.template random<float>(1) - site.template random<float>(2));
  }
};

struct Place {
  std::int32_t factor = 1;
  GOBAN_FUNCTION void operator()(auto site, auto number) const {
    number = (factor * site.index(Axis::x) + 31 * site.index(Axis::y) + 7 * site.index(Axis::z)) &
             0xffff;
  }
};

struct Clock {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto site, auto u, auto next) const {
    next = r * u(0, 1, 0) + 0.01f * site.time() + 0.125f * (site.step() % 3);
  }
};

/// Parameters are read when the sweep runs; any value gives a weight below 1.
struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto p, auto next) const {
    next = 0.9 / (1 + abs(p())) * u(-1, 0, 0);
  }
};
struct Steer {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto p, auto q, auto next) const {
    const auto share = select(p() > q(), 0.25f, 0.75f);
    next = share * u(0, 0, -1) + (0.9f - share) * u() +
           0.1f * site.template position<float>(Axis::x) / 64;
  }
};

void add_stir(ProgramDraft& draft) {
  const auto& u = draft.input<double>();
  const auto& next = draft.output<double>();
  const double r = draft.number(-0.25, 0.25);
  draft.apply(Stir{r, static_cast<int>(draft.whole(0, 5))}, site, in(u), out(next));
}
template <class Layout>
void add_shake(ProgramDraft& draft) {
  const auto& u = draft.output<float, 1, Layout>();
  draft.apply(Shake{static_cast<float>(draft.number(-0.25, 0.25))}, site, inout(u));
}
void add_place(ProgramDraft& draft) {
  const auto& number = draft.output<std::int32_t>();
  draft.apply(Place{static_cast<std::int32_t>(draft.whole(1, 1000))}, site, out(number));
}
void add_clock(ProgramDraft& draft) {
  const auto& u = draft.input<float>();
  const auto& next = draft.output<float>();
  draft.apply(Clock{static_cast<float>(draft.number(-0.9, 0.9))}, site, in(u), out(next));
}
void add_scale(ProgramDraft& draft) {
  const auto& u = draft.input<double>();
  const auto& next = draft.output<double>();
  draft.apply(Scale{}, in(u), param(draft.parameter()), out(next));
}
void add_steer(ProgramDraft& draft) {
  const auto& u = draft.input<float, 1, kij>();
  const auto& next = draft.output<float, 1, kij>();
  const auto p = draft.parameter();
  const auto q = draft.parameter();
  draft.apply(Steer{}, site, in(u), param(p), param(q), out(next));
}

}  // namespace

std::vector<Family> site_families() {
  return {{"Stir", add_stir},   {"Shake", add_shake<ijk>}, {"Shake<kij>", add_shake<kij>},
          {"Place", add_place}, {"Clock", add_clock},      {"Scale", add_scale},
          {"Steer", add_steer}};
}

}  // namespace goban::fuzz
