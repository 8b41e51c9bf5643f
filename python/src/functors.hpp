#pragma once
// Functors that were written in Python, as the package lists what they do: a step after the other,
//   [operation, type, [operands], [data]]
// Operands are numbers of earlier steps. Operations have the signs and names of graph_names.hpp:
// "+", "sqrt", "select"; their type is that of the values they are computed of, which are converted
// to it, "float32"; of logic it is how many bytes the lanes have that were compared. There are also
//   number                     the same for all cells and known now; data: bits
//   parameter                  data: its position
//   read, before               data: parameter, component, offset along x, y, z; before: of scratch
//   assign                     data: parameter, component
//   index, position, random    data: axis, or stream
//   time, step

#include <vector>

#include "calls.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"
#include "goban/stencil/graph/recorded_sweep.hpp"

namespace goban::python {

struct FunctorSteps {
  const Json& steps;
  std::vector<ParameterDescription> parameters;
  detail::SweepRole role = detail::SweepRole::whole;
  int first = 0;  ///< parameter that the steps count from
};

/// What the recorder of the library makes of the steps; `graph` keeps the values of several.
RecordedSweep recorded(const FunctorSteps& functor, detail::GraphRecorder& graph);

}  // namespace goban::python
