#include "graph500/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace goban::graph500 {
namespace {

void add_times(std::string& text, const char* kernel, const char* what, const char* format,
               const Statistics& values) {
  const auto line = [&](const char* name, double value) {
    const std::string key = fmt::format("{}{}_{}:", kernel, name, what);
    text += fmt::format("{:<31} {}\n", key, fmt::format(fmt::runtime(format), value));
  };
  line("min", values.minimum);
  line("firstquartile", values.first_quartile);
  line("median", values.median);
  line("thirdquartile", values.third_quartile);
  line("max", values.maximum);
  line("mean", values.mean);
  line("stddev", values.deviation);
}

void add_rates(std::string& text, const char* kernel, const Statistics& rates) {
  const auto line = [&](const char* name, const char* mark, double value) {
    const std::string key = fmt::format("{}{}_TEPS:", kernel, name);
    text += fmt::format("{:<29}{} {:g}\n", key, mark, value);
  };
  line("min", "  ", rates.minimum);
  line("firstquartile", "  ", rates.first_quartile);
  line("median", "  ", rates.median);
  line("thirdquartile", "  ", rates.third_quartile);
  line("max", "  ", rates.maximum);
  line("harmonic_mean", "! ", rates.mean);
  line("harmonic_stddev", "  ", rates.deviation);
}

}  // namespace

Statistics statistics_of(std::vector<double> values) {
  Statistics result;
  const std::size_t n = values.size();
  if (n == 0) return result;
  std::sort(values.begin(), values.end());
  for (const double value : values) result.mean += value;
  result.mean /= static_cast<double>(n);
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (n > 1) result.deviation = std::sqrt(squares / static_cast<double>(n - 1));
  result.minimum = values.front();
  result.first_quartile = (values[(n - 1) / 4] + values[n / 4]) / 2;
  result.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  result.third_quartile = (values[n - 1 - (n - 1) / 4] + values[n - 1 - n / 4]) / 2;
  result.maximum = values.back();
  return result;
}

Statistics rates_of(const std::vector<double>& edges, const std::vector<double>& seconds) {
  std::vector<double> seconds_per_edge(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) seconds_per_edge[i] = seconds[i] / edges[i];
  const Statistics inverse = statistics_of(seconds_per_edge);
  Statistics rates{1 / inverse.maximum,
                   1 / inverse.third_quartile,
                   1 / inverse.median,
                   1 / inverse.first_quartile,
                   1 / inverse.minimum,
                   1 / inverse.mean,
                   0};
  if (edges.size() > 1) {
    rates.deviation = inverse.deviation / (inverse.mean * inverse.mean *
                                           std::sqrt(static_cast<double>(edges.size() - 1)));
  }
  return rates;
}

std::string official_output(const OfficialFigures& figures) {
  std::string text;
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format("{:<31} {}\n", key, value);
  };
  const bool has_paths = !figures.paths.seconds.empty();
  line("SCALE:", fmt::to_string(figures.scale));
  line("edgefactor:", fmt::to_string(figures.edge_factor));
  line("NBFS:", fmt::to_string(figures.edges.size()));
  line("graph_generation:", fmt::format("{:g}", figures.generation));
  line("num_mpi_processes:", fmt::to_string(figures.processes));
  line("construction_time:", fmt::format("{:g}", figures.construction));
  add_times(text, "bfs  ", "time", "{:g}", statistics_of(figures.search.seconds));
  if (has_paths) {
    add_times(text, "sssp ", "time", "{:g}", statistics_of(figures.paths.seconds));
  }
  add_times(text, "", "nedge", "{:.11g}", statistics_of(figures.edges));
  add_rates(text, "bfs  ", rates_of(figures.edges, figures.search.seconds));
  if (has_paths) add_rates(text, "sssp ", rates_of(figures.edges, figures.paths.seconds));
  add_times(text, "bfs  ", "validate", "{:g}", statistics_of(figures.search.validation));
  if (has_paths) {
    add_times(text, "sssp ", "validate", "{:g}", statistics_of(figures.paths.validation));
  }
  return text;
}

}  // namespace goban::graph500
