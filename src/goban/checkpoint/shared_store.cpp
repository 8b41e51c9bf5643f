#include "goban/checkpoint/shared_store.hpp"

#include <nlohmann/json.hpp>

#include "goban/base/agreement.hpp"
#include "goban/base/lead.hpp"

namespace goban {
SharedStore::SharedStore(std::unique_ptr<CheckpointStore> own,
                         std::shared_ptr<Communicator> communicator)
    : own_(std::move(own)), communicator_(std::move(communicator)) {}

void SharedStore::save(const CheckpointSubject& subject, const CheckpointState& state) {
  own_->save(subject, state);
}

std::optional<CheckpointState> SharedStore::load(const CheckpointChoice& choice,
                                                 const CheckpointSubject& subject, const Log& log) {
  std::optional<CheckpointState> state;
  const auto lead = [&](const Announce& announce) {
    CheckpointSubject announced = subject;
    for (std::size_t i = 0; i < subject.arrays.size(); ++i) {
      announced.arrays[i].copy_in = [&, i](const Box& box, const void* elements) {
        announce(static_cast<std::int64_t>(i));
        subject.arrays[i].copy_in(box, elements);
      };
    }
    state = own_->load(choice, announced, log);
  };
  lead_ranks(*communicator_, lead, [&](std::int64_t i) {
    subject.arrays[static_cast<std::size_t>(i)].copy_in({}, nullptr);
  });
  struct Head {
    Index step = -1;
    double time = 0;
    std::uint64_t bytes = 0;
  } head;
  std::string details;
  if (state) {
    details = state->details.dump();
    head = {state->step, state->time, details.size()};
  }
  communicator_->broadcast(std::as_writable_bytes(std::span(&head, 1)), 0);
  if (head.step < 0) return std::nullopt;
  details.resize(head.bytes);
  communicator_->broadcast(std::as_writable_bytes(std::span(details)), 0);
  return CheckpointState{head.step, head.time, nlohmann::ordered_json::parse(details)};
}

void SharedStore::set_aside_after(Index step) {
  agree(*communicator_, [&] {
    if (is_first()) own_->set_aside_after(step);
  });
}

std::string SharedStore::set_aside_all() {
  std::string moved;
  agree(*communicator_, [&] {
    if (is_first()) moved = own_->set_aside_all();
  });
  return moved;
}

}  // namespace goban
