#include "goban/program/samples.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban {

std::size_t Samples::add(const std::shared_ptr<FieldRecord>& field, const Box& box) {
  const Box all = grid_->domain(field->location);
  require(!box.empty() && intersection(all, box) == box,
          "values " + to_string(box) + " of field '" + field->name + "' cannot be sampled",
          "it has " + to_string(all));
  const auto known = std::find(fields_.begin(), fields_.end(), field);
  Part part{static_cast<std::size_t>(known - fields_.begin()), box, bytes_, 0};
  if (known == fields_.end()) fields_.push_back(field);
  const auto values = static_cast<std::size_t>(box.volume() * field->components);
  part.bytes = values * field->element_size();
  bytes_ += (part.bytes + 7) / 8 * 8;
  parts_.push_back(part);
  return parts_.size() - 1;
}

}  // namespace goban
