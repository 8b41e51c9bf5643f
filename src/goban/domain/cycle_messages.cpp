// Halos between ranks: what a cycle sends and receives.

#include <algorithm>

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

PeerWay* CycleRun::way_of(const Operation& op) const {
  const bool is_send = op.kind == Kind::send;
  return domain_.ways().find(is_send ? PeerWay::End::sends : PeerWay::End::receives, halo_of(op));
}

/// Messages from `first` on that belong together: one, by the host, or those of one patch and phase
/// that devices hand over without it. Returns the operation after them.
std::size_t CycleRun::messages(std::size_t first) {
  const Stopwatch watch(split_.halo);
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  if (!is_skipped(leader) && !way_of(leader)) {
    leader.kind == Kind::send ? send(leader, halo_of(leader)) : receive(leader, halo_of(leader));
    return first + 1;
  }
  std::vector<MessageTask> messages;
  std::vector<Touch> touches;
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != leader.kind || op.patch != leader.patch || op.stream != leader.stream) break;
    if (op.exchange != leader.exchange || op.axis != leader.axis) break;
    if (is_skipped(op)) continue;
    PeerWay* const way = way_of(op);
    if (!way) break;
    MessageLayout layout(way->message());
    messages.push_back({way, message_tasks(op, layout)});
    const auto more = message_touches(op, messages.back().copies);
    touches.insert(touches.end(), more.begin(), more.end());
  }
  if (messages.empty()) return i;
  Executor& executor = domain_.executor(leader.patch);
  submissions_.add(Submissions::Work::moves, {leader.stream, {}, leader.patch, clock_.step},
                   std::move(touches),
                   [&executor, messages = std::move(messages)](const Submission& s) {
                     return executor.exchange(messages, s);
                   });
  return i;
}

void CycleRun::send(const Operation& op, const HaloSide& halo) {
  Messages& messages = domain_.messages();
  Executor& executor = domain_.executor(op.patch);
  const std::size_t full = most_bytes(op, slots_), most = most_bytes(op, slots_, precision());
  Outbox& outbox = messages.outbox(halo, most);
  if (precision() == HaloPrecision::full) {
    MessageLayout layout(messages.reached(outbox.next(), most, executor));
    run_message(op, message_tasks(op, layout));
    outbox.send(layout.bytes());
    return;
  }
  MessageLayout layout(messages.scratch(full, executor));
  run_message(op, message_tasks(op, layout));
  outbox.send(rounded(op, messages.scratch(full, executor), outbox.next()));
}

void CycleRun::receive(const Operation& op, const HaloSide& halo) {
  submissions_.flush();  // others compute while the host waits
  Messages& messages = domain_.messages();
  Executor& executor = domain_.executor(op.patch);
  const std::size_t full = most_bytes(op, slots_), most = most_bytes(op, slots_, precision());
  Inbox& inbox = messages.inbox(halo, op.other_patch, most);
  auto* message = const_cast<std::byte*>(inbox.next().data());
  if (precision() == HaloPrecision::full) {
    messages.reached(message, most, executor);
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
