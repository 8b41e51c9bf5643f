#include "goban/adjoint/step_record.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

/// The location that is staggered along these axes.
Location location_staggered(const std::array<bool, 3>& along) {
  for (const Location one : {Location::cell, Location::face_x, Location::face_y, Location::face_z,
                             Location::edge_x, Location::edge_y, Location::edge_z}) {
    const std::array staggered{is_staggered(one, 0), is_staggered(one, 1), is_staggered(one, 2)};
    if (staggered == along) return one;
  }
  return Location::node;
}

}  // namespace

bool is_differentiable(const FieldRecord& field) {
  return field.type == ElementType::half || field.type == ElementType::float32 ||
         field.type == ElementType::float64;
}

void add_renamed(const StepRecord& step, FieldSet& fields) {
  std::size_t before = 0;
  while (before != fields.size()) {
    before = fields.size();
    for (const auto& [name, other] : step.renamed) {
      if (fields.count(name) > 0) fields.insert(other);
      if (fields.count(other) > 0) fields.insert(name);
    }
  }
}

Real3 offset_of(const StepSweep& sweep) {
  Real3 offset{0.5, 0.5, 0.5};
  for (const StageArgument& argument : sweep.arguments) {
    if (!argument.field || argument.access == Access::in) continue;
    for (int a = 0; a < 3; ++a) {
      offset[static_cast<std::size_t>(a)] = is_staggered(argument.field->location, a) ? 0.0 : 0.5;
    }
  }
  return offset;
}

Location location_of(const StepSweep& sweep) {
  if (sweep.stage->kind == Stage::Kind::reduce) return field_of(sweep).field->location;
  std::array<bool, 3> staggered{};
  for (const StageArgument& argument : sweep.arguments) {
    if (!argument.field || argument.access == Access::in) continue;
    for (int a = 0; a < 3; ++a) {
      auto& along = staggered[static_cast<std::size_t>(a)];
      along = along || is_staggered(argument.field->location, a);
    }
  }
  return location_staggered(staggered);
}

const StageArgument& field_of(const StepSweep& sweep) {
  return *std::find_if(sweep.arguments.begin(), sweep.arguments.end(),
                       [](const StageArgument& one) { return one.field != nullptr; });
}

FieldRecord like_of(const StepSweep& sweep) {
  FieldRecord like = *field_of(sweep).field;
  like.location = location_of(sweep);
  return like;
}

FieldSet StepRecord::overwritten_first() const {
  FieldSet seen, overwritten;
  for (std::size_t n = 0; n < sweeps.size(); ++n) {
    const StepSweep& sweep = sweeps[n];
    for (const StepSample& sample : samples) {
      if (sample.sweeps_before == n) seen.insert(sample.fields.begin(), sample.fields.end());
    }
    if (sweep.mask) seen.insert(sweep.mask);
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && !sweep.renews(argument)) seen.insert(argument.field);
    }
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && seen.insert(argument.field).second) {
        overwritten.insert(argument.field);
      }
    }
  }
  return overwritten;
}

FieldSet StepRecord::changed() const {
  FieldSet all;
  for (const StepSweep& sweep : sweeps) {
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && argument.access != Access::in) all.insert(argument.field);
    }
  }
  for (const auto& [name, other] : renamed) {
    if (name != other) all.insert(name);
  }
  return all;
}

}  // namespace goban::detail
