#include "goban/program/structure.hpp"

#include <string_view>

#include "goban/base/mix.hpp"

namespace goban {
namespace {

class Structure {
 public:
  void add(const Program& program) {
    add(program.stages().size());
    for (const auto& stage : program.stages()) add(*stage);
  }
  std::uint64_t number() const { return number_; }

 private:
  template <class Number>
  void add(Number number) {
    number_ = mix(number_ ^ static_cast<std::uint64_t>(number));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  void add(const Index3& values) {
    for (int a = 0; a < 3; ++a) add(values[a]);
  }
  void add(const FieldRecord& field) {
    add(std::string_view(field.name));
    add(field.type);
    add(field.components);
    add(field.location);
    for (const int axis : field.order) add(axis);
    for (const auto& component : field.boundary) {
      for (const auto& axis : component.sides) {
        for (const auto& side : axis) add(side.kind);
      }
    }
  }
  void add(const Footprint& footprint) {
    add(footprint.reads.size());
    for (const Read& read : footprint.reads) {
      add(read.parameter);
      add(read.component);
      for (const int offset : read.offset) add(offset);
    }
    add(footprint.flops);
    add(footprint.integer_operations);
    add(footprint.special_functions);
  }
  void add(const Stage& stage) {
    add(stage.kind);
    add(std::string_view(stage.name));
    for (const StageArgument& argument : stage.arguments) {
      add(argument.kind);
      add(argument.access);
      if (argument.field) add(*argument.field);
      if (argument.grid) add(argument.grid->cells);
    }
    add(stage.footprint);
    if (stage.columns) {
      add(stage.columns->axis);
      add(stage.columns->forward.footprint);
      add(stage.columns->backward.footprint);
    }
    if (stage.region) {
      add(stage.region->lower);
      add(stage.region->upper);
    }
    add(stage.mask != nullptr);
    for (const auto& name : stage.names) add(std::string_view(name->name));
    add(stage.count);
    if (stage.body) add(*stage.body);
    if (stage.check) add(*stage.check);
  }

  std::uint64_t number_ = 0;
};

}  // namespace

std::uint64_t structure_of(const Program& program) {
  Structure structure;
  structure.add(program);
  return structure.number();
}

}  // namespace goban
