#pragma once
// A sweep that updates a row of cells with a number, for executors that are used without a domain.

#include <array>

#include "goban/goban.hpp"

namespace goban::test {

struct RowGrid {
  Runtime runtime{Settings{}};
  Grid grid{runtime, {.cells = {16, 1, 1}}};
};

/// `Functor` is called with the cell, which it updates, and the number, the second of the task's
/// values.
template <class T, class Functor>
class RowSweep {
 public:
  RowSweep() : u_(place_.grid, "u"), value_("value") {
    Program program("row");
    program.apply(Functor{}, inout(u_), param(value_));
    task.stage = program.stages().front();
    task.fields.resize(2);
    FieldBinding& field = task.fields[0];
    field.read = field.write = reinterpret_cast<std::byte*>(cells.data());
    field.stride = {1, 16, 16};
    field.component_stride = 16;
    field.clip = task.box = {{0, 0, 0}, {16, 1, 1}};
  }

  alignas(64) std::array<T, 16> cells{};
  SweepTask task;

 private:
  RowGrid place_;
  Field<T> u_;
  Parameter<T> value_;
};

}  // namespace goban::test
