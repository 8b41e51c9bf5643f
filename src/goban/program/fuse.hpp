#pragma once
// What Program::fuse is told: functors one after another, and which fields they hand on.

#include <memory>
#include <string>
#include <tuple>

#include "goban/program/arguments.hpp"

namespace goban {

/// Values that one functor of a fuse hands to later ones and that nobody else sees: declared like a
/// field, without memory.
template <class T, int Components = 1>
class Intermediate {
 public:
  using LayoutType = void;

  Intermediate(Grid& grid, const std::string& name, FieldOptions options = {})
      : grid_(grid.state()), record_(std::make_shared<FieldRecord>()) {
    record_->name = name;
    record_->type = ElementTraits<T>::type;
    record_->components = Components;
    record_->location = options.location;
    record_->boundary = boundaries(options, *grid_, Components);
  }

  const std::string& name() const { return record_->name; }
  const std::shared_ptr<FieldRecord>& record() const { return record_; }
  const std::shared_ptr<GridState>& grid() const { return grid_; }

 private:
  std::shared_ptr<GridState> grid_;
  std::shared_ptr<FieldRecord> record_;
};

/// Passed to a fuse for a field or an intermediate that is read beyond the ends of the grid, where
/// it is constant: costs a comparison with the ends wherever it is made again.
template <class AnyField>
struct WalledField {
  using LayoutType = typename AnyField::LayoutType;
  const AnyField& field;
};
template <class T, int C, class L>
WalledField<Field<T, C, L>> walled(const Field<T, C, L>& field) {
  return {field};
}
template <class T, int C>
WalledField<Intermediate<T, C>> walled(const Intermediate<T, C>& field) {
  return {field};
}

/// Stands for an argument of a fuse where its stages are listed.
template <int Position>
struct FuseArgument {};

/// How a functor of a fuse uses a field.
template <Access A, int Position>
struct FuseFieldArgument {};
template <int Position>
auto in(FuseArgument<Position>) {
  return FuseFieldArgument<Access::in, Position>{};
}
template <int Position>
auto out(FuseArgument<Position>) {
  return FuseFieldArgument<Access::out, Position>{};
}
template <int Position>
auto inout(FuseArgument<Position>) {
  return FuseFieldArgument<Access::inout, Position>{};
}

/// A functor of a fuse and what stands for its parameters, as in apply.
template <class F, class... Arguments>
struct FuseStage {
  using Functor = F;
  F functor;
};
template <class F, class... Arguments>
FuseStage<F, Arguments...> stage(F functor, Arguments...) {
  return {functor};
}

template <class... Stages>
std::tuple<Stages...> stages(Stages... stages) {
  return {stages...};
}

}  // namespace goban
