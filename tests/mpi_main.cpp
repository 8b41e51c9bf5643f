// Runs tests on all ranks that an MPI has started, or on one. Rank 0 reports; others only what
// failed on them. A rank that cannot finish a test ends all, because others may wait for it.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>

#include "goban/base/error.hpp"
#include "goban/domain/transport/mpi_loader.hpp"

namespace {

class RankPrinter : public testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(std::shared_ptr<goban::Communicator> world) : world_(std::move(world)) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "[  rank %d  ] %s.%s\n%s:%d: %s\n", world_->rank(),
                 test == nullptr ? "" : test->test_suite_name(),
                 test == nullptr ? "" : test->name(),
                 result.file_name() == nullptr ? "" : result.file_name(), result.line_number(),
                 result.message());
    std::fflush(nullptr);
    if (result.fatally_failed() && world_->size() > 1) world_->abandon(1);
  }

 private:
  std::shared_ptr<goban::Communicator> world_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    testing::InitGoogleTest(&argc, argv);
    const auto world = goban::world_communicator();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (world->rank() > 0) delete listeners.Release(listeners.default_result_printer());
    if (world->size() > 1) listeners.Append(new RankPrinter(world));
    std::int64_t result = RUN_ALL_TESTS();
    world->maximum({&result, 1});
    return static_cast<int>(result);
  } catch (const goban::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
