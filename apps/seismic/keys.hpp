#pragma once
// The keys of a case of elastic waves, and what they describe.

#include "goban/simulation/application/common_keys.hpp"
#include "seismic/misfit.hpp"
#include "seismic/model.hpp"
#include "seismic/seismograms.hpp"

namespace goban::seismic {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): sides, rock and sources that do not fit together or
/// the grid. Error (ExitCode::files): a file that cannot be read.
Model read_model(const Case& values);

/// Error (ExitCode::usage): one outside of the grid or in an absorbing layer, two of a name.
std::vector<Receiver> read_receivers(const Case& values, const Model& model);

SeismogramFormats read_formats(const Case& values);

/// A trace that one of a receiver is compared with.
struct Comparison {
  std::string receiver, quantity;
  Trace reference;
  double low_pass = 0;  ///< Hz; 0: none
};
/// Error (ExitCode::files): a file that cannot be read.
std::vector<Comparison> read_comparisons(const Case& values);

}  // namespace goban::seismic
