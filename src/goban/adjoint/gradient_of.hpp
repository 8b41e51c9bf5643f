#pragma once
// What derivatives are with respect to.

#include <memory>
#include <utility>

#include "goban/field/field.hpp"
#include "goban/program/parameter.hpp"

namespace goban {

/// A field or a parameter.
struct GradientOf {
  std::shared_ptr<FieldRecord> field{};
  std::shared_ptr<ParameterRecord> parameter{};

  GradientOf(std::shared_ptr<FieldRecord> of) : field(std::move(of)) {}          // NOLINT
  GradientOf(std::shared_ptr<ParameterRecord> of) : parameter(std::move(of)) {}  // NOLINT
  template <class T, int C, class L>
  GradientOf(const Field<T, C, L>& of) : field(of.record()) {}  // NOLINT: Adjoint(..., {u, dt})
  template <class T>
  GradientOf(const Parameter<T>& of) : parameter(of.record()) {}  // NOLINT
};

}  // namespace goban
