#include "goban/cases/ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/io/case/table.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban {
namespace {

/// Heights in columns, x fastest, whose neighbours beyond the ends wrap or are the last.
struct Heights {
  std::array<Index, 2> columns{};
  std::array<bool, 2> wraps{};
  std::vector<double> values;

  Index inside(std::size_t axis, Index n) const {
    const Index count = columns[axis];
    return wraps[axis] ? (n % count + count) % count : std::clamp<Index>(n, 0, count - 1);
  }
  double& at(Index i, Index j) {
    return values[static_cast<std::size_t>(inside(0, i) + columns[0] * inside(1, j))];
  }
  double at(Index i, Index j) const { return const_cast<Heights*>(this)->at(i, j); }
};

Heights read_heights(const std::filesystem::path& file, const std::string& unit) {
  Heights heights;
  if (file.extension() == ".csv" || file.extension() == ".txt") {
    const UserTable table = read_table(file);
    heights.columns = {table.columns(), table.rows()};
    heights.values.resize(static_cast<std::size_t>(table.columns() * table.rows()));
    for (Index i = 0; i < table.columns(); ++i) {
      const std::vector<double> column = table.in(i, unit);
      for (Index j = 0; j < table.rows(); ++j) {
        heights.values[static_cast<std::size_t>(i + table.columns() * j)] =
            column[static_cast<std::size_t>(j)];
      }
    }
    return heights;
  }
  const auto image = open_image(file);
  const Index3 extents = image->extents();
  if (extents[2] != 1) {
    throw_unreadable(file, fmt::format("it has {} layers", extents[2]), "give rows of numbers");
  }
  heights.columns = {extents[0], extents[1]};
  const Array array = image->read({{0, 0, 0}, extents});
  for (Index j = 0; j < extents[1]; ++j) {
    for (Index i = 0; i < extents[0]; ++i) heights.values.push_back(array.at(i, j, 0));
  }
  return heights;
}

/// Mean of the columns of the file within column (i, j), `ratio` along each axis.
double mean_within(const Heights& file, Index i, Index j, std::array<Index, 2> ratio) {
  double sum = 0;
  for (Index b = 0; b < ratio[1]; ++b) {
    for (Index a = 0; a < ratio[0]; ++a) sum += file.at(i * ratio[0] + a, j * ratio[1] + b);
  }
  return sum / static_cast<double>(ratio[0] * ratio[1]);
}

double interpolated(const Heights& file, Index i, Index j, std::array<Index, 2> cells) {
  std::array<Index, 2> low{};
  std::array<double, 2> share{};
  const std::array<Index, 2> at{i, j};
  for (std::size_t a = 0; a < 2; ++a) {
    const double place = (static_cast<double>(at[a]) + 0.5) * static_cast<double>(file.columns[a]) /
                             static_cast<double>(cells[a]) -
                         0.5;
    low[a] = static_cast<Index>(std::floor(place));
    share[a] = place - static_cast<double>(low[a]);
  }
  const auto row = [&](Index y) {
    return (1 - share[0]) * file.at(low[0], y) + share[0] * file.at(low[0] + 1, y);
  };
  return (1 - share[1]) * row(low[1]) + share[1] * row(low[1] + 1);
}

Heights on_grid(const Heights& file, std::array<Index, 2> cells) {
  Heights ground{.columns = cells, .wraps = file.wraps, .values = {}};
  const std::array<Index, 2> ratio{file.columns[0] / cells[0], file.columns[1] / cells[1]};
  const bool is_whole =
      ratio[0] * cells[0] == file.columns[0] && ratio[1] * cells[1] == file.columns[1];
  for (Index j = 0; j < cells[1]; ++j) {
    for (Index i = 0; i < cells[0]; ++i) {
      ground.values.push_back(is_whole ? mean_within(file, i, j, ratio)
                                       : interpolated(file, i, j, cells));
    }
  }
  return ground;
}

/// The largest difference of neighbours, m.
double largest_step(const Heights& ground) {
  double most = 0;
  for (Index j = 0; j < ground.columns[1]; ++j) {
    for (Index i = 0; i < ground.columns[0]; ++i) {
      most = std::max({most, std::abs(ground.at(i + 1, j) - ground.at(i, j)),
                       std::abs(ground.at(i, j + 1) - ground.at(i, j))});
    }
  }
  return most;
}

Heights smoothed(const Heights& ground) {
  const auto pass = [](const Heights& from, Index di, Index dj) {
    Heights to = from;
    for (Index j = 0; j < from.columns[1]; ++j) {
      for (Index i = 0; i < from.columns[0]; ++i) {
        to.at(i, j) =
            0.5 * from.at(i, j) + 0.25 * (from.at(i - di, j - dj) + from.at(i + di, j + dj));
      }
    }
    return to;
  };
  return pass(pass(ground, 1, 0), 0, 1);
}

double highest(const Heights& ground) {
  return *std::max_element(ground.values.begin(), ground.values.end());
}

void check_shape(const Case& values, const std::string& key, const Heights& file,
                 std::array<Index, 2> cells) {
  if (file.columns[0] * cells[1] == file.columns[1] * cells[0]) return;
  throw values.error(
      key,
      fmt::format("{} columns along x and {} along y are refused", file.columns[0],
                  file.columns[1]),
      fmt::format("the grid has {} and {}", cells[0], cells[1]),
      file.columns[0] * cells[0] == file.columns[1] * cells[1]
          ? "transpose it: the last axis of an NPY file and rows of a table go along x"
          : "give as many, or both times the same factor");
}

/// Smooths until neighbours differ by `steepest` at most.
Heights smoothed_until(const Case& values, const std::string& key, double steepest,
                       Heights ground) {
  const double before = largest_step(ground), top = highest(ground);
  constexpr int most_passes = 10000;
  int passes = 0;
  for (; largest_step(ground) > steepest && passes < most_passes; ++passes) {
    ground = smoothed(ground);
  }
  const double after = largest_step(ground);
  if (after > steepest) {
    throw values.error(key, "the ground is too steep",
                       fmt::format("neighbours differ by {:.4g} m after {} passes, {:.4g} m are "
                                   "allowed",
                                   after, passes, steepest),
                       "allow steeper ground");
  }
  if (passes > 0) {
    values.warn(
        fmt::format("{}: smoothed in {} pass{}: neighbours differ by {:.4g} m at most "
                    "(before by {:.4g} m), the summit is {:.6g} m high (before {:.6g} m)",
                    key, passes, passes == 1 ? "" : "es", after, before, highest(ground), top));
  }
  return ground;
}

}  // namespace

std::vector<double> read_columns(const Case& values, const std::string& key,
                                 const std::array<bool, 2>& wraps, const std::string& unit,
                                 double low, double high) {
  const Index3 cells = values.integer3("grid.cells");
  Heights file = read_heights(values.path(key), unit);
  file.wraps = wraps;
  check_shape(values, key, file, {cells[0], cells[1]});
  for (const double value : file.values) {
    if (value >= low && value <= high) continue;
    throw values.error(key, fmt::format("{:.6g} {} is refused", value, unit),
                       fmt::format("numbers lie between {:g} and {:g}", low, high));
  }
  return on_grid(file, {cells[0], cells[1]}).values;
}

std::vector<double> read_ground(const Case& values, const std::string& key, double steepest,
                                const std::array<bool, 2>& wraps) {
  constexpr double highest_of_all = 9000;  // m
  const Index3 cells = values.integer3("grid.cells");
  const Heights ground{.columns = {cells[0], cells[1]},
                       .wraps = wraps,
                       .values = read_columns(values, key, wraps, "m", 0, highest_of_all)};
  return smoothed_until(values, key, steepest, ground).values;
}

}  // namespace goban
