#include "goban/backend/tracing/executor.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cpu/executor.hpp"
#include "goban/backend/emulated.hpp"

namespace goban::executor_test {
namespace {

constexpr int delay = 50;  // microseconds, at most

std::shared_ptr<Executor> emulated() { return make_emulated_device(3, 1, delay); }
std::shared_ptr<Executor> cpu() {
  return std::make_shared<CpuExecutor>(std::make_shared<ThreadTeam>(1));
}

TEST(TracingExecutor, IsWhatItTraces) {
  Timeline timeline;
  for (const auto& executor : {emulated(), cpu()}) {
    const auto tracing = make_tracing_executor(executor, timeline);
    EXPECT_EQ(tracing->name(), executor->name());
    EXPECT_EQ(timeline.processes().back(), executor->name());
    EXPECT_EQ(tracing->is_asynchronous(), executor->is_asynchronous());
    EXPECT_EQ(!tracing->temporal_blocking(), !executor->temporal_blocking());
    EXPECT_EQ(!tracing->peers(), !executor->peers());
    EXPECT_EQ(tracing->traits().line, executor->traits().line);
    EXPECT_EQ(tracing->device_memory(), executor->device_memory());
    EXPECT_EQ(tracing->recorder(), nullptr);
  }
}

TEST(TracingExecutor, AsynchronousWorkIsOnTheTimelineOnceItIsWaitedFor) {
  Timeline timeline;
  const auto tracing = make_tracing_executor(emulated(), timeline);
  const EventPtr copied = tracing->copy({}, {Stream::halo, {}, 2, 7});
  const EventPtr filled = tracing->fill({}, {Stream::compute, {copied}, 1, 8});
  EXPECT_EQ(timeline.bars().size(), 0u);
  tracing->synchronize();
  ASSERT_EQ(timeline.bars().size(), 3u);
  const auto& wait = timeline.bars()[0];
  const auto& copy = timeline.bars()[1];
  const auto& fill = timeline.bars()[2];
  EXPECT_EQ(wait.kind, Timeline::Kind::wait);
  EXPECT_EQ(wait.process, Timeline::host);
  EXPECT_EQ(copy.kind, Timeline::Kind::copy);
  EXPECT_EQ(copy.row, Timeline::Row::halo);
  EXPECT_EQ(copy.patch, 2);
  EXPECT_EQ(copy.step, 7);
  EXPECT_EQ(fill.row, Timeline::Row::compute);
  EXPECT_LE(copy.begin, copy.end);
  EXPECT_LE(copy.end, fill.begin) << "it waits for the copy before it begins";
  EXPECT_LE(fill.begin, fill.end);
}

TEST(TracingExecutor, SynchronousWorkIsOnTheTimelineAtOnce) {
  Timeline timeline;
  const auto tracing = make_tracing_executor(cpu(), timeline);
  EXPECT_EQ(tracing->copy({}, {Stream::halo}), nullptr);
  tracing->synchronize();
  ASSERT_EQ(timeline.bars().size(), 1u) << "nobody waits for what is done at once";
  EXPECT_EQ(timeline.bars().front().kind, Timeline::Kind::copy);
}

TEST(TracingExecutor, WorkGoesOnWhenTheTimelineIsFull) {
  Timeline timeline(2);
  const auto tracing = make_tracing_executor(emulated(), timeline);
  EventPtr last;
  for (int i = 0; i < 5; ++i) last = tracing->fill({}, {});
  tracing->synchronize();
  last->wait();
  EXPECT_EQ(timeline.bars().size(), 2u);
  EXPECT_EQ(timeline.left_out(), 4u) << "three fills and the wait";
}

}  // namespace
}  // namespace goban::executor_test
