#pragma once
// What a case of the benchmark says.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graph500/edge.hpp"
#include "graph500/search.hpp"

namespace goban::graph500 {

enum class Validation { every, first, none };

struct Model {
  std::string name, title;
  std::string generator;  ///< "kronecker", "reference", "file"
  int scale = 0, edge_factor = 16;
  std::uint64_t seed = 1;
  std::filesystem::path file;  ///< a graph of the user's own

  Index keys = 64;
  std::vector<Index> roots;  ///< the user's; empty: drawn
  DirectionRule rule;
  Validation validation = Validation::every;
  bool paths = false;  ///< kernel 3, too
  double delta = 0.05;
  int rows = 0;  ///< rows of the partition; 0: usual_rows()
  bool picture = true, trees = false;
  bool saves_graph = false;
  double save_every = 60;  ///< seconds

  std::unique_ptr<EdgeSource> source() const;
};

}  // namespace goban::graph500
