#include "goban/cases/profile_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace goban {
namespace {

using Shape = Profile::Shape;

constexpr std::size_t few = 8;         ///< profiles that one list is short enough for
constexpr std::size_t most_bins = 64;  ///< along an axis

/// Whether it is a body: cells that follow each other in a row lie in it, the others do not.
bool is_body(const Profile& profile) {
  const bool has_ends = profile.shape == Shape::sphere || profile.shape == Shape::box ||
                        profile.shape == Shape::cylinder;
  return has_ends && !profile.wraps();
}

bool is_along(const Profile& body, std::size_t axis) {
  return body.shape == Shape::cylinder && static_cast<int>(axis) == index_of(body.axis);
}

/// Whether the body ends at its corners along this axis, not at a radius.
bool has_ends(const Profile& body, std::size_t axis) {
  return body.shape == Shape::box || is_along(body, axis);
}

double lowest(const Profile& body, std::size_t axis) {
  return has_ends(body, axis) ? body.lower[axis] : body.center[axis] - body.radius;
}

double highest(const Profile& body, std::size_t axis) {
  return has_ends(body, axis) ? body.upper[axis] : body.center[axis] + body.radius;
}

bool is_image(const Profile& profile) {
  return profile.shape == Shape::image || profile.shape == Shape::stl;
}

double part(Position position, std::size_t axis) {
  return axis == 0 ? position.x : axis == 1 ? position.y : position.z;
}

}  // namespace

ProfileRows::ProfileRows(const std::vector<Profile>& profiles, int axis) : profiles_(profiles) {
  const auto along = static_cast<std::size_t>(axis);
  across_ = {along == 0 ? std::size_t{1} : 0, along == 2 ? std::size_t{1} : 2};
  for (const Profile& profile : profiles_) images_.emplace_back(profile.image);
  if (profiles_.size() > few) bins_ = most_bins;
  for (std::size_t side = 0; side < 2; ++side) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Profile& profile : profiles_) {
      if (!is_body(profile)) continue;
      low = std::min(low, lowest(profile, across_[side]));
      high = std::max(high, highest(profile, across_[side]));
    }
    if (!(low < high)) continue;
    low_[side] = low;
    width_[side] = (high - low) / static_cast<double>(bins_);
  }
  in_bin_.resize(bins_ * bins_);
  for (std::size_t p = 0; p < profiles_.size(); ++p) {
    std::array<std::size_t, 2> first{0, 0}, last{bins_ - 1, bins_ - 1};
    for (std::size_t side = 0; side < 2 && is_body(profiles_[p]); ++side) {
      first[side] = bin(side, lowest(profiles_[p], across_[side]));
      last[side] = bin(side, highest(profiles_[p], across_[side]));
    }
    for (std::size_t b = first[1]; b <= last[1]; ++b) {
      for (std::size_t a = first[0]; a <= last[0]; ++a) {
        in_bin_[b * bins_ + a].push_back(static_cast<int>(p));
      }
    }
  }
}

/// Grows with the coordinate, so that what lies between two coordinates lies between their bins.
std::size_t ProfileRows::bin(std::size_t side, double coordinate) const {
  const double number = (coordinate - low_[side]) / width_[side];
  return static_cast<std::size_t>(std::clamp(number, 0.0, static_cast<double>(bins_ - 1)));
}

std::span<const int> ProfileRows::near(const CellRow& row) const {
  if (bins_ == 1) return in_bin_.front();
  const std::size_t a = bin(0, part(row.start, across_[0]));
  const std::size_t b = bin(1, part(row.start, across_[1]));
  return in_bin_[b * bins_ + a];
}

ProfileRows::Cells ProfileRows::reached(const Profile& profile, const CellRow& row) {
  if (!is_body(profile)) return {0, row.count};
  const auto along = static_cast<std::size_t>(row.axis);
  double low = lowest(profile, along), high = highest(profile, along);
  if (!has_ends(profile, along)) {
    double rest = profile.radius * profile.radius;
    for (std::size_t a = 0; a < 3; ++a) {
      const double away = part(row.start, a) - profile.center[a];
      if (a != along && !is_along(profile, a)) rest -= away * away;
    }
    const double half = std::sqrt(std::max(rest, 0.0));
    low = profile.center[along] - half;
    high = profile.center[along] + half;
  }
  // Rounding moves ends by less than a cell; between those that are inside all are.
  const auto cell = [&](double coordinate) {
    const double number = (coordinate - row.coordinate(0)) / row.spacing;
    return static_cast<Index>(std::clamp(number, -4.0, static_cast<double>(row.count) + 4));
  };
  Cells cells{std::max<Index>(cell(low) - 2, 0), std::min(cell(high) + 3, row.count)};
  const auto is_outside = [&](Index i) { return profile.shape_at(row.position(i)) == 0; };
  if (cells.begin >= cells.end) return {0, 0};
  while (cells.begin < cells.end && is_outside(cells.begin)) ++cells.begin;
  while (cells.begin < cells.end && is_outside(cells.end - 1)) --cells.end;
  return cells;
}

void ProfileRows::sum(const CellRow& row, double* values) const {
  std::fill_n(values, row.count, 0.0);
  for (const int p : near(row)) {
    const Profile& profile = profiles_[static_cast<std::size_t>(p)];
    const double height = profile.amplitude;
    const Cells cells = reached(profile, row);
    const auto add = [&](auto&& shape) {
      for (Index i = cells.begin; i < cells.end; ++i) values[i] += height * shape(i);
    };
    if (profile.shape == Shape::mode) {
      // The factors in the order of the axes, as in shape_at: those across are the same everywhere.
      const auto along = static_cast<std::size_t>(row.axis);
      const auto factor = [&](std::size_t a) {
        return a == along ? 1.0 : profile.wave_at(a, part(row.start, a));
      };
      const Real3 f = {factor(0), factor(1), factor(2)};
      const auto wave = [&](Index i) { return profile.wave_at(along, row.coordinate(i)); };
      if (along == 2) {
        add([&](Index i) { return f[0] * f[1] * wave(i); });
      } else if (along == 1) {
        add([&](Index i) { return f[0] * wave(i) * f[2]; });
      } else {
        add([&](Index i) { return wave(i) * f[1] * f[2]; });
      }
    } else if (is_image(profile)) {
      add([&](Index i) { return images_[static_cast<std::size_t>(p)].at(row.index(i)); });
    } else if (profile.shape == Shape::gaussian || profile.wraps()) {
      add([&](Index i) { return profile.shape_at(row.position(i)); });
    } else {
      add([](Index) { return 1.0; });
    }
  }
}

void ProfileRows::paint(const CellRow& row, double* values) const {
  for (const int p : near(row)) {
    const Profile& profile = profiles_[static_cast<std::size_t>(p)];
    const Cells cells = reached(profile, row);
    const ImageWindow& image = images_[static_cast<std::size_t>(p)];
    const bool is_whole = !image && !profile.wraps();
    for (Index i = cells.begin; i < cells.end; ++i) {
      const bool is_inside = is_whole || (image ? image.at(row.index(i)) != 0
                                                : profile.shape_at(row.position(i)) != 0);
      if (is_inside) values[i] = profile.amplitude;
    }
  }
}

BoxFunction ProfileRows::prepare() {
  const bool has_images =
      std::any_of(images_.begin(), images_.end(), [](const auto& image) { return bool(image); });
  if (!has_images) return nullptr;
  return [this](const Box& box) {
    for (ImageWindow& image : images_) {
      if (image) image.show(box);
    }
  };
}

}  // namespace goban
