// Lowers halo messages between ranks and decides which of them travel together.

#include <algorithm>
#include <tuple>

#include "goban/lowering/lowering.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

bool is_message(const Operation& op) { return op.kind == Kind::send || op.kind == Kind::receive; }

/// Returns the halo that a message is for.
HaloSide halo_of(const Operation& message) {
  const bool is_send = message.kind == Kind::send;
  const int sender = is_send ? message.patch : message.other_patch;
  return {is_send ? message.other_patch : message.patch, message.axis, message.side,
          message.moves ? sender : -1};
}

MessageEnd end_of(const Operation& message) {
  return message.kind == Kind::send ? MessageEnd::sends : MessageEnd::receives;
}

/// Returns the touch of all of a memory that is no field.
Touch touch_whole(MemoryNumber what, bool writes) {
  return {what, 0, 0, {{0, 0, 0}, {1, 1, 1}}, writes};
}

}  // namespace

const ChannelBinding& Lowering::channel_of(const Operation& op) const {
  return bindings_.channels.at({end_of(op), halo_of(op)});
}

/// Whether nothing of a message is stale; both ends come to the same answer.
bool Lowering::is_skipped(const Operation& message) const {
  return std::all_of(message.pieces.begin(), message.pieces.end(), [&](const Piece& piece) {
    return is_skipped(message.exchange, piece.item, message.axis);
  });
}

HaloMessage Lowering::message_of(const Operation& op) const {
  HaloMessage message{end_of(op),
                      halo_of(op),
                      channel_of(op).number,
                      schedule_.patches.rank_of(op.other_patch),
                      {}};
  for (const auto& piece : op.pieces) {
    if (!is_skipped(op.exchange, piece.item, op.axis)) message.pieces.push_back(copy_of(op, piece));
  }
  return message;
}

/// Adds the cells that a message reads or writes on this rank.
void Lowering::touch_message(const HaloMessage& message, std::vector<Touch>& touches) const {
  const bool sends = message.end == MessageEnd::sends;
  for (const CellCopy& piece : message.pieces) {
    touches.push_back(touch(sends ? piece.source_memory : piece.memory,
                            sends ? piece.from : piece.to, piece.what.component,
                            cells_of(piece, message.end), !sends));
  }
}

template <class What>
void Lowering::add_messages(const Operation& leader, What what, std::vector<Touch> touches) {
  Command command = this->command(leader.patch, leader.stream);
  for (const HaloMessage& message : what.messages) {
    for (const CellCopy& piece : message.pieces) {
      command.bytes += bytes_of(piece.what, piece.target) / 2;
    }
  }
  command.what = std::move(what);
  order_.add(std::move(command), std::move(touches));
}

std::size_t Lowering::messages(std::size_t first) {
  const Operation& leader = schedule_.operations[first];
  if (is_skipped(leader)) return first + 1;
  switch (channel_of(leader).transport) {
    case Transport::peer: return hand_over(first);
    case Transport::nccl: return by_group(first);
    default: by_host(leader); return first + 1;
  }
}

/// Lowers the peer-to-peer messages of one patch and axis as one command.
std::size_t Lowering::hand_over(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  std::vector<HaloMessage> messages;
  std::vector<Touch> touches;
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != leader.kind || op.patch != leader.patch || op.stream != leader.stream) break;
    if (op.exchange != leader.exchange || op.axis != leader.axis) break;
    if (is_skipped(op)) continue;
    if (channel_of(op).transport != Transport::peer) break;
    touch_message(messages.emplace_back(message_of(op)), touches);
  }
  if (leader.kind == Kind::send) {
    add_messages(leader, Post{Transport::peer, std::move(messages)}, std::move(touches));
  } else {
    add_messages(leader, Arrive{Transport::peer, std::move(messages)}, std::move(touches));
  }
  return i;
}

Lowering::Phase Lowering::phase_of(const Operation& message) const {
  const bool in_turn = schedule_.exchanges[static_cast<std::size_t>(message.exchange)].corners;
  return {message.exchange, in_turn ? message.axis : -1};
}

/// Lowers messages by the group of devices (NCCL). The first message of a phase starts all messages
/// of the phase, sent and received: members wait for each other, so they must start everything that
/// travels at a time together. Consecutive messages that arrive are unpacked by one command.
std::size_t Lowering::by_group(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  const Phase phase = phase_of(leader);
  if (transferred_ != phase) {
    transferred_ = phase;
    Post post{Transport::nccl, {}};
    std::vector<Touch> touches{touch_whole(memory_of_group, true)};
    for (std::size_t i = first; operations[i].kind != Kind::end_exchange; ++i) {
      const Operation& op = operations[i];
      if (!is_message(op) || phase_of(op) != phase || is_skipped(op)) continue;
      if (channel_of(op).transport != Transport::nccl) continue;
      const HaloMessage& message = post.messages.emplace_back(message_of(op));
      touches.push_back(touch_whole(memory_of_channel(message.channel), true));
      if (op.kind == Kind::send) touch_message(message, touches);
    }
    // Both ends have those of a pair in the same order.
    std::sort(post.messages.begin(), post.messages.end(), [](const auto& a, const auto& b) {
      return std::tie(a.halo, a.end) < std::tie(b.halo, b.end);
    });
    add_messages(leader, std::move(post), std::move(touches));
  }
  if (leader.kind == Kind::send) return first + 1;
  Arrive arrive{Transport::nccl, {}};
  std::vector<Touch> touches;
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != Kind::receive || phase_of(op) != phase) break;
    if (is_skipped(op)) continue;
    if (channel_of(op).transport != Transport::nccl) break;
    const HaloMessage& message = arrive.messages.emplace_back(message_of(op));
    touch_message(message, touches);
    touches.push_back(touch_whole(memory_of_channel(message.channel), false));
  }
  add_messages(leader, std::move(arrive), std::move(touches));
  return i;
}

/// Lowers a message that the host moves. The host waits until it is packed or has arrived, while
/// executors compute.
void Lowering::by_host(const Operation& op) {
  std::vector<Touch> touches;
  HaloMessage message = message_of(op);
  touch_message(message, touches);
  const Transport transport = channel_of(op).transport;
  order_.flush();
  if (op.kind == Kind::send) {
    add_messages(op, Post{transport, {std::move(message)}}, std::move(touches));
  } else {
    add_messages(op, Arrive{transport, {std::move(message)}}, std::move(touches));
  }
  order_.flush();
}

}  // namespace goban
