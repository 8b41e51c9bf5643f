#pragma once
// Krylov methods for A u = b over functors of the user's, as stages of any program. Scalar products
// are exact sums, so that iterates have the same bits however the grid is cut.
//
// The operator A is a functor that returns its value at a cell, of an accessor of one component and
// of those of the coefficients it is given with, all of which it may read at neighbours:
//   struct Outflow { GOBAN_FUNCTION auto operator()(auto u, auto x, auto y, auto z) const; };
// u has boundary conditions; what is added to it fulfils their homogeneous counterparts.
//
// r holds the right-hand side b when add_start runs, and the residual b - A u from then on.
// residual() is its norm over that at the start; a u that needs nothing has 0.

#include <array>
#include <optional>
#include <tuple>

#include "goban/program/program.hpp"
#include "goban/program/solve.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/krylov_stencils.hpp"
#include "goban/solver/preconditioner.hpp"

namespace goban {

namespace krylov {

/// Parameters name_0 ... of C components; of one: name.
template <int C>
std::array<Parameter<double>, C> parameters(const std::string& name) {
  return [&]<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<Parameter<double>, C>{
        Parameter<double>(C == 1 ? name : name + "_" + std::to_string(N))...};
  }
  (std::make_index_sequence<C>{});
}

/// The norm of squares that are sums, relative to those at the start.
struct RelativeNorm {
  void operator()(auto now, auto first, auto& relative) const {
    relative = select(first != 0, sqrt(now / first), 0);
  }
};
/// a / b, 0 where there is no b.
struct Quotient {
  void operator()(auto a, auto b, auto& quotient) const { quotient = select(b != 0, a / b, 0); }
};

/// What the methods have in common: the unknown, the operator and its coefficients.
template <class T, int C, class Layout, class A, class... Coefficients>
class Method {
 public:
  using Unknown = Field<T, C, Layout>;

  /// See above.
  const Parameter<double>& residual() const { return residual_; }
  /// Sums of squares of the residual at the start, by component: state that restarts need.
  const std::array<Parameter<double>, C>& first() const { return first_; }

 protected:
  Method(const Unknown& u, const Unknown& r, A a, const Coefficients&... c)
      : u_(u), r_(r), a_(a), c_(c...) {
    require(u.grid() == r.grid() && u.record() != r.record(), "the residual field is refused",
            "it must be another field than '" + u.name() + "', on the same grid");
  }
  /// A field like u for what is added to it.
  Unknown direction(const std::string& name) const {
    Unknown field(u_, u_.name() + " " + name);
    field.boundary(homogeneous(u_.record()->boundary.front()));
    return field;
  }
  /// Calls f with the coefficients as arguments that are read.
  template <class F>
  void with_coefficients(const F& f) const {
    std::apply([&](const auto&... c) { f(in(c)...); }, c_);
  }
  void add_first_residual(Program& program) const {
    with_coefficients([&](const auto&... c) {
      program.apply(SubtractProduct<A, C>{a_}, in(u_), inout(r_), c...);
    });
  }
  /// When `first` is known.
  void add_first_norm(Program& program) const {
    program.compute([](auto& relative) { relative = 0; }, out(residual_));
    for (const auto& first : first_) {
      program.compute(
          [](auto square, auto& relative) { relative = select(square != 0, 1, relative); },
          in(first), inout(residual_));
    }
  }
  /// Appends the start and iterations of a method that is made of this one; `solve` says how
  /// changes are solved for, and what is read and written beside the unknown, the right-hand side
  /// and the coefficients.
  template <class Derived>
  void add_solve(const Derived& method, Program& program, double tolerance, Index limit,
                 Solve solve) const {
    const std::size_t first = program.stages().size();
    Program iteration(std::string(Derived::name) + " of " + u_.name());
    method.add_iteration(iteration);
    method.add_start(program);
    program.until(residual_ < tolerance, 1, limit, iteration, Program("check"));
    Program equations("equations");
    with_coefficients([&](const auto&... c) {
      unroll<C>([&](auto n) {
        equations.reduce(Residual<A, n>{a_}, in(u_), in(r_), c..., sum,
                         into(Parameter<double>("residual")));
      });
    });
    solve.name = iteration.name();
    solve.unknown = u_.record();
    solve.known = r_.record();
    solve.overwrites_known = true;
    solve.equations = {equations.stages().begin(), equations.stages().end()};
    mark_solve(program, first, std::move(solve));
  }
  /// What Solve::of_changes returns for a method that solves alike, which starts from 0.
  template <class Derived>
  static Solve::OfChanges changes_by(const Derived& method, double tolerance, Index limit) {
    return {method.u_.record(), method.r_.record(), [=](Program& program) {
              program.apply(Clear<C>{}, out(method.u_));
              method.add_solve(program, tolerance, limit);
            }};
  }

  Unknown u_, r_;
  A a_;
  std::tuple<Coefficients...> c_;
  Parameter<double> residual_{u_.name() + " residual", 1};
  std::array<Parameter<double>, C> first_ = parameters<C>(u_.name() + " first residual");
};

}  // namespace krylov

/// Conjugate gradients with the diagonal as preconditioner, A symmetric and definite. Several
/// components are as many problems with one operator, side by side. Norm of the residual: sqrt(sum
/// r^2 / A_ii), the largest of all components. An iteration moves 11 values per cell and component
/// besides the coefficients, which it reads twice; one more field is kept.
template <class T, int C, class Layout, class A, class... Coefficients>
class ConjugateGradients : public krylov::Method<T, C, Layout, A, Coefficients...> {
  using Base = krylov::Method<T, C, Layout, A, Coefficients...>;
  using Base::a_, Base::first_, Base::r_, Base::residual_, Base::u_;
  friend Base;

 public:
  static constexpr const char* name = "conjugate gradients";
  ConjugateGradients(const Field<T, C, Layout>& u, const Field<T, C, Layout>& r,
                     const Field<T, 1, Layout>& inverse_diagonal, A a, const Coefficients&... c)
      : Base(u, r, a, c...),
        inverse_diagonal_(inverse_diagonal),
        p_(Base::direction("direction")) {}

  void add_start(Program& program) const {
    Base::add_first_residual(program);
    unroll<C>([&](auto n) {
      program.reduce(krylov::WeightedSquare<n>{}, in(r_), in(inverse_diagonal_), sum,
                     into(first_[n]));
    });
    unroll<C>([&](auto n) {
      program.compute([](auto square, auto& now) { now = square; }, in(first_[n]), out(square_[n]));
    });
    Base::add_first_norm(program);
    program.apply(krylov::Turn<C>{}, in(r_), in(inverse_diagonal_), out(p_));
  }

  void add_iteration(Program& program) const {
    const auto curvature = krylov::parameters<C>("curvature");
    const auto after = krylov::parameters<C>("after");
    const auto alpha = krylov::parameters<C>("alpha"), beta = krylov::parameters<C>("beta");
    Base::with_coefficients([&](const auto&... c) {
      unroll<C>([&](auto n) {
        program.reduce(krylov::Curvature<A, n>{a_}, in(p_), c..., sum, into(curvature[n]));
      });
      unroll<C>([&](auto n) {
        program.compute(krylov::Quotient{}, in(square_[n]), in(curvature[n]), out(alpha[n]));
      });
      std::apply(
          [&](const auto&... step) {
            program.apply(krylov::Advance<A, C>{a_}, in(p_), inout(u_), inout(r_), param(step)...,
                          c...);
          },
          alpha);
    });
    unroll<C>([&](auto n) {
      program.reduce(krylov::WeightedSquare<n>{}, in(r_), in(inverse_diagonal_), sum,
                     into(after[n]));
    });
    unroll<C>([&](auto n) {
      program.compute(
          [](auto now, auto first, auto& square, auto& b, auto& relative) {
            b = select(square != 0, now / square, 0);
            square = now;
            const auto norm = select(first != 0, sqrt(now / first), 0);
            if constexpr (decltype(n)::value == 0) {
              relative = norm;
            } else {
              relative = max(relative, norm);
            }
          },
          in(after[n]), in(first_[n]), inout(square_[n]), out(beta[n]), inout(residual_));
    });
    std::apply(
        [&](const auto&... keep) {
          program.apply(krylov::Turn<C>{}, in(r_), in(inverse_diagonal_), inout(p_),
                        param(keep)...);
        },
        beta);
  }

  /// Starts and iterates until residual() < tolerance. Error (ExitCode::diverged): it is not after
  /// `limit` iterations.
  void add_solve(Program& program, double tolerance, Index limit) const {
    Solve solve;
    solve.reads = {inverse_diagonal_.record()};
    solve.of_changes = [self = *this, tolerance, limit](const Solve::Product&) {
      const auto u = field_of_changes(self.u_, "change");
      const auto b = field_of_changes(self.u_, "right-hand side");
      return std::apply(
          [&](const auto&... c) {
            const ConjugateGradients alike(u, b, self.inverse_diagonal_, self.a_, c...);
            return Base::changes_by(alike, tolerance, limit);
          },
          self.c_);
    };
    Base::add_solve(*this, program, tolerance, limit, std::move(solve));
  }

 private:
  Field<T, 1, Layout> inverse_diagonal_;
  Field<T, C, Layout> p_;
  std::array<Parameter<double>, C> square_ = krylov::parameters<C>(u_.name() + " square");
};

/// Flexible conjugate gradients: with any preconditioner, whose residual field is r. A is symmetric
/// and definite. Norm of the residual: root of the mean square.
template <class T, class Layout, class A, class... Coefficients>
class FlexibleConjugateGradients : public krylov::Method<T, 1, Layout, A, Coefficients...> {
  using Base = krylov::Method<T, 1, Layout, A, Coefficients...>;
  using Base::a_, Base::first_, Base::r_, Base::residual_, Base::u_;
  friend Base;

 public:
  static constexpr const char* name = "flexible conjugate gradients";
  FlexibleConjugateGradients(const Field<T, 1, Layout>& u, Preconditioner<T, Layout> preconditioner,
                             A a, const Coefficients&... c)
      : Base(u, preconditioner.residual, a, c...),
        preconditioner_(std::move(preconditioner)),
        p_(Base::direction("direction")) {}

  void add_start(Program& program) const {
    Base::add_first_residual(program);
    program.reduce(krylov::Square{}, in(r_), sum, into(first_[0]));
    Base::add_first_norm(program);
    preconditioner_.append(program);
    program.apply(krylov::Copy{}, in(preconditioner_.guess), out(p_));
  }

  void add_iteration(Program& program) const {
    const Parameter<double> curvature("curvature"), along("along"), turned("turned"),
        square("square"), alpha("alpha"), beta("beta");
    const auto& z = preconditioner_.guess;
    Base::with_coefficients([&](const auto&... c) {
      program.reduce(krylov::Curvature<A, 0>{a_}, in(p_), c..., sum, into(curvature));
      program.reduce(krylov::Product{}, in(p_), in(r_), sum, into(along));
      program.compute(krylov::Quotient{}, in(along), in(curvature), out(alpha));
      program.apply(krylov::Advance<A, 1>{a_}, in(p_), inout(u_), inout(r_), param(alpha), c...);
      program.reduce(krylov::Square{}, in(r_), sum, into(square));
      program.compute(krylov::RelativeNorm{}, in(square), in(first_[0]), out(residual_));
      preconditioner_.append(program);
      program.reduce(krylov::ProductWith<A>{a_}, in(z), in(p_), c..., sum, into(turned));
    });
    program.compute([](auto zap, auto pap, auto& b) { krylov::Quotient{}(-zap, pap, b); },
                    in(turned), in(curvature), out(beta));
    program.apply(krylov::Follow{}, in(z), inout(p_), param(beta));
  }

  /// See ConjugateGradients.
  void add_solve(Program& program, double tolerance, Index limit) const {
    Solve solve;
    solve.reads = preconditioner_.reads;
    solve.writes = {r_.record(), preconditioner_.guess.record()};
    solve.of_changes = [self = *this, tolerance, limit](const Solve::Product&) {
      const auto u = field_of_changes(self.u_, "change");
      return std::apply(
          [&](const auto&... c) {
            const FlexibleConjugateGradients alike(u, self.preconditioner_, self.a_, c...);
            return Base::changes_by(alike, tolerance, limit);
          },
          self.c_);
    };
    Base::add_solve(*this, program, tolerance, limit, std::move(solve));
  }

 private:
  Preconditioner<T, Layout> preconditioner_;
  Field<T, 1, Layout> p_;
};

/// BiCGStab, for operators that are not symmetric; with or without a preconditioner, whose residual
/// field is one of its own. Norm of the residual: root of the mean square. Gives r the boundary
/// conditions of what is added to u.
template <class T, class Layout, class A, class... Coefficients>
class BiCgStab : public krylov::Method<T, 1, Layout, A, Coefficients...> {
  using Base = krylov::Method<T, 1, Layout, A, Coefficients...>;
  using Base::a_, Base::first_, Base::r_, Base::residual_, Base::u_;
  using Unknown = Field<T, 1, Layout>;
  friend Base;

 public:
  static constexpr const char* name = "BiCGStab";

  BiCgStab(const Unknown& u, const Unknown& r, A a, const Coefficients&... c)
      : Base(u, r, a, c...) {
    r_.boundary(homogeneous(u.record()->boundary.front()));
  }
  void precondition(Preconditioner<T, Layout> preconditioner) {
    preconditioner_.emplace(std::move(preconditioner));
  }

  void add_start(Program& program) const {
    if (!product_) Base::add_first_residual(program);
    program.apply(krylov::Copy{}, in(r_), out(shadow_));
    program.apply(krylov::Copy{}, in(r_), out(p_));
    program.reduce(krylov::Square{}, in(r_), sum, into(first_[0]));
    program.compute([](auto square, auto& rho) { rho = square; }, in(first_[0]), out(rho_));
    Base::add_first_norm(program);
  }

  void add_iteration(Program& program) const {
    const Parameter<double> product("product"), square("square"), alpha("alpha"), beta("beta"),
        omega("omega"), next_rho("next rho");
    const auto sum_of_products = [&](const Unknown& a, const Unknown& b, const auto& target) {
      program.reduce(krylov::Product{}, in(a), in(b), sum, into(target));
    };
    const Unknown y = guess(program, p_);
    multiply(program, y, v_);
    sum_of_products(shadow_, v_, product);
    program.compute(krylov::Quotient{}, in(rho_), in(product), out(alpha));
    program.apply(krylov::AdvanceAlong{}, in(y), in(v_), inout(u_), inout(r_), param(alpha));
    const Unknown z = guess(program, r_);
    multiply(program, z, t_);
    sum_of_products(t_, r_, product);
    program.reduce(krylov::Square{}, in(t_), sum, into(square));
    program.compute(krylov::Quotient{}, in(product), in(square), out(omega));
    if (preconditioner_) {
      program.apply(krylov::AdvanceAlong{}, in(z), in(t_), inout(u_), inout(r_), param(omega));
    } else {
      program.apply(krylov::AdvanceAlongItself{}, in(t_), inout(u_), inout(r_), param(omega));
    }
    sum_of_products(shadow_, r_, next_rho);
    program.compute(
        [](auto next, auto a, auto w, auto& rho, auto& b) {
          b = select(rho != 0 && w != 0, (next / rho) * (a / w), 0);
          rho = next;
        },
        in(next_rho), in(alpha), in(omega), inout(rho_), out(beta));
    program.apply(krylov::FollowLess{}, in(r_), in(v_), inout(p_), param(beta), param(omega));
    program.reduce(krylov::Square{}, in(r_), sum, into(square));
    program.compute(krylov::RelativeNorm{}, in(square), in(first_[0]), out(residual_));
  }

  /// See ConjugateGradients.
  void add_solve(Program& program, double tolerance, Index limit) const {
    Solve solve;
    if (preconditioner_) {
      solve.reads = preconditioner_->reads;
      solve.writes = {preconditioner_->residual.record(), preconditioner_->guess.record()};
    }
    solve.of_changes = [self = *this, tolerance, limit](const Solve::Product& product) {
      return Base::changes_by(self.of_changes(product), tolerance, limit);
    };
    Base::add_solve(*this, program, tolerance, limit, std::move(solve));
  }

 private:
  /// The method for changes of u, or with the transposed product, from 0.
  BiCgStab of_changes(const Solve::Product& product) const {
    const auto u = field_of_changes(u_, "change");
    const auto b = field_of_changes(u_, "right-hand side");
    BiCgStab alike =
        std::apply([&](const auto&... c) { return BiCgStab(u, b, a_, c...); }, Base::c_);
    alike.preconditioner_ = preconditioner_;
    alike.product_ = product;
    return alike;
  }
  /// result = A y.
  void multiply(Program& program, const Unknown& y, const Unknown& result) const {
    if (product_) return product_(program, y.record(), result.record());
    Base::with_coefficients([&](const auto&... c) {
      program.apply(krylov::Multiply<A>{a_}, in(y), out(result), c...);
    });
  }
  /// What the preconditioner makes of a field; without one the field itself.
  Unknown guess(Program& program, const Unknown& of) const {
    if (!preconditioner_) return of;
    program.apply(krylov::Copy{}, in(of), out(preconditioner_->residual));
    preconditioner_->append(program);
    return preconditioner_->guess;
  }

  std::optional<Preconditioner<T, Layout>> preconditioner_;
  Solve::Product product_{};  ///< in place of the operator; where it is there, u starts from 0
  Unknown shadow_ = Base::direction("shadow"), p_ = Base::direction("direction"),
          v_ = Base::direction("product"), t_ = Base::direction("second product");
  Parameter<double> rho_{u_.name() + " rho"};
};

}  // namespace goban
