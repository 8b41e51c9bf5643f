#include "goban/performance/model/timeline.hpp"

#include <algorithm>

namespace goban {
namespace {

/// The host takes part in moving these messages and does nothing else meanwhile.
bool is_moved_by_host(Transport transport) {
  return transport == Transport::host || transport == Transport::mpi;
}

}  // namespace

void PredictedTimeline::add(const CommandList& list, const CostContext& context) {
  done_.clear();
  int bundled = 0;       // of the commands to come
  bool is_open = false;  // the launch before takes more
  for (const Command& command : list.commands) {
    CommandCost cost = goban::cost(command, context);
    const bool joins = joins_launches(command, context);
    if (bundled > 0 && is_open && joins) cost.launch = 0;
    is_open = joins;
    bundled = std::max(bundled - 1, command.bundled);
    run(command, cost, context);
  }
  std::vector<double> left;
  for (const Wait wait : list.left) left.push_back(ready({wait}));
  left_ = std::move(left);
}

void PredictedTimeline::run(const Command& command, const CommandCost& cost,
                            const CostContext& context) {
  if (std::holds_alternative<DeviceBarrier>(command.what)) {
    return run_barrier(command, cost, context);
  }
  double start = std::max(host_, ready(command.waits));
  if (const auto* reduce = std::get_if<Reduce>(&command.what)) {
    for (const auto& partial : reduce->partials) start = std::max(start, ready({partial.command}));
    host_ = start + cost.of_queue();
    busy_[0] += cost;
    done_.push_back(host_);
    return;
  }
  if (command.patch < 0) {
    if (std::holds_alternative<ScalarStage>(command.what)) {
      host_ = start += cost.of_queue();
      busy_[0] += cost;
    }
    done_.push_back(start);
    return;
  }
  const Queue queue = queue_of(command.patch, command.stream, context);
  start = std::max(start, free_[queue]);
  const auto* arrive = std::get_if<Arrive>(&command.what);
  if (arrive) start = std::max(start, arrival_[arrive->transport]);
  // Two queues of a device share it.
  double& computing = computing_[queue.executor];
  Beside& beside = beside_[queue.executor];
  const bool is_sweep = cost.operations + cost.bytes > 0;
  double end = start + cost.of_queue();
  if (is_sweep) {
    start = std::max(start, computing);
    end = start + cost.of_queue() + std::clamp(beside.end - start, 0.0, beside.seconds);
    computing = end;
    beside = {};
  } else if (start < computing) {
    computing += cost.of_queue();
  } else {
    beside = {std::max(beside.end, end), beside.seconds + cost.of_queue()};
  }
  free_[queue] = end;
  busy_[queue.executor] += cost;
  done_.push_back(end);
  if (const auto* post = std::get_if<Post>(&command.what)) {
    double& arrival = arrival_[post->transport];
    arrival = std::max(arrival, end) + cost.under_way();
    if (is_moved_by_host(post->transport)) host_ = end;
  }
  if (arrive && is_moved_by_host(arrive->transport)) host_ = start;
  if (!has_queues_) host_ = end;
}

/// Queues wait for each other's work, all at once.
void PredictedTimeline::run_barrier(const Command& command, const CommandCost& cost,
                                    const CostContext& context) {
  double last = host_;
  for (const auto& one : std::get<DeviceBarrier>(command.what).all) {
    const Queue queue = queue_of(one.patch, one.stream, context);
    double& free = free_[queue];
    free = std::max({free, host_, ready(one.waits)}) + cost.of_queue();
    busy_[queue.executor] += cost;
    last = std::max(last, free);
  }
  done_.push_back(last);
}

Queue PredictedTimeline::queue_of(int patch, Stream stream, const CostContext& context) const {
  return has_queues_ ? Queue{context.executor_of(patch), stream} : Queue{};
}

double PredictedTimeline::ready(const std::vector<Wait>& waits) const {
  double time = 0;
  for (const Wait wait : waits) {
    const std::vector<double>& times = wait >= 0 ? done_ : left_;
    time = std::max(time, times[static_cast<std::size_t>(wait >= 0 ? wait : ~wait)]);
  }
  return time;
}

double PredictedTimeline::now() const {
  double time = host_;
  for (const auto& [queue, free] : free_) time = std::max(time, free);
  return time;
}

CommandCost PredictedTimeline::busiest() const {
  CommandCost most;
  for (const auto& [executor, cost] : busy_) {
    if (cost.of_queue() > most.of_queue()) most = cost;
  }
  return most;
}

}  // namespace goban
