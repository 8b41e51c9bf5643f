// Runs tests on all ranks that an MPI has started, or on one. Rank 0 reports; others only what
// failed on them. A rank that cannot finish a test ends all, because others may wait for it.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "goban/base/error.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"

namespace {

class RankPrinter : public testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(std::shared_ptr<goban::Communicator> world) : world_(std::move(world)) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[  rank %d  ] %s\n%s:%d: %s\n", world_->rank(), test_.c_str(),
                 result.file_name() == nullptr ? "" : result.file_name(), result.line_number(),
                 result.message());
    std::fflush(nullptr);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->HasFatalFailure()) world_->abandon(1);
  }

 private:
  std::shared_ptr<goban::Communicator> world_;
  std::string test_;
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
