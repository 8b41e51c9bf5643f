#include "goban/solver/projection.hpp"

#include "goban/field/face_fields.hpp"
#include "goban/solver/projection_stencils.hpp"

namespace goban {
namespace {

/// visit(first D of them ...).
template <int D, class T, class Visit>
void with_each(const std::vector<Field<T>>& fields, const Visit& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { visit(fields[I]...); }
  (std::make_index_sequence<D>{});
}

}  // namespace

template <int D, class T>
Projection<D, T>::Projection(Grid& grid, const PoissonMethod& method,
                             const std::optional<Field<std::uint8_t>>& type, bool has_solids,
                             const BoundarySet& boundary)
    : phi(grid, "phi", {.boundary = &boundary}),
      grid_(grid),
      type_(type),
      older_(grid, "older_phi", {.boundary = &boundary}),
      imbalance_(grid, "imbalance"),
      has_tolerance_(method.iterations == 0 && method.solver != PoissonMethod::Solver::fourier) {
  if (has_solids) {
    conductances_ = face_fields<double>(grid, "conductance_", all_axes,
                                        [&](Axis) { return grid.state()->boundary; });
  }
  solver_ = make_poisson_solver(method, phi, imbalance_, conductances_);
  for (Field<double>* field : {&phi, &older_}) field->fill(0);
}

template <int D, class T>
void Projection<D, T>::add_setup(Program& program) const {
  if (!conductances_.empty()) {
    program.apply(projection::Conduct{}, in(*type_), out(conductances_[0]), out(conductances_[1]),
                  out(conductances_[2]));
  }
  solver_->add_setup(program);
}

template <int D, class T>
void Projection<D, T>::add_length(Program& program) const {
  program.compute(
      [](auto now, auto& last, auto& last_but_one, auto& guess_now, auto& guess_before,
         auto& per_now) {
        const auto ratio = select(last > 0, now / last, 0);
        const auto older = select(last_but_one > 0, now / last_but_one, 0);
        guess_now = ratio * ratio * select(older > 0, 1 + ratio, 1);
        guess_before = -ratio * older * older;
        last_but_one = last;
        last = now;
        per_now = 1 / now;
      },
      in(length), inout(last_length), inout(last_but_one_), out(guess_now_), out(guess_before_),
      out(per_length));
}

template <int D, class T>
void Projection<D, T>::add_guess(Program& program) const {
  program.apply(projection::Extrapolate{}, in(phi), inout(older_), param(guess_now_),
                param(guess_before_));
  program.swap(phi, older_);
}

template <int D, class T>
void Projection<D, T>::add_projection(Program& program,
                                      const std::vector<Field<T>>& velocity) const {
  const Real3 h = grid_.spacing();
  const std::array<double, 3> per_h{1 / h[0], 1 / h[1], 1 / h[2]};
  with_each<D>(velocity, [&](const auto&... u) {
    program.apply(projection::Imbalance<D>{per_h}, in(u)..., out(imbalance_), param(length));
    if (has_tolerance_) {
      const auto expect = [&](auto has_type, const auto&... kind) {
        program
            .reduce(projection::ExpectedRate<D, has_type>{per_h}, in(u)..., in(phi), kind...,
                    param(per_length), maximum, into(rate_))
            .over(grid_.state()->domain(Location::cell));
      };
      type_ ? expect(std::true_type{}, in(*type_)) : expect(std::false_type{});
      program.compute([](auto length, auto rate, auto& scale) { scale = length * rate; },
                      in(length), in(rate_), out(scale_));
    }
    solver_->add_solve(program, scale_);
    if (type_) {
      program.apply(projection::TakeGradientOff<D, true, T>{per_h}, inout(u)..., in(phi),
                    in(*type_), param(per_length));
    } else {
      program.apply(projection::TakeGradientOff<D, false, T>{per_h}, inout(u)..., in(phi),
                    param(per_length));
    }
  });
}

template class Projection<2, float>;
template class Projection<2, double>;
template class Projection<3, float>;
template class Projection<3, double>;

}  // namespace goban
