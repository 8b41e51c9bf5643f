#pragma once
// A snapshot with a field of every kind.

#include <vector>

#include "goban/io/snapshot/snapshot.hpp"

namespace goban {

/// Owns the values that its snapshot looks at.
struct SnapshotExample {
  Index3 extents = {5, 4, 3};
  std::vector<float> temperature;
  std::vector<std::uint8_t> alive;
  std::vector<std::int32_t> number;
  std::vector<half> moisture;
  std::vector<double> velocity;
  std::vector<float> populations;
  Snapshot snapshot;

  explicit SnapshotExample(Index step = 100) {
    const auto cells = static_cast<std::size_t>(product(extents));
    for (std::size_t n = 0; n < cells; ++n) {
      temperature.push_back(static_cast<float>(n) + 0.5f * static_cast<float>(step));
      alive.push_back(n % 3 == 0);
      number.push_back(-static_cast<std::int32_t>(n));
      moisture.push_back(half(0.25f * static_cast<float>(n)));
    }
    for (std::size_t n = 0; n < 3 * cells; ++n) velocity.push_back(1e-3 * static_cast<double>(n));
    for (std::size_t n = 0; n < 19 * cells; ++n) populations.push_back(static_cast<float>(n));
    snapshot = {
        .extents = extents,
        .origin = {1, 2, 3},
        .spacing = {0.1, 0.2, 0.25},
        .time = 0.5 * static_cast<double>(step),
        .step = step,
        .fields = {{dense_view(temperature.data(), extents, "temperature"), "K"},
                   {dense_view(alive.data(), extents, "alive")},
                   {dense_view(number.data(), extents, "number")},
                   {dense_view(moisture.data(), extents, "moisture")},
                   {dense_view(ElementType::float64, extents, 3, velocity.data(), "velocity"),
                    "m/s"},
                   {dense_view(ElementType::float32, extents, 19, populations.data(), "f & <g>")}},
        .config = "a = 1\n# caf\xc3\xa9\n",
        .provenance = {{"version", "0.1.0"}, {"machine", ""}}};
  }
  Array values_of(const SnapshotField& field) const {
    Array all(field.type, extents, field.components, field.name);
    field.values({{0, 0, 0}, extents}, all.bytes.data());
    return all;
  }

  SnapshotExample(const SnapshotExample&) = delete;
  SnapshotExample& operator=(const SnapshotExample&) = delete;
};

}  // namespace goban
