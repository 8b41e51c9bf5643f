// Solvers, whose stages go where a program stands.

#include <array>
#include <variant>

#include "goban/solver/fourier.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/multigrid.hpp"
#include "options.hpp"

namespace {

using namespace goban;
using namespace goban::python;

struct MultigridHandle {
  std::variant<Multigrid<float>, Multigrid<double>> solver;
};
struct FourierHandle {
  std::variant<Fourier<float>, Fourier<double>> solver;
};

/// The field as solvers take it.
template <class T>
Field<T> solved_field(const FieldHandle& handle, const FieldHandle& like) {
  const FieldRecord& record = *handle.record;
  require(record.type == ElementTraits<T>::type && record.components == 1 && !record.in_place &&
              record.order == ijk::order,
          "field '" + record.name + "' is refused",
          "a solver takes one component with x fastest in memory, not in place, all of the type of "
          "'" +
              like.record->name + "'");
  return {handle.grid, handle.record};
}

template <class T>
Multigrid<T> multigrid_of(const FieldHandle& u, const FieldHandle& f,
                          const FieldHandle* const* conductances, const Json& options) {
  const auto all = multigrid_options(options);
  const Field<T> unknown = solved_field<T>(u, u), right_hand_side = solved_field<T>(f, u);
  if (!conductances[0]) return {unknown, right_hand_side, all};
  return {unknown,
          right_hand_side,
          solved_field<T>(*conductances[0], u),
          solved_field<T>(*conductances[1], u),
          solved_field<T>(*conductances[2], u),
          all};
}

/// Solvers compute in the type of the unknown.
bool is_single(const FieldHandle& u) {
  const ElementType type = u.record->type;
  require(type == ElementType::float32 || type == ElementType::float64,
          "field '" + u.record->name + "' is refused", "solvers compute in float32 and float64");
  return type == ElementType::float32;
}

}  // namespace

/// `conductances`: three fields, or nulls.
GOBAN_PYTHON_CALL int goban_python_multigrid(const FieldHandle* u, const FieldHandle* f,
                                             const FieldHandle* const* conductances,
                                             const char* options, MultigridHandle** made) {
  return guarded([&] {
    const Json json = Json::parse(options);
    *made = is_single(*u) ? new MultigridHandle{multigrid_of<float>(*u, *f, conductances, json)}
                          : new MultigridHandle{multigrid_of<double>(*u, *f, conductances, json)};
  });
}
GOBAN_PYTHON_CALL void goban_python_multigrid_delete(MultigridHandle* multigrid) {
  delete multigrid;
}
GOBAN_PYTHON_CALL int goban_python_multigrid_residual(const MultigridHandle* multigrid,
                                                      ParameterHandle** made) {
  return guarded([&] {
    *made = std::visit(
        [](const auto& solver) { return new ParameterHandle{solver.residual().record()}; },
        multigrid->solver);
  });
}
GOBAN_PYTHON_CALL int goban_python_multigrid_describe(const MultigridHandle* multigrid) {
  return guarded([&] {
    set_text(std::visit([](const auto& solver) { return solver.describe(); }, multigrid->solver));
  });
}
/// Appends "setup", "balance", "cycle", "residual", "preconditioner", so many cycles on each grid
/// of "full_multigrid", or "solve" to a tolerance, in so many cycles at most, and for derivatives
/// to another one.
GOBAN_PYTHON_CALL int goban_python_program_multigrid(Program* program, MultigridHandle* multigrid,
                                                     const char* what, double tolerance,
                                                     std::int64_t cycles, double derivatives) {
  return guarded([&] {
    const std::string name = what;
    std::visit(
        [&](auto& solver) {
          if (name == "setup") return solver.add_setup(*program);
          if (name == "balance") return solver.add_balance(*program);
          if (name == "cycle") return solver.add_cycle(*program);
          if (name == "residual") return solver.add_residual(*program);
          if (name == "preconditioner") return solver.preconditioner().append(*program);
          if (name == "full_multigrid") {
            return solver.add_full_multigrid(*program, static_cast<int>(cycles));
          }
          solver.add_solve(*program, tolerance, cycles, derivatives);
        },
        multigrid->solver);
  });
}

GOBAN_PYTHON_CALL int goban_python_fourier(const FieldHandle* u, const FieldHandle* f,
                                           const char* json, FourierHandle** made) {
  return guarded([&] {
    const FourierOptions options = fourier_options(Json::parse(json));
    const auto solver = [&]<class T>(T) {
      return Fourier<T>(solved_field<T>(*u, *u), solved_field<T>(*f, *u), options);
    };
    *made =
        is_single(*u) ? new FourierHandle{solver(float{})} : new FourierHandle{solver(double{})};
  });
}
GOBAN_PYTHON_CALL void goban_python_fourier_delete(FourierHandle* fourier) { delete fourier; }
GOBAN_PYTHON_CALL int goban_python_fourier_describe(const FourierHandle* fourier) {
  return guarded([&] {
    set_text(std::visit([](const auto& solver) { return solver.describe(); }, fourier->solver));
  });
}
GOBAN_PYTHON_CALL int goban_python_program_fourier(Program* program, const FourierHandle* fourier) {
  return guarded([&] {
    std::visit([&](const auto& solver) { solver.add_solve(*program); }, fourier->solver);
  });
}

/// The field has what is added to `solution` from now on.
GOBAN_PYTHON_CALL int goban_python_field_correct(const FieldHandle* field,
                                                 const FieldHandle* solution) {
  return guarded([&] {
    field->record->boundary.assign(field->record->boundary.size(),
                                   homogeneous(solution->record->boundary.front()));
    ++field->record->boundary_changes;
  });
}
