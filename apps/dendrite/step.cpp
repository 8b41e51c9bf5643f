#include "dendrite/step.hpp"
#include "dendrite/stencils.hpp"
#include "goban/goban.hpp"

namespace goban::dendrite {

template <class T>
GrowthStep<T>::GrowthStep(Grid& grid, const Model& model, double dt)
    : phase(grid, "phase"),
      other(grid, model.formulation == Formulation::alloy ? "liquid_excess" : "temperature"),
      next_phase_(grid, "next_phase"),
      next_other_(grid, "next_other"),
      undercooling_("undercooling", model.alloy.undercooling.at(0)),
      model_(model),
      spacing_(grid.spacing()[0]),
      dt_(dt) {
  const Index3 cells = grid.cells();
  lowest_ = grid.origin()[static_cast<std::size_t>(index_of(growth_axis(dimensions_of(cells))))];
  if (model.formulation == Formulation::alloy) concentration.emplace(grid, "concentration");
  if (model.start_phase) {
    fill_from(phase, model.start_phase);
  } else {
    phase.fill([&](const CellRow& row, double* values) { model.phases(row, cells, values); });
  }
  if (model.start_other) {
    fill_from(other, model.start_other);
  } else {
    other.fill(model.start());
  }
}

template <class T>
bool GrowthStep<T>::is_flat() const {
  return dimensions_of(phase.grid()->cells) == 2;
}

template <class T>
Program GrowthStep<T>::program() const {
  return is_flat() ? program_of<2>() : program_of<3>();
}

template <class T>
template <int Dims>
Program GrowthStep<T>::program_of() const {
  Program step("dendrite");
  const auto grow = [&](const auto& functor, const auto&... where) {
    step.apply(functor, in(phase), in(other), out(next_phase_), out(next_other_), where...);
  };
  if (model_.formulation == Formulation::alloy) {
    const Alloy& alloy = model_.alloy;
    const auto in_alloy = [&]<class Undercooling>(const Undercooling& undercooling) {
      return GrowInAlloy<Dims, T, Undercooling>::with(alloy, spacing_, dt_, undercooling);
    };
    const Frozen<T> frozen{growth_axis(Dims), alloy.gradient * spacing_, alloy.cooling_rate};
    if (alloy.undercooling.varies()) step.follow(undercooling_, alloy.undercooling);
    if (alloy.noise > 0) {
      grow(in_alloy(FrozenWithNoise<T>{frozen, static_cast<T>(alloy.noise)}), site, param(shifted),
           param(undercooling_));
    } else if (!alloy.is_uniform_in_space_and_time()) {
      grow(in_alloy(frozen), site, param(shifted), param(undercooling_));
    } else {
      grow(in_alloy(Isothermal<T>{static_cast<T>(alloy.undercooling.at(0))}));
    }
  } else if (model_.thermal.noise > 0) {
    grow(GrowInMelt<Dims, T, Noisy<T>>::with(model_.thermal, spacing_, dt_,
                                             {static_cast<T>(model_.thermal.noise)}),
         site);
  } else {
    grow(GrowInMelt<Dims, T, Quiet>::with(model_.thermal, spacing_, dt_, {}));
  }
  step.swap(phase, next_phase_);
  step.swap(other, next_other_);
  return step;
}

template <class T>
Program GrowthStep<T>::move() const {
  Program program("move");
  const auto down = [&]<Axis A>(std::integral_constant<Axis, A>) {
    const Index cells = phase.grid()->cells[static_cast<std::size_t>(index_of(A))];
    program.apply(MoveDown<A, T>{static_cast<std::int32_t>(cells - 1),
                                 static_cast<T>(model_.melt()), static_cast<T>(model_.start())},
                  site, in(phase), in(other), out(next_phase_), out(next_other_));
  };
  is_flat() ? down(std::integral_constant<Axis, growth_axis(2)>{})
            : down(std::integral_constant<Axis, growth_axis(3)>{});
  program.apply(TakeOver{}, in(next_phase_), in(next_other_), out(phase), out(other));
  program.compute([](double& cells) { cells += 1; }, inout(shifted));
  return program;
}

template <class T>
Program GrowthStep<T>::observation() const {
  Program program("observation");
  const Alloy& alloy = model_.alloy;
  program.apply(
      Concentration<T>{static_cast<T>(alloy.composition), static_cast<T>(1 - alloy.partition)},
      in(phase), in(other), out(*concentration));
  return program;
}

template <class T>
template <int Dims>
void GrowthStep<T>::locate(Program& program) const {
  program.reduce(Interface<growth_axis(Dims)>{model_.level(), lowest_, spacing_}, site, in(phase),
                 goban::maximum, into(tip));
}

template <class T>
Program GrowthStep<T>::location() const {
  Program program("location");
  is_flat() ? locate<2>(program) : locate<3>(program);
  return program;
}

template <class T>
template <int Dims>
void GrowthStep<T>::sum_energy(Program& program) const {
  const SquaredGradient<Dims> gradient{model_.anisotropy(), 1 / (spacing_ * spacing_)};
  if (model_.formulation == Formulation::alloy) {
    const double a = model_.alloy.gradient_coefficient();
    program.reduce(InterfaceEnergy<Dims>{gradient, a * a, model_.alloy.barrier()}, in(phase),
                   goban::sum, into(energy));
  } else {
    const Thermal& thermal = model_.thermal;
    program.reduce(FreeEnergy<Dims>{gradient, thermal.width * thermal.width, thermal.coupling},
                   in(phase), in(other), goban::sum, into(energy));
  }
}

template <class T>
Program GrowthStep<T>::balance() const {
  Program program("balance");
  is_flat() ? locate<2>(program) : locate<3>(program);
  program.reduce(Solid{model_.melt()}, in(phase), goban::sum, into(solid));
  is_flat() ? sum_energy<2>(program) : sum_energy<3>(program);
  if (model_.formulation == Formulation::alloy) {
    const Alloy& alloy = model_.alloy;
    program.reduce(Concentration<double>{alloy.composition, 1 - alloy.partition}, in(phase),
                   in(other), goban::sum, into(content));
  } else {
    program.reduce(Enthalpy{}, in(phase), in(other), goban::sum, into(content));
  }
  return program;
}

template class GrowthStep<float>;
template class GrowthStep<double>;

}  // namespace goban::dendrite
