// Sweeps of columns: recurrences up and down, with scratch of several kinds.

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// A tridiagonal system of weak couplings, what stands beside it taken along.
template <class T>
struct Solve {
  std::array<T, 3> w{};
  GOBAN_FUNCTION void forward(auto u, auto c, auto, auto s) const {
    const auto m = 1 / (T(2) + abs(c()) + w[0] * s[0].before());
    s[0] = w[1] * m;
    s[1] = (u() + w[2] * (u(1, 0, 0) - u(0, -1, 0)) - w[0] * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto c, auto next, auto s) const {
    s[1] = s[1]() - s[0]() * s[1].before();
    next = T(0.5) * s[1]() + T(0.25) * c(0, 0, 1);
  }
};

/// Downward alone; wherever it lies, what is carried branches and forgets.
struct Settle {
  double share = 0;
  GOBAN_FUNCTION void backward(auto u, auto v, auto s) const {
    if (abs(u()) > share) {
      s = 0.5 * s.before() + u();
      v += 0.25 * s();
    } else {
      s = 0.25 * s.before();
      v = 0.5 * v() - s();
    }
  }
};

/// Integers are carried up, halves are written on the way, read again on the way down.
struct Count {
  std::int32_t start = 0;
  GOBAN_FUNCTION void forward(auto where, auto n, auto h, auto, auto s) const {
    s[0] = s[0].before() * 3 + n() + start;
    s[1] = s[0]() % 7;
    h = convert<float>(s[1]()) * 0.25f + where.template random<float>(1);
  }
  GOBAN_FUNCTION void backward(auto, auto n, auto h, auto k, auto s) const {
    k = s[0]() + 2 * s[1].before() - n(0, 1, 0);
    static_cast<void>(h);
  }
};

template <class T, class Layout>
void add_solve(ProgramDraft& draft) {
  const auto& u = draft.input<T, 1, Layout>();
  const auto& c = draft.input<T, 1, Layout>();
  const auto& next = draft.output<T, 1, Layout>();
  draft.columns(Solve<T>{draft.weights<T, 3>()}, in(u), in(c), out(next), scratch<T, 2>);
}
void add_settle(ProgramDraft& draft) {
  const auto& u = draft.input<double>();
  const auto& v = draft.output<double>();
  draft.columns(Settle{draft.number(0, 1)}, in(u), inout(v), scratch<double>);
}
void add_count(ProgramDraft& draft) {
  const auto& n = draft.input<std::int32_t>();
  const auto& h = draft.output<half>();
  const auto& k = draft.output<std::int32_t>();
  draft.columns(Count{static_cast<std::int32_t>(draft.whole(-5, 5))}, site, in(n), out(h), out(k),
                scratch<std::int32_t, 2>);
}

}  // namespace

std::vector<Family> column_families() {
  return {{"Solve<float>", &add_solve<float, ijk>},
          {"Solve<double>", &add_solve<double, ijk>},
          {"Solve<kij>", &add_solve<float, kij>},
          {"Settle", &add_settle},
          {"Count", &add_count}};
}

}  // namespace goban::fuzz
