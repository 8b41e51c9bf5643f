#pragma once
// The keys of a case file.

#include "goban/io/case/file.hpp"
#include "graph500/model.hpp"

namespace goban::graph500 {

void declare_keys(CaseSchema& schema);
/// Error (usage): values that do not fit together.
Model read_model(const Case& values);

}  // namespace goban::graph500
