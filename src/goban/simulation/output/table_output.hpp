#pragma once
// What is computed of whole fields, as a table now and then.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

using TableColumns = std::vector<std::vector<double>>;

/// What a field of one component adds to the columns of a table, which are empty before the first:
/// its values in all cells, x fastest.
using AddToTable =
    std::function<void(const AnyField& field, const std::vector<double>& values, TableColumns&)>;

/// Writes <case>_<name>.0000100.csv. `add` runs on the rank that writes, for one field after the
/// other, all of whose values are there.
std::unique_ptr<SimulationOutput> table_output(std::string name, std::string description,
                                               std::vector<AnyField> fields,
                                               std::vector<CsvColumn> headings, AddToTable add,
                                               When when);

}  // namespace goban
