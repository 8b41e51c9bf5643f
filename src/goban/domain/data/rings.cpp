#include "goban/domain/data/rings.hpp"

namespace goban {

Rings::Rings(const FieldLayout& layout, Executor& owner)
    : element_(static_cast<Index>(size_of(layout.type))) {
  for (int c = 0; c < layout.components; ++c) {
    memory_.push_back(owner.allocate_mirrored(static_cast<std::size_t>(layout.ring * element_)));
    // Like components of other fields, not at the same place of a page.
    origin_.push_back(layout.origin + c * 17 * owner.traits().line / element_ % layout.ring);
  }
  find_places(0);
}

std::byte* Rings::origin(int component) const {
  const auto c = static_cast<std::size_t>(component);
  return memory_[c].get() + origin_[c] * element_;
}

void Rings::shift(const Rings& from, const FieldLayout& layout,
                  const std::vector<std::array<int, 3>>& offsets) {
  for (std::size_t c = 0; c < offsets.size(); ++c) {
    const auto& [i, j, k] = offsets[c];
    const Index place = from.origin_[c] + layout.offset({i, j, k}) - layout.origin;
    origin_[c] = layout.origin + (place + layout.ring) % layout.ring;
  }
  find_places(from.places_->moves + 1);
}

void Rings::find_places(Index moves) {
  auto places = std::make_shared<ComponentPlaces>();
  places->memory = memory().get();
  places->moves = moves;
  for (int c = 0; c < static_cast<int>(memory_.size()); ++c) {
    places->offset.push_back((origin(c) - origin(0)) / element_);
  }
  places_ = std::move(places);
}

}  // namespace goban
