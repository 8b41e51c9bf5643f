#include "goban/backend/host/work_queue.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace goban::host::work_queue_test
