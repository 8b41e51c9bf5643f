#pragma once
// The sections every application shares: [grid] [time] [run] [output.*] [checkpoint].

#include <functional>
#include <string>
#include <vector>

#include "goban/grid/grid.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"
#include "goban/io/case/setting_keys.hpp"

namespace goban {

/// Where applications differ in the shared sections.
struct CommonChoices {
  std::vector<std::string> precisions{"float32", "float64"};  ///< the first is the default
  std::vector<std::string> layouts{"ijk", "kij"};             ///< the first is the default
  std::string length_unit = "m";                              ///< "1" for lattice units
  std::string time_unit = "s";
  /// Layers that grid.size does not count.
  std::function<GridLayers(const Case&)> layers = nullptr;
  /// What grid.size says of these layers: ", without the layers of inflows".
  std::string size_excludes = {};
};

/// Declares app, title and the shared sections.
void declare_common(CaseSchema& schema, const CommonChoices& choices = {});

/// "output.series.every"; just the key in a table of a list, whose section is "".
std::string dotted(const std::string& section, const std::string& key);

/// When something happens: every, every_time, every_wall, at, at_end, as keys of `section`.
void declare_schedule(CaseSchema& schema, const std::string& section, const std::string& time_unit,
                      bool at_end);

/// scheme.stability, which stable_time_step() (simulation/application/from_case.hpp) reads.
void declare_stability(CaseSchema& schema, double fallback);

/// The [grid] section; boundary conditions are the application's.
GridOptions grid_options(const Case& values, const BoundarySet& boundary = {});

}  // namespace goban
