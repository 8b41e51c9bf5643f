// Fields that are filled again after a run: what lies beyond the walls is as it was.

#include <cstring>
#include <vector>

#include "goban/backend/cpu/executor.hpp"
#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban {
namespace {

using test::Results;
using test::SettingsProduct;

/// A CPU whose memory is written through a buffer, as that of a GPU is.
class BufferedCpu : public CpuExecutor, public DeviceMemory {
 public:
  explicit BufferedCpu(const std::shared_ptr<ThreadTeam>& team) : CpuExecutor(team) {
    offer({.memory = this});
  }
  double copy_bandwidth() override { return 1e9; }
  bool is_finite(const DeviceCells&) override { return true; }
  std::uint64_t checksum(const DeviceCells&) override { return 0; }
  std::byte* staging(std::size_t bytes) override {
    staging_.resize(std::max(staging_.size(), bytes));
    return staging_.data();
  }
  void download(std::byte* to, const std::byte* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void upload(std::byte* to, const std::byte* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }

 private:
  std::vector<std::byte> staging_;
};

/// Sums of what runs leave, before and after the second fill.
Results refill(Grid& grid) {
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("step");
  step.apply(test::Diffusion<double>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  Results results;
  for (const char* name : {"first", "second", "third"}) {
    u.fill(test::pattern);
    engine.run(5, clock);
    results[name] = test::bits(u.sum());
  }
  EXPECT_EQ(results["first"], results["third"]);
  return results;
}

GridOptions heated() {
  return {.cells = {21, 13, 9}, .boundary = {constant(300), constant(200), constant(100)}};
}

TEST(Refilled, ConstantsBeyondTheWallsAreThereAgain) {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"10,11", "6,7", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.steps_per_exchange = {1, 2};
  const auto experiment = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, heated());
    return refill(grid);
  };
  test::expect_same_bits(experiment, product.all());
}

TEST(Refilled, WhereMemoryIsWrittenThroughABuffer) {
  Runtime runtime(test::plainest());
  Grid direct(runtime, heated());
  const Results expected = refill(direct);
  Grid buffered(runtime, heated());
  buffered.state()->store = std::make_unique<Domain>(*buffered.state(), [&](int patches, Helpers) {
    const auto cpu = std::make_shared<BufferedCpu>(
        std::shared_ptr<ThreadTeam>(std::shared_ptr<void>(), &runtime.team()));
    return std::vector<std::shared_ptr<Executor>>(static_cast<std::size_t>(patches), cpu);
  });
  EXPECT_EQ(refill(buffered), expected);
}

}  // namespace
}  // namespace goban
