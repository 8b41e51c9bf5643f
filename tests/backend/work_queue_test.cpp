#include "goban/backend/host/work_queue.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::host::work_queue_test {
namespace {

TEST(WorkQueue, OfSeveralFailuresTheFirstIsThrown) {
  WorkQueue queue;
  for (const char* what : {"the cause", "a consequence"}) {
    queue.push({}, [what] { throw Error(ExitCode::resources, what); });
  }
  EXPECT_EQ(test::error_of([&] { queue.drain(); }), "the cause");
  EXPECT_EQ(test::error_of([&] { queue.drain(); }), "");
}

TEST(WorkQueue, RefusesAProcessThatIsForked) {
  std::optional<WorkQueue> queue(std::in_place);
  queue->push({}, [] {});
  queue->drain();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    const std::string said = test::error_of([&] { queue->push({}, [] {}); });
    const bool is_same = said == test::error_of([&] { queue->drain(); });
    queue.reset();
    ::_exit(is_same && said.starts_with("this process was forked from one") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  queue->push({}, [] {});
  queue->drain();
}

}  // namespace
}  // namespace goban::host::work_queue_test
