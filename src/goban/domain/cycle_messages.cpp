// Halos between ranks: what a cycle sends and receives.

#include <algorithm>
#include <map>

#include "goban/base/stopwatch.hpp"
#include "goban/domain/cycle_run.hpp"
#include "goban/domain/message.hpp"
#include "goban/domain/rounding.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

/// The halo that a message is for.
HaloSide halo_of(const Operation& message) {
  const bool is_send = message.kind == Kind::send;
  return {is_send ? message.other_patch : message.patch, message.axis, message.side};
}

PeerWay::End end_of(const Operation& message) {
  return message.kind == Kind::send ? PeerWay::End::sends : PeerWay::End::receives;
}

/// Where messages of this transport lie that the host moves.
MessagesIn memory_of(Transport transport) {
  return transport == Transport::mpi ? MessagesIn::device : MessagesIn::host;
}

/// All of something that is no field.
Touch touch_whole(const void* what, bool writes) {
  return {static_cast<const std::byte*>(what), {{0, 0, 0}, {1, 1, 1}}, writes};
}

}  // namespace

/// The pieces of a message that are not skipped, here and at the other end: `memory` of the message
/// takes the place of the other patch.
std::vector<CopyTask> CycleRun::message_tasks(const Operation& op, MessageLayout& layout) {
  std::vector<CopyTask> tasks;
  for (const auto& piece : op.pieces) {
    if (is_skipped(op.exchange, piece.item, op.axis)) continue;
    const FieldRecord& field = slots_.field(piece.what.slot);
    const bool is_send = op.kind == Kind::send;
    CopyTask task;
    const FieldBinding cells = component(piece.what.slot, op.patch, piece.what.component);
    const FieldBinding there = layout.add(piece.target, field.order, field.element_size());
    task.source = is_send ? cells : there;
    task.target = is_send ? there : cells;
    task.type = field.type;
    task.order = field.order;
    task.source_box = is_send ? piece.source : piece.target;
    task.target_box = piece.target;
    tasks.push_back(task);
  }
  return tasks;
}

/// Cells that copies to or from a message touch.
std::vector<Touch> CycleRun::message_touches(const Operation& op,
                                             const std::vector<CopyTask>& tasks) {
  const bool is_send = op.kind == Kind::send;
  std::vector<Touch> touches;
  std::size_t next = 0;
  for (const auto& piece : op.pieces) {
    if (is_skipped(op.exchange, piece.item, op.axis)) continue;
    const CopyTask& task = tasks[next++];
    touches.push_back(touch(is_send ? task.source : task.target, piece.what.component,
                            is_send ? task.source_box : task.target_box, !is_send));
  }
  return touches;
}

/// Copies to or from a message, when what was submitted before and touches the same cells is done.
/// Returns when they are.
void CycleRun::run_message(const Operation& op, const std::vector<CopyTask>& tasks) {
  Executor& executor = domain_.executor(op.patch);
  const Submission submission{op.stream, {}, op.patch, clock_.step};
  if (!executor.is_asynchronous()) {
    executor.copy(tasks, submission);
    return;
  }
  EventPtr done;
  submissions_.add(Submissions::Work::moves, submission, message_touches(op, tasks),
                   [&](const Submission& s) { return done = executor.copy(tasks, s); });
  submissions_.flush();
  done->wait();
}

const HaloWay& CycleRun::way_of(const Operation& op) const {
  return domain_.ways().find(end_of(op), halo_of(op));
}

/// Messages from `first` on that belong together: one, where the host moves them, or those that
/// devices hand over without it. Returns the operation after them.
std::size_t CycleRun::messages(std::size_t first) {
  const Stopwatch watch(split_.halo);
  const Operation& leader = schedule_.operations[first];
  if (is_skipped(leader)) return first + 1;
  switch (way_of(leader).transport) {
    case Transport::peer: return hand_over(first);
    case Transport::nccl: return by_group(first);
    default: leader.kind == Kind::send ? send(leader) : receive(leader); return first + 1;
  }
}

/// Messages of one patch and axis, from GPU to GPU.
std::size_t CycleRun::hand_over(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  std::vector<MessageTask> messages;
  std::vector<Touch> touches;
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != leader.kind || op.patch != leader.patch || op.stream != leader.stream) break;
    if (op.exchange != leader.exchange || op.axis != leader.axis) break;
    if (is_skipped(op)) continue;
    PeerWay* const way = way_of(op).peer.get();
    if (!way) break;
    MessageLayout layout(way->message());
    messages.push_back({way, message_tasks(op, layout)});
    const auto more = message_touches(op, messages.back().copies);
    touches.insert(touches.end(), more.begin(), more.end());
  }
  Executor& executor = domain_.executor(leader.patch);
  submissions_.add(Submissions::Work::moves, {leader.stream, {}, leader.patch, clock_.step},
                   std::move(touches),
                   [&executor, messages = std::move(messages)](const Submission& s) {
                     return executor.exchange(messages, s);
                   });
  return i;
}

CycleRun::Phase CycleRun::phase_of(const Operation& message) const {
  const bool in_turn = schedule_.exchanges[static_cast<std::size_t>(message.exchange)].corners;
  return {message.exchange, in_turn ? message.axis : -1};
}

/// Messages by the group of devices: the first one of a phase starts all of it, those that arrive
/// are unpacked as far as they follow each other.
std::size_t CycleRun::by_group(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  const Phase phase = phase_of(leader);
  if (transferred_ != phase) transfer(first);
  transferred_ = phase;
  if (leader.kind == Kind::send) return first + 1;
  std::vector<CopyTask> copies;
  std::vector<Touch> touches;
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != Kind::receive || phase_of(op) != phase) break;
    if (is_skipped(op)) continue;
    const HaloWay& way = way_of(op);
    if (way.transport != Transport::nccl) break;
    MessageLayout layout(way.memory.get());
    const auto tasks = message_tasks(op, layout);
    const auto more = message_touches(op, tasks);
    copies.insert(copies.end(), tasks.begin(), tasks.end());
    touches.insert(touches.end(), more.begin(), more.end());
    touches.push_back(touch_whole(way.memory.get(), false));
  }
  Executor& executor = domain_.executor(leader.patch);
  submissions_.add(Submissions::Work::moves, {leader.stream, {}, leader.patch, clock_.step},
                   std::move(touches),
                   [&executor, copies = std::move(copies)](const Submission& s) {
                     return executor.copy(copies, s);
                   });
  return i;
}

/// Packs what this rank sends in the phase of an operation and starts that together with what it
/// receives: members wait for each other, so they must have all that they do at a time in common.
/// All patches of the rank are one device's.
void CycleRun::transfer(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  DeviceGroup& group = domain_.ways().group();
  std::vector<CopyTask> copies;
  std::vector<Touch> packed, moved{touch_whole(&group, true)};
  std::map<std::pair<HaloSide, PeerWay::End>, Transfer> transfers;  // in the order of both ends
  for (std::size_t i = first; operations[i].kind != Kind::end_exchange; ++i) {
    const Operation& op = operations[i];
    const bool is_message = op.kind == Kind::send || op.kind == Kind::receive;
    if (!is_message || phase_of(op) != phase_of(leader) || is_skipped(op)) continue;
    const HaloWay& way = way_of(op);
    if (way.transport != Transport::nccl) continue;
    std::byte* const memory = way.memory.get();
    MessageLayout layout(memory);
    const auto tasks = message_tasks(op, layout);
    const int member = domain_.ways().member_of(domain_.patches().rank_of(op.other_patch));
    transfers[{halo_of(op), end_of(op)}] = {end_of(op), member, memory, layout.bytes()};
    moved.push_back(touch_whole(memory, op.kind == Kind::receive));
    if (op.kind == Kind::receive) continue;
    const auto more = message_touches(op, tasks);
    copies.insert(copies.end(), tasks.begin(), tasks.end());
    packed.insert(packed.end(), more.begin(), more.end());
    packed.push_back(touch_whole(memory, true));
  }
  std::vector<Transfer> all;
  for (const auto& [key, one] : transfers) all.push_back(one);
  Executor& executor = domain_.executor(leader.patch);
  const Submission submission{leader.stream, {}, leader.patch, clock_.step};
  if (!copies.empty()) {
    submissions_.add(Submissions::Work::moves, submission, std::move(packed),
                     [&executor, copies = std::move(copies)](const Submission& s) {
                       return executor.copy(copies, s);
                     });
  }
  submissions_.add(Submissions::Work::moves, submission, std::move(moved),
                   [&executor, &group, all = std::move(all)](const Submission& s) {
                     return executor.transfer(group, all, s);
                   });
}

void CycleRun::send(const Operation& op) {
  Messages& messages = domain_.messages();
  Executor& executor = domain_.executor(op.patch);
  const std::size_t full = most_bytes(op, slots_), most = most_bytes(op, slots_, precision());
  const MessagesIn in = memory_of(way_of(op).transport);
  Outbox& outbox = messages.outbox(halo_of(op), most, executor, in);
  if (precision() == HaloPrecision::full) {
    std::byte* const message = outbox.next();
    if (in == MessagesIn::host) messages.reached(message, most, executor);
    MessageLayout layout(message);
    run_message(op, message_tasks(op, layout));
    outbox.send(layout.bytes());
    return;
  }
  MessageLayout layout(messages.scratch(full, executor));
  run_message(op, message_tasks(op, layout));
  outbox.send(rounded(op, messages.scratch(full, executor), outbox.next()));
}

void CycleRun::receive(const Operation& op) {
  submissions_.flush();  // others compute while the host waits
  Messages& messages = domain_.messages();
  Executor& executor = domain_.executor(op.patch);
  const std::size_t full = most_bytes(op, slots_), most = most_bytes(op, slots_, precision());
  const MessagesIn in = memory_of(way_of(op).transport);
  Inbox& inbox = messages.inbox(halo_of(op), op.other_patch, most, executor, in);
  auto* message = const_cast<std::byte*>(inbox.next().data());
  if (precision() == HaloPrecision::full) {
    if (in == MessagesIn::host) messages.reached(message, most, executor);
  } else {
    rounded(op, messages.scratch(full, executor), message);
    message = messages.scratch(full, executor);
  }
  MessageLayout layout(message);
  run_message(op, message_tasks(op, layout));
  inbox.release();
}

/// Rounds what is sent, or takes what was received for full values. Returns the bytes that travel.
std::size_t CycleRun::rounded(const Operation& op, std::byte* full, std::byte* on_the_way) {
  std::size_t here = 0, there = 0;
  for (const auto& piece : op.pieces) {
    if (is_skipped(op.exchange, piece.item, op.axis)) continue;
    const ElementType type = slots_.field(piece.what.slot).type;
    const ElementType rounded_type = type_on_the_way(type, precision());
    const Index cells = piece.target.volume();
    if (op.kind == Kind::send) {
      convert(full + here, type, on_the_way + there, rounded_type, cells);
    } else {
      convert(on_the_way + there, rounded_type, full + here, type, cells);
    }
    here += MessageLayout::bytes_of(cells, size_of(type));
    there += MessageLayout::bytes_of(cells, size_of(rounded_type));
  }
  return there;
}

/// All of a message, here and at the other end.
bool CycleRun::is_skipped(const Operation& message) const {
  return std::all_of(message.pieces.begin(), message.pieces.end(), [&](const Piece& piece) {
    return is_skipped(message.exchange, piece.item, message.axis);
  });
}

}  // namespace goban
