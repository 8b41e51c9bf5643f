#include "goban/checkpoint/shared_store.hpp"

#include <nlohmann/json.hpp>

#include "goban/base/agreement.hpp"

namespace goban {
namespace {

/// What the first rank does next.
struct Call {
  enum class Kind : std::int64_t { over, copy_out, copy_in } kind = Kind::over;
  std::int64_t array = 0;
};

void tell(Communicator& communicator, Call& call) {
  communicator.broadcast(std::as_writable_bytes(std::span(&call, 1)), 0);
}

void follow(Communicator& communicator, const CheckpointSubject& subject) {
  for (;;) {
    Call call;
    tell(communicator, call);
    if (call.kind == Call::Kind::over) return;
    const CheckpointArray& array = subject.arrays[static_cast<std::size_t>(call.array)];
    if (call.kind == Call::Kind::copy_out) {
      array.copy_out({}, nullptr);
    } else {
      array.copy_in({}, nullptr);
    }
  }
}

}  // namespace

SharedStore::SharedStore(std::unique_ptr<CheckpointStore> own,
                         std::shared_ptr<Communicator> communicator)
    : own_(std::move(own)), communicator_(std::move(communicator)) {}

void SharedStore::together(const CheckpointSubject& subject,
                           const std::function<void(const CheckpointSubject& subject)>& work) {
  agree(*communicator_, [&] {
    if (!is_first()) return follow(*communicator_, subject);
    CheckpointSubject announced = subject;
    for (std::size_t i = 0; i < subject.arrays.size(); ++i) {
      const CheckpointArray& array = subject.arrays[i];
      const auto announce = [this, i](Call::Kind kind) {
        Call call{kind, static_cast<std::int64_t>(i)};
        tell(*communicator_, call);
      };
      announced.arrays[i].copy_out = [&array, announce](const Box& box, void* elements) {
        announce(Call::Kind::copy_out);
        array.copy_out(box, elements);
      };
      announced.arrays[i].copy_in = [&array, announce](const Box& box, const void* elements) {
        announce(Call::Kind::copy_in);
        array.copy_in(box, elements);
      };
    }
    std::optional<Error> error;
    try {
      work(announced);
    } catch (const Error& e) {
      error = e;
    }
    Call over;
    tell(*communicator_, over);
    if (error) throw *error;
  });
}

void SharedStore::save(const CheckpointSubject& subject, const CheckpointState& state) {
  together(subject, [&](const CheckpointSubject& all) { own_->save(all, state); });
}

std::optional<CheckpointState> SharedStore::load(const CheckpointChoice& choice,
                                                 const CheckpointSubject& subject, const Log& log) {
  std::optional<CheckpointState> state;
  together(subject, [&](const CheckpointSubject& all) { state = own_->load(choice, all, log); });
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
