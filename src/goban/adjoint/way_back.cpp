#include "goban/adjoint/way_back.hpp"

#include <bit>

#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/checkpoint/manifest.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban::detail {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(double value) { return hex_of(std::bit_cast<std::uint64_t>(value)); }
double number_in(const Json& json) {
  return std::bit_cast<double>(from_hex(json.get<std::string>()));
}

CheckpointArray array_of(const std::shared_ptr<GridState>& grid, const FieldPointer& field) {
  CheckpointArray array{.name = field->name,
                        .type = field->type,
                        .extents = grid->domain(field->location).extents(),
                        .components = field->components};
  array.copy_out = [grid, field](const Box& box, void* elements) {
    grid->storage().copy_out(*field, box, elements);
  };
  array.copy_in = [grid, field](const Box& box, const void* elements) {
    grid->storage().copy_in(*field, box, elements);
  };
  return array;
}

}  // namespace

WayBack::WayBack(const std::filesystem::path& folder, std::string key, const AdjointFields& fields,
                 const AdjointNumbers& numbers)
    : folder_(folder / "way-back"),
      key_(std::move(key)),
      grid_(fields.grid()),
      fields_(fields.all()),
      numbers_(numbers),
      store_(folder_, {.keep = 1}, one_writer(grid_->root->context->communicator())) {}

CheckpointSubject WayBack::subject() const {
  CheckpointSubject subject;
  subject.program = "way back";
  subject.cells = grid_->cells;
  for (const auto& [field, adjoint] : fields_) {
    if (adjoint->is_output) subject.arrays.push_back(array_of(grid_, adjoint));
  }
  return subject;
}

std::optional<WayBack::Place> WayBack::restore() {
  for (const CheckpointEntry& entry : store_.entries()) {
    try {
      const Json details = store_.manifest_of(entry).state.details;
      if (details.value("key", "") != key_) continue;
      store_.restore(entry, subject(), {});
      auto number = details.at("numbers").begin();
      for (const auto& [parameter, gradient] : numbers_) gradient->value = number_in(*number++);
      return Place{details.at("steps left").get<Index>(), number_in(details.at("value"))};
    } catch (const Error& error) {
      if (error.code() != ExitCode::no_checkpoint) throw;  // a damaged one is of no use
    }
  }
  return {};
}

void WayBack::save(const Place& place) {
  Json numbers = Json::array();
  for (const auto& [parameter, gradient] : numbers_) numbers.push_back(text_of(gradient->value));
  CheckpointState state;
  const auto entries = store_.entries();
  state.step = entries.empty() ? 1 : entries.front().step + 1;
  state.details = {{"key", key_},
                   {"steps left", place.steps_left},
                   {"value", text_of(place.value)},
                   {"numbers", std::move(numbers)}};
  store_.save(subject(), state);
}

void WayBack::remove() {
  const auto communicator = grid_->root->context->communicator();
  communicator->barrier();
  std::error_code ignored;
  if (communicator->rank() == 0) std::filesystem::remove_all(folder_, ignored);
  communicator->barrier();
}

}  // namespace goban::detail
