// Fields that are filled again after a run: what lies beyond the walls is as it was.

#include <cstring>
#include <vector>

#include "goban/backend/cpu/executor.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::refilled_test {
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
  void look_for_nonfinite(const std::vector<DeviceCells>&) override {}
  std::uint64_t first_nonfinite() override { return Domain::none_is_nonfinite; }
  std::uint64_t checksum(const DeviceCells&) override { return 0; }
  void reduce(const DeviceCells& cells, Reducer& reducer) override {
    const auto* const values = reinterpret_cast<const double*>(cells.origin);
    each_cell(cells.box, [&](Index3 at) {
      const Index place =
          at[0] * cells.stride[0] + at[1] * cells.stride[1] + at[2] * cells.stride[2];
      reducer.add(values + place, 1);
    });
  }
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

/// A grid of BufferedCpu.
void buffer(Grid& grid, Runtime& runtime) {
  grid.state()->store = std::make_unique<Domain>(*grid.state(), [&](int patches, Helpers) {
    const auto cpu = std::make_shared<BufferedCpu>(
        std::shared_ptr<ThreadTeam>(std::shared_ptr<void>(), &runtime.team()));
    return std::vector<std::shared_ptr<Executor>>(static_cast<std::size_t>(patches), cpu);
  });
}

TEST(Refilled, WhereMemoryIsWrittenThroughABuffer) {
  Runtime runtime(test::plainest());
  Grid direct(runtime, heated());
  Grid buffered(runtime, heated());
  buffer(buffered, runtime);
  EXPECT_EQ(refill(buffered), refill(direct));
}

/// Parts of 32 MiB move while the host works on others.
TEST(Refilled, WhereTheBufferTakesManyParts) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {200, 200, 320}});
  buffer(grid, runtime);
  Field<double> u(grid, "u");
  u.fill(test::pattern);
  const Box all{{0, 0, 0}, {200, 200, 320}};
  std::vector<double> expected;
  each_cell(all, [&](Index3 at) { expected.push_back(test::pattern(at)); });
  EXPECT_TRUE(u.copy_out() == expected);
  const Box inner{{3, 1, 2}, {199, 200, 319}};
  u.copy_in(std::vector<double>(static_cast<std::size_t>(inner.volume()), 7), inner);
  std::size_t next = 0;
  each_cell(all, [&](Index3 at) {
    if (inner.contains(at)) expected[next] = 7;
    ++next;
  });
  EXPECT_TRUE(u.copy_out() == expected);
}

}  // namespace
}  // namespace goban::refilled_test
