// What reductions find steers parameters, parameters steer later sweeps.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};
struct Slope {
  GOBAN_FUNCTION auto operator()(auto u) const { return abs(u(1, 0, 0) - u(0, -1, 0)); }
};
struct Difference {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return abs(a() - b(0, 0, 1)); }
};

template <class F, class T, class Layout>
void add(ProgramDraft& draft) {
  const auto& u = draft.input<T, 1, Layout>();
  draft.reduce(F{}, in(u));
}
void add_difference(ProgramDraft& draft) {
  const auto& a = draft.input<double>();
  const auto& b = draft.input<float>();
  draft.reduce(Difference{}, in(a), in(b));
}

}  // namespace

std::vector<Family> reduction_families() {
  return {{"Value<double>", add<Value, double, ijk>},
          {"Value<uint8>", add<Value, std::uint8_t, ijk>},
          {"Slope<float>", add<Slope, float, ijk>},
          {"Slope<float, kij>", add<Slope, float, kij>},
          {"Difference", add_difference}};
}

}  // namespace goban::fuzz
