#pragma once
// The footprint of a functor as an ordinary value: halo widths, bytes and FLOPs come from here.

#include <string>
#include <vector>

#include "goban/stencil/graph/static_footprint.hpp"

namespace goban {

struct Footprint {
  std::vector<ParameterDescription> parameters;  ///< in the order of the functor
  std::vector<Read> reads;                       ///< each once, sorted
  std::vector<Output> outputs;                   ///< all components of all outs and inouts
  Index flops = 0;               ///< a cell, the most on any path; see StaticFootprint
  Index integer_operations = 0;  ///< a cell
  Index special_functions = 0;   ///< a cell
  int paths = 0;
  bool branching = false;
  bool sees_step = false;  ///< asks for the step, the time or random numbers
  TraceError error = TraceError::none;
  Output error_output{};

  Footprint() = default;
  explicit Footprint(const StaticFootprint& footprint);

  /// How many cells away the parameter is read, along an axis towards a side; at least 0.
  int reach(int parameter, Axis axis, Side side) const;
  /// The same of one component.
  int reach(int parameter, int component, Axis axis, Side side) const;
  /// The same of all parameters.
  int reach(Axis axis, Side side) const;

  /// Bytes a cell that must move: each component read once and written once.
  Index bytes_per_update() const;
};

/// Error (ExitCode::usage) naming `functor` and the output if the footprint has an error;
/// `arguments` are the names of what stands for its parameters.
void check(const Footprint& footprint, const std::string& functor,
           const std::vector<std::string>& arguments);

}  // namespace goban
