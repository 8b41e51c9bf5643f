#pragma once
// Graphs of the user's own.

#include <filesystem>
#include <memory>

#include "graph500/edge.hpp"

namespace goban::graph500 {

/// Whether searches need them.
enum class GraphWeights { kept, left_out };

/// By the ending of the file:
///   .txt .el .wel   a line for each edge: two vertices counted from 0 and, perhaps, its weight,
///                   between blanks or commas;
///                   lines that begin with # or % are passed over
///   .mtx            MatrixMarket, coordinate: vertices counted from 1; pattern, or values as
///                   weights
///   .bin            pairs of 64-bit integers, little endian
/// Edges are undirected. Where there are no weights they are 1. Search keys are drawn from all
/// vertices. Weights that are left out may be any numbers, others are at least 0. Error (files):
/// what cannot be read, or a line that holds more, naming it; (usage): another ending.
std::unique_ptr<EdgeSource> read_graph(const std::filesystem::path& file,
                                       GraphWeights weights = GraphWeights::kept);

}  // namespace goban::graph500
