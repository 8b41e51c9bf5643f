#pragma once
// What a run measured, as files and text.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graph500/model.hpp"
#include "graph500/statistics.hpp"

namespace goban::graph500 {

/// What is known of one search.
struct Searched {
  Index root = 0;
  Index vertices = 0, edges = 0;  ///< size of the component; 0: not validated
  double seconds = 0, validation = -1;
  double path_seconds = 0, path_validation = -1;
  std::uint64_t path_checksum = 0;  ///< checksum of parents and distances; 0: not validated
  std::vector<Level> levels;
};

struct Record {
  Index vertices = 0, edges = 0;
  double generation = 0, construction = 0;  ///< seconds
  std::vector<Searched> searches;
  std::vector<std::string> files;  ///< files with trees

  std::vector<double> seconds() const;
  std::vector<double> counted_edges() const;
};

nlohmann::ordered_json to_json(const Record& record);
Record record_from(const nlohmann::ordered_json& json);

/// A checksum of roots and of how many vertices every level has: the same whatever computes them.
std::uint64_t checksum_of(const Record& record);
std::uint64_t path_checksum_of(const Record& record);
std::uint64_t checksum_of(const std::vector<Index>& parents, const std::vector<float>& distances);
/// `results` of the summary.
nlohmann::ordered_json results_of(const Record& record, const Model& model);
OfficialFigures official_figures(const Record& record, const Model& model, int ranks);
/// The text for the end of a run: rates, times, where they went.
std::string report_text(const Record& record, const Model& model);

/// NAME_official.txt, NAME_searches.csv, NAME_levels.csv and NAME.png in a directory; returns their
/// names. Error (files).
std::vector<std::string> write_files(const std::filesystem::path& directory, const Record& record,
                                     const Model& model, int ranks);
/// NAME_parents_ROOT.npy and NAME_levels_ROOT.npy: a number of 32 bits for every vertex, -1
/// outside.
std::vector<std::string> write_tree(const std::filesystem::path& directory, const Model& model,
                                    Index root, const std::vector<Index>& parents,
                                    const std::vector<std::int32_t>& level);

}  // namespace goban::graph500
