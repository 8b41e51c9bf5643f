// The state that commands are lowered for, and the state that they leave behind.

#include <algorithm>
#include <exception>

#include "goban/domain/data/domain.hpp"

namespace goban {

Buffer& Domain::memory(MemoryNumber memory) {
  const auto m = static_cast<std::size_t>(memory);
  return m < buffers_.size() ? *buffers_[m] : *spares_[m - buffers_.size()];
}

int Domain::state_number() {
  if (state_ >= 0) return state_;
  buffers_.resize(grid_.fields.size());
  spares_.resize(grid_.fields.size());
  BufferState state;
  for (const auto* buffers : {&buffers_, &spares_}) {
    for (const auto& buffer : *buffers) {
      auto& entry = state.entries.emplace_back();
      if (!buffer) continue;
      entry = {buffer->serial, buffer->halo, buffer->halos, buffer->is_sent, buffer->is_used};
    }
  }
  state.channels = channels_.changes();
  return state_ = states_.number(state);
}

Bindings Domain::bindings() {
  Bindings bindings = bindings_of_patches();
  bindings.state = states_[state_number()];
  for (const auto* buffers : {&buffers_, &spares_}) {
    for (const auto& buffer : *buffers) {
      bindings.layouts.push_back(buffer ? buffer->layout : std::vector<FieldLayout>{});
      bindings.are_halos_reached.push_back(buffer && near_fields_.is_open(buffer->serial));
    }
  }
  if (under_way_ >= 0) bindings.before = hazards_[under_way_];
  return bindings;
}

Bindings Domain::bindings_with(const std::vector<Extents>& halo_of_field) const {
  Bindings bindings = bindings_of_patches();
  const auto fields = static_cast<int>(grid_.fields.size());
  for (int m = 0; m < 2 * fields; ++m) {
    const auto f = static_cast<std::size_t>(m % fields);
    const FieldRecord& field = *grid_.fields[f];
    const Extents halo = f < halo_of_field.size() ? halo_of_field[f] : Extents{};
    const std::vector<ComponentHalo> halos(static_cast<std::size_t>(field.components));
    bindings.state.entries.push_back({m, halo, halos, false, true});
    bindings.are_halos_reached.push_back(true);
    auto& layouts = bindings.layouts.emplace_back();
    for (const auto& patch : patches_) {
      layouts.push_back(layout_of(field, patch, halo, *executors_[patches_.position(patch.patch)]));
    }
  }
  return bindings;
}

Bindings Domain::bindings_of_patches() const {
  Bindings bindings;
  const auto all = executors();
  for (const auto& executor : executors_) {
    const auto at = std::find(all.begin(), all.end(), executor.get()) - all.begin();
    bindings.computers.push_back(
        {static_cast<int>(at), executor->is_helper(), executor->device_memory() != nullptr});
  }
  bindings.is_asynchronous = some_executor().is_asynchronous();
  bindings.channels = channels_.bindings();
  std::vector<const Executor*> with_peers;
  for (const auto& [patch, way] : channels_.peers(channels_.are_peers())) {
    const Executor* its = executors_[patches_.position(patch)].get();
    if (std::find(with_peers.begin(), with_peers.end(), its) != with_peers.end()) continue;
    with_peers.push_back(its);
    bindings.patches_with_peers.push_back(patch);
  }
  return bindings;
}

void Domain::finish(const CommandList& list, int state, int under_way,
                    const std::vector<EventPtr>& events) {
  ++views_number_;
  if (!left_.empty() || !list.left.empty()) {
    std::vector<EventPtr> left;
    for (const Wait wait : list.left) {
      left.push_back(wait >= 0 ? events[static_cast<std::size_t>(wait)]
                               : left_[static_cast<std::size_t>(~wait)]);
    }
    left_ = std::move(left);
  }
  const bool is_forgotten = under_way >= 0 && !hazards_.has(under_way);
  under_way_ = is_forgotten ? hazards_.number(list.hazards) : under_way;
  moved_.resize(list.from.size());
  for (std::size_t m = 0; m < moved_.size(); ++m) {
    auto& buffers = m < buffers_.size() ? buffers_ : spares_;
    moved_[m] = std::move(buffers[m < buffers_.size() ? m : m - buffers_.size()]);
  }
  for (std::size_t m = 0; m < moved_.size(); ++m) {
    auto& buffers = m < buffers_.size() ? buffers_ : spares_;
    auto& buffer = buffers[m < buffers_.size() ? m : m - buffers_.size()];
    buffer = std::move(moved_[static_cast<std::size_t>(list.from[m])]);
    if (!buffer) continue;
    const BufferState::Entry& entry = list.after.entries[m];
    buffer->halos = entry.halos;
    buffer->is_sent = entry.is_sent;
    buffer->is_used = entry.is_used;
  }
  state_ = state;
}

void Domain::look_ahead(const std::function<void()>& work) {
  const int number = state_number(), under_way = under_way_;
  const BufferState now = states_[number];
  const std::vector<EventPtr> left = left_;
  std::vector<std::unique_ptr<Buffer>*> places;
  for (auto* buffers : {&buffers_, &spares_}) {
    for (auto& buffer : *buffers) places.push_back(&buffer);
  }
  std::vector<const Buffer*> before;
  for (const auto* place : places) before.push_back(place->get());
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  std::vector<std::unique_ptr<Buffer>> all;
  for (auto* place : places) all.push_back(std::move(*place));
  for (std::size_t m = 0; m < places.size(); ++m) {
    if (!before[m]) continue;
    auto& buffer = *places[m];
    buffer = std::move(*std::find_if(all.begin(), all.end(),
                                     [&](const auto& one) { return one.get() == before[m]; }));
    buffer->halos = now.entries[m].halos;
    buffer->is_sent = now.entries[m].is_sent;
    buffer->is_used = now.entries[m].is_used;
  }
  state_ = number;
  under_way_ = under_way;
  left_ = left;
  if (error) std::rethrow_exception(error);
}

void Domain::forget_hazards() {
  under_way_ = -1;
  left_.clear();
}

}  // namespace goban
