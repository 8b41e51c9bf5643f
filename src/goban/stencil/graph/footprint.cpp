#include "goban/stencil/graph/footprint.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "goban/base/error.hpp"

namespace goban {

namespace {

template <class Matches>
int reach_of(const std::vector<Read>& reads, Axis axis, Side side, Matches matches) {
  int reach = 0;
  for (const Read& r : reads) {
    const int offset = r.offset[static_cast<std::size_t>(index_of(axis))];
    if (matches(r)) reach = std::max(reach, side == Side::low ? -offset : offset);
  }
  return reach;
}

}  // namespace

Footprint::Footprint(const StaticFootprint& f)
    : parameters(f.parameters, f.parameters + f.parameter_count),
      outputs(f.outputs, f.outputs + f.output_count),
      flops(f.flops),
      integer_operations(f.integer_operations),
      special_functions(f.special_functions),
      paths(f.paths),
      branching(f.branching),
      sees_step(f.sees_step),
      error(f.error),
      error_output(f.error_output) {
  for (int i = 0; i < f.read_count; ++i) reads.push_back(f.read(i));
  std::sort(reads.begin(), reads.end());
}

int Footprint::reach(int parameter, Axis axis, Side side) const {
  return reach_of(reads, axis, side, [&](const Read& r) { return r.parameter == parameter; });
}

int Footprint::reach(int parameter, int component, Axis axis, Side side) const {
  return reach_of(reads, axis, side, [&](const Read& r) {
    return r.parameter == parameter && r.component == component;
  });
}

int Footprint::reach(Axis axis, Side side) const {
  return reach_of(reads, axis, side, [](const Read&) { return true; });
}

Index Footprint::bytes_per_update() const {
  const auto size = [&](int parameter) {
    return static_cast<Index>(size_of(parameters[static_cast<std::size_t>(parameter)].type));
  };
  std::set<std::pair<int, int>> components;
  for (const Read& r : reads) components.emplace(r.parameter, r.component);
  Index bytes = 0;
  for (const auto& [parameter, component] : components) bytes += size(parameter);
  for (const Output& o : outputs) bytes += o.most_assignments > 0 ? size(o.parameter) : 0;
  return bytes;
}

void check(const Footprint& footprint, const std::string& functor,
           const std::vector<std::string>& arguments) {
  if (footprint.error == TraceError::none) return;
  const auto parameter = static_cast<std::size_t>(footprint.error_output.parameter);
  std::string output = "'" + arguments.at(parameter) + "'";
  if (footprint.parameters.at(parameter).components > 1) {
    output = "component " + std::to_string(footprint.error_output.component) + " of " + output;
  }
  const auto fail = [&](const std::string& does, const std::string& why, const std::string& hint) {
    throw Error(ExitCode::usage, "functor " + functor + " " + does, why, hint);
  };
  switch (footprint.error) {
    case TraceError::unassigned_output:
      fail("does not assign every out", output + " keeps no value on some path",
           "assign it exactly once on every path, or pass the field as inout");
      break;
    case TraceError::assigned_twice:
      fail("assigns an output more than once", output,
           "compute the value in a variable and assign it once");
      break;
    case TraceError::unwritten_scratch:
      fail("reads scratch that holds nothing yet", output,
           "the first sweep assigns it on every path before it is read");
      break;
    case TraceError::too_many_reads:
      fail("reads too many different values",
           "at most " + std::to_string(StaticFootprint::read_capacity) + " a cell",
           "split it into several functors");
      break;
    case TraceError::too_many_outputs:
      fail("has too many parameters or outputs",
           "at most " + std::to_string(StaticFootprint::parameter_capacity) + " parameters and " +
               std::to_string(StaticFootprint::output_capacity) + " components written",
           "split it into several functors");
      break;
    case TraceError::too_many_paths:
      fail("has too many branches, or a loop that ends on values",
           "at most " + std::to_string(StaticFootprint::path_limit) + " ways through it",
           "use select(mask, a, b)");
      break;
    default:
      fail("reads too far away",
           "offsets reach at most " + std::to_string(StaticFootprint::offset_limit) + " cells",
           "check the offsets");
  }
}

}  // namespace goban
