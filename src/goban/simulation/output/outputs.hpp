#pragma once
// The outputs of a simulation. Errors (usage) of all: no fields or columns, what lies outside of
// the grid, fields of several grids where one is asked for.

#include <memory>
#include <string>
#include <vector>

#include "goban/simulation/options.hpp"
#include "goban/simulation/output/column.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// Whole fields as files for ParaView.
std::unique_ptr<SimulationOutput> snapshot_output(std::vector<AnyField> fields, When when,
                                                  const OutputOptions& options);
/// Slices of a field as PNG pictures.
std::unique_ptr<SimulationOutput> picture_output(AnyField field, PictureOptions options, When when,
                                                 std::string length_unit);
/// Numbers over time as a CSV file.
std::unique_ptr<SimulationOutput> series_output(const std::string& name,
                                                std::vector<Column> columns, When when);
/// Values along a line as CSV files.
std::unique_ptr<SimulationOutput> line_output(const std::string& name, std::vector<AnyField> fields,
                                              const LineOptions& options, When when,
                                              std::string length_unit);
/// Values on a plane as snapshots with one layer of cells.
std::unique_ptr<SimulationOutput> plane_output(const std::string& name,
                                               std::vector<AnyField> fields,
                                               const PlaneOptions& options, When when,
                                               std::string length_unit);
/// Mean, variance and extrema of a field over time, as snapshots, with every snapshot of others and
/// when the run is over.
std::unique_ptr<SimulationOutput> statistics_output(AnyField field, When when, double from);

}  // namespace goban
