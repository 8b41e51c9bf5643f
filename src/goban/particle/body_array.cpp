#include "goban/particle/body_array.hpp"

#include <algorithm>
#include <array>

namespace goban {
namespace {

constexpr int numbers_of_body = 26;

/// In the order of checkpoints.
std::array<double, numbers_of_body> numbers_of(const device::BodyState& body) {
  std::array<double, numbers_of_body> numbers{};
  auto to = std::copy_n(body.position, 3, numbers.begin());
  to = std::copy_n(body.quaternion, 4, to);
  to = std::copy_n(body.velocity, 3, to);
  to = std::copy_n(body.rotation, 3, to);
  *to++ = static_cast<double>(body.shape);
  to = std::copy_n(body.seen_velocity, 3, to);
  std::copy_n(body.seen_gradient, 9, to);
  return numbers;
}

device::BodyState body_of_numbers(Index id, const std::array<double, numbers_of_body>& numbers) {
  device::BodyState body{};
  body.id = id;
  std::copy_n(numbers.begin(), 3, body.position);
  std::copy_n(numbers.begin() + 3, 4, body.quaternion);
  std::copy_n(numbers.begin() + 7, 3, body.velocity);
  std::copy_n(numbers.begin() + 10, 3, body.rotation);
  body.shape = static_cast<Index>(numbers[13]);
  std::copy_n(numbers.begin() + 14, 3, body.seen_velocity);
  std::copy_n(numbers.begin() + 17, 9, body.seen_gradient);
  return body;
}

/// Even parts of the ids.
Box ids_of(Index count, int ranks, int rank) {
  const auto bound = [&](int r) { return count * r / ranks; };
  return {{bound(rank), 0, 0}, {bound(rank + 1), 1, 1}};
}

}  // namespace

CheckpointArray array_of(const std::shared_ptr<Population>& population) {
  const Index count = population->count();
  CheckpointArray array{.name = "bodies",
                        .type = ElementType::float64,
                        .extents = {count, 1, 1},
                        .components = numbers_of_body};
  const int ranks = population->nodes().communicator().size();
  array.owned_by = [count, ranks](int rank) { return ids_of(count, ranks, rank); };
  array.copy_out = [population](const Box& box, void* elements) {
    const Index n = box.empty() ? 0 : box.extent(0);
    const auto bodies = population->collect(box.lower[0], box.lower[0] + n);
    for (const device::BodyState& body : bodies) {
      const auto numbers = numbers_of(body);
      double* const to = static_cast<double*>(elements) + (body.id - box.lower[0]);
      for (int c = 0; c < numbers_of_body; ++c) to[c * n] = numbers[static_cast<std::size_t>(c)];
    }
  };
  array.copy_in = [population](const Box& box, const void* elements) {
    const Index n = box.empty() ? 0 : box.extent(0);
    std::vector<device::BodyState> bodies;
    for (Index i = 0; i < n; ++i) {
      std::array<double, numbers_of_body> numbers;
      for (int c = 0; c < numbers_of_body; ++c) {
        numbers[static_cast<std::size_t>(c)] = static_cast<const double*>(elements)[c * n + i];
      }
      bodies.push_back(body_of_numbers(box.lower[0] + i, numbers));
    }
    population->replace(bodies);
  };
  return array;
}

}  // namespace goban
