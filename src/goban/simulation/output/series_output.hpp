#pragma once
// Numbers over time as a CSV file.

#include <optional>

#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/column.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// The file of a series in a run's folder: a new one, or with `keep_until` the one there, which
/// must hold at least `rows_to_find`.
CsvSeries open_series(const RunPlace& place, const std::string& name,
                      const std::vector<CsvColumn>& columns, std::optional<Index> keep_until,
                      std::optional<Index> rows_to_find);

/// Makes a series durable; says so if another program had taken its file away.
void sync_series(const RunPlace& place, CsvSeries& series);

}  // namespace goban
