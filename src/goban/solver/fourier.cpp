#include "goban/solver/fourier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "goban/checkpoint/content.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/program/solve.hpp"
#include "goban/solver/device_fourier.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/host_fourier.hpp"
#include "goban/solver/poisson_stencils.hpp"
#include "goban/solver/relaxation.hpp"

namespace goban {
namespace {

/// Returns why no device solves on this grid; empty if one does.
std::string device_refusal(const GridState& grid, Domain& domain) {
  if (domain.communicator().size() > 1) return "several ranks share the grid";
  const int patches = domain.decomposition(grid.number).patches();
  if (patches > 1) return fmt::format("{} patches share the grid", patches);
  FourierSolver* const solver = fourier_solver(domain.some_executor());
  return solver ? solver->transforms_refusal() : "no GPU computes";
}

}  // namespace

template <class T>
class Fourier<T>::Solve {
 public:
  Solve(const Field<T>& u, const Field<T>& f, const FourierOptions& options)
      : u_(u),
        f_(f),
        options_(options),
        problem_(*u.grid(), u.record()->boundary.front()),
        host_(problem_) {}

  void run() {
    check();
    Domain& domain = domain_of(*u_.grid());
    if (distribution_ != domain.distribution()) choose(domain);
    device_ ? run_on_device(domain) : run_on_host(domain);
  }
  std::string text() const { return text_; }

  /// Checkpoints have the choice, so that a run goes on with what it began with.
  void take_out(const Box& box, void* choice) const {
    if (!box.empty()) std::memcpy(choice, &chosen_, sizeof(chosen_));
  }
  void put_in(const Box& box, const void* choice) {
    if (!box.empty()) std::memcpy(&chosen_, choice, sizeof(chosen_));
    distribution_ = -1;
  }
  /// What programs tell of it to those who derive them.
  goban::Solve for_derivatives() const {
    const GridState& grid = *u_.grid();
    const Real3 per_h2 =
        multigrid::inverse_squares(grid.cells, grid.spacing, u_.record()->boundary.front());
    Program equation("equation");
    equation.reduce(multigrid::ResidualHere{per_h2}, in(u_), in(f_), sum,
                    into(Parameter<double>("residual")));
    goban::Solve solve{"transforms of " + u_.name(), u_.record(), f_.record()};
    solve.equations = {equation.stages().front()};
    solve.of_changes = [u = u_, options = options_](const goban::Solve::Product&) {
      const Field<T> change = field_of_changes(u, "change");
      const Field<T> f = field_of_changes(u, "right-hand side");
      FourierOptions alike = options;
      alike.most_imbalance = std::numeric_limits<double>::infinity();
      return goban::Solve::OfChanges{
          change.record(), f.record(),
          [direct = Fourier(change, f, alike)](Program& changes) { direct.add_solve(changes); }};
    };
    return solve;
  }
  const std::string& name() const { return u_.name(); }
  const Field<T>& u() const { return u_; }
  const Field<T>& f() const { return f_; }

 private:
  /// Chooses once for each way in which the grid is shared. Collective.
  void choose(Domain& domain) {
    distribution_ = domain.distribution();
    device_.reset();
    const std::string refusal = device_refusal(*u_.grid(), domain);
    domain.communicator().broadcast(std::as_writable_bytes(std::span(&chosen_, 1)), 0);
    if (options_.transforms != FourierTransforms::automatic) chosen_ = options_.transforms;
    if (chosen_ == FourierTransforms::automatic) {
      const bool is_gpu = domain.some_executor().guests() != nullptr;
      chosen_ = refusal.empty() && is_gpu ? FourierTransforms::device : FourierTransforms::host;
    }
    if (chosen_ == FourierTransforms::host) {
      require_transforms();
      text_ = "by FFTW on the host" + (refusal.empty() ? "" : " (" + refusal + ")");
      return;
    }
    require_device(refusal);
    Executor& executor = domain.some_executor();
    device_ = std::make_unique<DeviceFourier>(problem_, u_.record()->type, executor);
    text_ = "by " + fourier_solver(executor)->transforms() + " on " + executor.name();
  }

  void require_device(const std::string& refusal) const {
    if (refusal.empty()) return;
    const std::string problem = "no Fourier transforms on a GPU for '" + name() + "'";
    if (options_.transforms == FourierTransforms::device) {
      throw Error(ExitCode::resources, problem, refusal, "choose transforms on the host");
    }
    throw Error(ExitCode::resources, problem, refusal + "; the run began with them",
                "go on with one GPU, or choose transforms on the host, of other last bits");
  }

  void run_on_device(Domain& domain) {
    domain.call_on_device(
        {{f_.record(), ViewAccess::read}, {u_.record(), ViewAccess::write}},
        [&](std::span<const MemoryView> views) { device_->run(views[0], views[1]); });
  }
  void run_on_host(Domain& domain) {
    const bool solves = domain.communicator().rank() == 0;
    const Box all = solves ? u_.grid()->domain(Location::cell) : Box{};
    std::vector<T> values = f_.copy_out(all);
    if (solves) host_.run(values, domain.some_executor());
    u_.copy_in(values, all);
  }

  /// Checks that there is a solution. Collective.
  void check() const {
    if (!problem_.is_singular || std::isinf(options_.most_imbalance)) return;
    const double cells = static_cast<double>(product(problem_.cells));
    double mean = f_.sum() / cells;
    for (std::size_t a = 0; a < 3; ++a) {
      mean -= (problem_.ends[a][0] + problem_.ends[a][1]) / static_cast<double>(problem_.cells[a]);
    }
    const double largest = std::max(std::abs(f_.minimum()), std::abs(f_.maximum()));
    require(std::abs(mean) <= options_.most_imbalance * largest,
            "there is no solution for the right-hand side '" + f_.name() + "'",
            fmt::format("no side holds a value and its mean is {} more than what flows through the "
                        "sides",
                        mean),
            "balance it, or let its mean be taken off");
  }

  Field<T> u_, f_;
  FourierOptions options_;
  FourierProblem problem_;
  HostFourier<T> host_;
  std::unique_ptr<DeviceFourier> device_;  ///< null: the host solves
  FourierTransforms chosen_ = FourierTransforms::automatic;
  int distribution_ = -1;  ///< Domain::distribution() for which it was chosen
  std::string text_;
};

template <class T>
Fourier<T>::Fourier(const Field<T>& u, const Field<T>& f, FourierOptions options) {
  for (const Field<T>& field : {u, f}) {
    require(field.grid() == u.grid() && field.record()->location == Location::cell,
            "a Fourier solver refuses field '" + field.name() + "'",
            "both fields must live at the cells of one grid");
  }
  const bool may_be_on_gpu = u.grid()->context->settings().backend == Backend::cuda;
  if (options.transforms != FourierTransforms::device && !may_be_on_gpu) require_transforms();
  solve_ = std::make_shared<Solve>(u, f, options);
}

template <class T>
void Fourier<T>::add_solve(Program& program) const {
  const auto choice = [solve = solve_] {
    const Box one{{0, 0, 0}, {1, 1, 1}};
    CheckpointArray array{.name = "transforms of " + solve->name(),
                          .type = ElementType::uint8,
                          .extents = one.upper,
                          .optional = true};
    array.owned_by = [one](int rank) { return rank == 0 ? one : Box{}; };
    array.copy_out = [solve](const Box& box, void* to) { solve->take_out(box, to); };
    array.copy_in = [solve](const Box& box, const void* from) { solve->put_in(box, from); };
    return std::vector{std::move(array)};
  };
  const std::size_t first = program.stages().size();
  program.call(StatefulCall{[solve = solve_] { solve->run(); }, choice}, std::tie(solve_->f()),
               std::tie(solve_->u()));
  mark_solve(program, first, solve_->for_derivatives());
}

template <class T>
std::string Fourier<T>::describe() const {
  return solve_->text();
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace goban
