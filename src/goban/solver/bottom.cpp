#include "goban/solver/krylov.hpp"
#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban::multigrid {
namespace {

struct Divergence {
  Real3 per_h2;
  GOBAN_FUNCTION auto operator()(auto u, auto... c) const { return divergence(per_h2, u, c...); }
};
struct InverseDiagonal {
  Real3 per_h2;
  GOBAN_FUNCTION void operator()(auto inverse, auto... c) const {
    inverse = inverse_diagonal(per_h2, c...);
  }
};

}  // namespace

template <class T>
std::function<void(Program&)> conjugate_gradients_on(const Level<T>& level, bool is_singular) {
  constexpr double reduction = 1e-6;
  constexpr Index most_iterations = 10000;
  const Field<T> inverse(level.u, level.u.name() + " inverse diagonal");
  const auto solve_by = [&](const auto& method) -> std::function<void(Program&)> {
    return [=, mean = Parameter<double>("mean"),
            cells = Parameter<double>("cells")](Program& program) {
      program.apply(Copy{}, in(level.f), out(level.next));
      with_conductances(level, [&](const auto&... c) {
        if (is_singular) {
          program.reduce(ResidualHere{level.per_h2}, in(level.u), in(level.f), c..., sum,
                         into(mean));
          program.reduce(IsOpen{}, in(level.f), c..., sum, into(cells));
          program.compute([](auto number, auto& sum_of_all) { sum_of_all /= number; }, in(cells),
                          inout(mean));
          program.apply(TakeOff{}, inout(level.next), param(mean), c...);
        }
        program.apply(InverseDiagonal{level.per_h2}, out(inverse), c...);
      });
      method.add_solve(program, reduction, most_iterations);
    };
  };
  const auto& c = level.conductances;
  const Divergence a{level.per_h2};
  if (c.empty()) return solve_by(ConjugateGradients(level.u, level.next, inverse, a));
  return solve_by(ConjugateGradients(level.u, level.next, inverse, a, c[0], c[1], c[2]));
}

template std::function<void(Program&)> conjugate_gradients_on(const Level<float>&, bool);
template std::function<void(Program&)> conjugate_gradients_on(const Level<double>&, bool);

}  // namespace goban::multigrid
