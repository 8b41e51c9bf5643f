#include "graph500/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "goban/base/mix.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/picture/curve_picture.hpp"

namespace goban::graph500 {
namespace {

using Json = nlohmann::ordered_json;

/// TEPS as people write them: "1.23 GTEPS".
std::string rate_text(double rate) {
  return rate >= 1e9 ? fmt::format("{:.4g} GTEPS", rate * 1e-9)
                     : fmt::format("{:.4g} MTEPS", rate * 1e-6);
}

bool has_rates(const Record& record) {
  return !record.searches.empty() &&
         std::all_of(record.searches.begin(), record.searches.end(),
                     [](const Searched& search) { return search.edges > 0; });
}

Json json_of(const Level& level) {
  return {{"bottom_up", level.bottom_up},
          {"found", level.found},
          {"seconds", level.seconds},
          {"message_seconds", level.message_seconds},
          {"bytes", level.bytes}};
}

/// Seconds of all searches, by level and direction.
struct LevelTotals {
  Index found = 0;
  int top_down = 0, bottom_up = 0;
  double seconds = 0, message_seconds = 0;
  Index bytes = 0;
};
std::vector<LevelTotals> totals_of(const Record& record) {
  std::vector<LevelTotals> totals;
  for (const Searched& search : record.searches) {
    if (totals.size() < search.levels.size()) totals.resize(search.levels.size());
    for (std::size_t l = 0; l < search.levels.size(); ++l) {
      const Level& level = search.levels[l];
      totals[l].found += level.found;
      ++(level.bottom_up ? totals[l].bottom_up : totals[l].top_down);
      totals[l].seconds += level.seconds;
      totals[l].message_seconds += level.message_seconds;
      totals[l].bytes += level.bytes;
    }
  }
  return totals;
}

void write_searches(const std::filesystem::path& path, const Record& record) {
  std::vector<std::vector<double>> values(8);
  for (const Searched& search : record.searches) {
    const double row[] = {static_cast<double>(search.root),
                          static_cast<double>(search.vertices),
                          static_cast<double>(search.edges),
                          static_cast<double>(search.levels.size()),
                          search.seconds,
                          static_cast<double>(search.edges) / search.seconds,
                          search.validation,
                          search.path_seconds};
    for (std::size_t c = 0; c < values.size(); ++c) values[c].push_back(row[c]);
  }
  write_csv(path,
            {{"root", ""},
             {"vertices", ""},
             {"edges", ""},
             {"levels", ""},
             {"time", "s"},
             {"TEPS", "1/s"},
             {"validation", "s"},
             {"paths", "s"}},
            values);
}

void write_levels(const std::filesystem::path& path, const Record& record) {
  std::vector<std::vector<double>> values(7);
  for (const Searched& search : record.searches) {
    for (std::size_t l = 0; l < search.levels.size(); ++l) {
      const Level& level = search.levels[l];
      const double row[] = {static_cast<double>(search.root),
                            static_cast<double>(l + 1),
                            static_cast<double>(level.found),
                            level.bottom_up ? 1.0 : 0.0,
                            level.seconds,
                            level.message_seconds,
                            static_cast<double>(level.bytes)};
      for (std::size_t c = 0; c < values.size(); ++c) values[c].push_back(row[c]);
    }
  }
  write_csv(path,
            {{"root", ""},
             {"level", ""},
             {"vertices", ""},
             {"bottom up", ""},
             {"time", "s"},
             {"messages", "s"},
             {"sent by the first rank", "B"}},
            values);
}

/// Rates of all searches in their order, over the share of searches that are no faster.
Curve sorted_rates(const std::string& label, const Record& record, double Searched::*seconds) {
  std::vector<double> sorted;
  for (const Searched& search : record.searches) {
    sorted.push_back(static_cast<double>(search.edges) / search.*seconds * 1e-9);
  }
  std::sort(sorted.begin(), sorted.end());
  Curve rates;
  rates.label = label;
  rates.style = CurveStyle::points;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    rates.x.push_back(100.0 * (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size()));
    rates.y.push_back(sorted[i]);
  }
  return rates;
}

/// Sizes of levels of every search, and the rates in their order.
void write_picture(const std::filesystem::path& directory, const Record& record, const Model& model,
                   std::vector<std::string>& names) {
  std::vector<Curve> sizes;
  for (const Searched& search : record.searches) {
    Curve& curve = sizes.emplace_back();
    curve.style = CurveStyle::line_and_points;
    curve.x.push_back(0);
    curve.y.push_back(1);
    for (std::size_t l = 0; l < search.levels.size(); ++l) {
      curve.x.push_back(static_cast<double>(l + 1));
      curve.y.push_back(static_cast<double>(search.levels[l].found));
    }
  }
  names.push_back(model.name + "_levels.png");
  write_curve_picture(directory / names.back(),
                      {{sizes,
                        {.title = fmt::format("vertices of each level, {} searches", sizes.size()),
                         .x_name = "level",
                         .y_name = "vertices",
                         .y_scale = AxisScale::logarithmic}}});
  if (!has_rates(record)) return;
  std::vector<Curve> rates = {sorted_rates("searches", record, &Searched::seconds)};
  if (model.paths) {
    rates.push_back(sorted_rates("shortest paths", record, &Searched::path_seconds));
  }
  names.push_back(model.name + "_teps.png");
  write_curve_picture(directory / names.back(),
                      {{rates,
                        {.title = "rates, sorted",
                         .x_name = "searches",
                         .x_unit = "%",
                         .y_name = "GTEPS",
                         .y_scale = model.paths ? AxisScale::logarithmic : AxisScale::linear}}});
}

}  // namespace

std::vector<double> Record::seconds() const {
  std::vector<double> all;
  for (const Searched& search : searches) all.push_back(search.seconds);
  return all;
}

std::vector<double> Record::counted_edges() const {
  std::vector<double> all;
  for (const Searched& search : searches) all.push_back(static_cast<double>(search.edges));
  return all;
}

Json to_json(const Record& record) {
  Json searches = Json::array();
  for (const Searched& search : record.searches) {
    Json levels = Json::array();
    for (const Level& level : search.levels) levels.push_back(json_of(level));
    searches.push_back({{"root", search.root},
                        {"vertices", search.vertices},
                        {"edges", search.edges},
                        {"seconds", search.seconds},
                        {"validation", search.validation},
                        {"path_seconds", search.path_seconds},
                        {"path_validation", search.path_validation},
                        {"path_checksum", search.path_checksum},
                        {"levels", std::move(levels)}});
  }
  return {{"vertices", record.vertices},
          {"edges", record.edges},
          {"generation", record.generation},
          {"construction", record.construction},
          {"searches", std::move(searches)}};
}

Record record_from(const Json& json) {
  Record record;
  record.vertices = json.at("vertices");
  record.edges = json.at("edges");
  record.generation = json.at("generation");
  record.construction = json.at("construction");
  for (const Json& one : json.at("searches")) {
    Searched& search = record.searches.emplace_back();
    search.root = one.at("root");
    search.vertices = one.at("vertices");
    search.edges = one.at("edges");
    search.seconds = one.at("seconds");
    search.validation = one.at("validation");
    search.path_seconds = one.at("path_seconds");
    search.path_validation = one.at("path_validation");
    search.path_checksum = one.at("path_checksum");
    for (const Json& level : one.at("levels")) {
      search.levels.push_back({level.at("bottom_up"), level.at("found"), level.at("seconds"),
                               level.at("message_seconds"), level.at("bytes")});
    }
  }
  return record;
}

std::uint64_t checksum_of(const Record& record) {
  std::uint64_t sum = 0;
  for (const Searched& search : record.searches) {
    sum = mix(sum ^ static_cast<std::uint64_t>(search.root));
    for (const Level& level : search.levels) {
      sum = mix(sum ^ static_cast<std::uint64_t>(level.found));
    }
  }
  return sum;
}

std::uint64_t path_checksum_of(const Record& record) {
  std::uint64_t sum = 0;
  for (const Searched& search : record.searches) sum = mix(sum ^ search.path_checksum);
  return sum;
}

std::uint64_t checksum_of(const std::vector<Index>& parents, const std::vector<float>& distances) {
  std::uint64_t sum = 0;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    sum = mix(sum ^ static_cast<std::uint64_t>(parents[v]));
    sum = mix(sum ^ std::bit_cast<std::uint32_t>(distances[v]));
  }
  return sum;
}

Json results_of(const Record& record, const Model& model) {
  Json results = {{"vertices", record.vertices},
                  {"input_edges", record.edges},
                  {"generation_seconds", record.generation},
                  {"construction_seconds", record.construction},
                  {"searches", record.searches.size()}};
  const auto add = [&](const std::string& name, const Statistics& values) {
    results[name] = {{"min", values.minimum},        {"first_quartile", values.first_quartile},
                     {"median", values.median},      {"third_quartile", values.third_quartile},
                     {"max", values.maximum},        {"mean", values.mean},
                     {"deviation", values.deviation}};
  };
  add("search_seconds", statistics_of(record.seconds()));
  if (has_rates(record)) {
    const Statistics rates = rates_of(record.counted_edges(), record.seconds());
    add("teps", rates);
    results["harmonic_mean_teps"] = rates.mean;
    const std::vector<double> edges = record.counted_edges();
    results["smallest_component"] =
        static_cast<Index>(*std::min_element(edges.begin(), edges.end()));
  }
  const Measured paths = official_figures(record, model, 1).paths;
  if (!paths.seconds.empty()) {
    add("path_seconds", statistics_of(paths.seconds));
    if (has_rates(record)) add("path_teps", rates_of(record.counted_edges(), paths.seconds));
  }
  const auto validated =
      std::count_if(record.searches.begin(), record.searches.end(),
                    [](const Searched& search) { return search.validation >= 0; });
  results["validated"] = validated;
  Json levels = Json::array();
  for (const LevelTotals& level : totals_of(record)) {
    levels.push_back({{"found", level.found},
                      {"top_down", level.top_down},
                      {"bottom_up", level.bottom_up},
                      {"seconds", level.seconds},
                      {"message_seconds", level.message_seconds},
                      {"bytes_of_first_rank", level.bytes}});
  }
  results["levels"] = std::move(levels);
  return results;
}

OfficialFigures official_figures(const Record& record, const Model& model, int ranks) {
  OfficialFigures figures;
  figures.scale = model.scale;
  figures.edge_factor = model.edge_factor;
  figures.processes = ranks;
  figures.generation = record.generation;
  figures.construction = record.construction;
  figures.edges = record.counted_edges();
  figures.search.seconds = record.seconds();
  for (const Searched& search : record.searches) {
    figures.search.validation.push_back(search.validation);
    if (!model.paths) continue;
    figures.paths.seconds.push_back(search.path_seconds);
    figures.paths.validation.push_back(search.path_validation);
  }
  return figures;
}

std::string report_text(const Record& record, const Model& model) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  line("graph", fmt::format("{} vertices, {} tuples; generated in {:.3g} s, kernel 1 in {:.3g} s",
                            record.vertices, record.edges, record.generation, record.construction));
  const Statistics seconds = statistics_of(record.seconds());
  line("searches", fmt::format("{}, {:.4g} s each ({:.4g} to {:.4g})", record.searches.size(),
                               seconds.mean, seconds.minimum, seconds.maximum));
  if (has_rates(record)) {
    const Statistics rates = rates_of(record.counted_edges(), record.seconds());
    line("TEPS", fmt::format("harmonic mean {} +- {}, {} to {}", rate_text(rates.mean),
                             rate_text(rates.deviation), rate_text(rates.minimum),
                             rate_text(rates.maximum)));
  }
  const Measured paths = official_figures(record, model, 1).paths;
  if (!paths.seconds.empty() && has_rates(record)) {
    line("paths",
         "harmonic mean " + rate_text(rates_of(record.counted_edges(), paths.seconds).mean));
  }
  const auto totals = totals_of(record);
  const auto count = static_cast<double>(std::max<std::size_t>(1, record.searches.size()));
  for (std::size_t l = 0; l < totals.size(); ++l) {
    const LevelTotals& level = totals[l];
    line(l == 0 ? "levels" : "",
         fmt::format("{:>2}: {:>12.0f} vertices, {:>9.3f} ms, of them messages {:.3f} ms, {}",
                     l + 1, static_cast<double>(level.found) / count, level.seconds / count * 1e3,
                     level.message_seconds / count * 1e3,
                     level.top_down == 0    ? "bottom-up"
                     : level.bottom_up == 0 ? "top-down"
                                            : fmt::format("bottom-up in {} of {}", level.bottom_up,
                                                          level.top_down + level.bottom_up)));
  }
  return text;
}

std::vector<std::string> write_files(const std::filesystem::path& directory, const Record& record,
                                     const Model& model, int ranks) {
  std::vector<std::string> names{model.name + "_official.txt", model.name + "_searches.csv",
                                 model.name + "_levels.csv"};
  write_file(directory / names[0], official_output(official_figures(record, model, ranks)));
  write_searches(directory / names[1], record);
  write_levels(directory / names[2], record);
  if (model.picture) write_picture(directory, record, model, names);
  return names;
}

std::vector<std::string> write_tree(const std::filesystem::path& directory, const Model& model,
                                    Index root, const std::vector<Index>& parents,
                                    const std::vector<std::int32_t>& level) {
  const std::vector<std::int32_t> short_parents(parents.begin(), parents.end());
  std::vector<std::string> names;
  const auto write = [&](const char* what, const std::vector<std::int32_t>& values) {
    names.push_back(fmt::format("{}_{}_{}.npy", model.name, what, root));
    write_npy(directory / names.back(),
              dense_view(values.data(), {static_cast<Index>(values.size()), 1, 1}));
  };
  write("parents", short_parents);
  write("levels", level);
  return names;
}

}  // namespace goban::graph500
