// What executors of GPUs do between the calls of kernels, on GPUs that are not there: these refuse
// calls without a current device and launches that no GPU can do.

#include "goban/backend/cuda/driver/rehearsal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/backend/cuda/transfer/links.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/particle/bodies.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sparse/lattice.hpp"

namespace goban::cuda::rehearsal_test {
namespace {

using Executors = std::vector<std::shared_ptr<Executor>>;

class Rehearsal : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (is_rehearsal()) return;
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    refusal() = test::error_of([] { rehearse(90, 2); });
    if (!refusal().empty()) return;
    static const test::ScratchFolder kernels;
    setenv("GOBAN_KERNEL_CACHE", kernels.path().c_str(), 1);
  }
  void SetUp() override {
    if (!refusal().empty()) GTEST_SKIP() << refusal();
    if (!nvrtc_refusal().empty()) GTEST_SKIP() << nvrtc_refusal();
  }

  static std::string& refusal() {
    static std::string text;
    return text;
  }
  static Executors executors() {
    return make_executors(
        {0, 1}, [](Index n, const std::function<void(Index, Index)>& work) { work(0, n); },
        "preset");
  }
  /// By this thread, and by one that never had a current device.
  template <class Work>
  static void by_two_threads(const Work& work) {
    work();
    std::thread(work).join();
  }
};

CopyTask some_copy(const std::byte* from, std::byte* to) {
  CopyTask copy;
  copy.source.read = from;
  copy.target.write = to;
  copy.source.stride = copy.target.stride = {1, 16, 256};
  copy.source_box = copy.target_box = {{0, 0, 0}, {10, 10, 10}};
  return copy;
}

FillTask some_fill(std::byte* cells, const BoundaryCondition& condition) {
  FillTask fill;
  fill.type = ElementType::float64;
  fill.field.stride = {1, 20, 400};
  fill.field.write = cells + sizeof(double) * (2 + 2 * 20 + 2 * 400);
  fill.field.read = fill.field.write;
  fill.box = {{-2, 0, 0}, {0, 10, 10}};
  fill.cells = 10;
  fill.condition = condition;
  return fill;
}

TEST_F(Rehearsal, QueuesThatWaitForARecordingAreRecorded) {
  using Status = CUstreamCaptureStatus;
  const Executors devices = executors();  // make a device current
  const auto status_of = [](CUstream queue) {
    Status status{};
    check(driver().cuStreamIsCapturing(queue, &status), "asking");
    return status;
  };
  CUstream compute = nullptr, halo = nullptr;
  CUevent event = nullptr;
  check(driver().cuCtxSetCurrent(context_of(0)), "beginning");
  check(driver().cuStreamCreateWithPriority(&compute, 0, 0), "beginning");
  check(driver().cuStreamCreateWithPriority(&halo, 0, 0), "beginning");
  check(driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "beginning");
  check(driver().cuStreamBeginCapture(compute, CU_STREAM_CAPTURE_MODE_RELAXED), "recording");
  EXPECT_EQ(status_of(halo), CU_STREAM_CAPTURE_STATUS_NONE);
  check(driver().cuEventRecord(event, compute), "recording");
  check(driver().cuStreamWaitEvent(halo, event, 0), "recording");
  EXPECT_EQ(status_of(halo), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr;
  check(driver().cuStreamEndCapture(compute, &graph), "recording");
  EXPECT_EQ(status_of(halo), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Rehearsal, KnowsItsDevices) {
  EXPECT_EQ(device_count(), 2);
  EXPECT_EQ(devices().at(1).name, "none, sm_90");
  EXPECT_NE(test::error_of([] {
              make_executors({2}, {}, "preset");
            }).find("there is no GPU 2 (this machine has 2)"),
            std::string::npos);
}

TEST_F(Rehearsal, MemoryAndLooksAtIt) {
  const Executors all = executors();
  by_two_threads([&] {
    for (const auto& one : all) {
      const auto memory = one->allocate(1 << 20);
      const auto ring =
          one->allocate_mirrored(static_cast<std::size_t>(one->traits().mirrored_page));
      DeviceMemory& device = *one->device_memory();
      std::byte host[8] = {};
      device.upload(memory.get(), host, sizeof(host));
      device.download(host, memory.get(), sizeof(host));
      EXPECT_NE(device.staging(5000), nullptr);
      EXPECT_NE(device.staging(500000), nullptr);
      DeviceCells cells;
      cells.origin = memory.get();
      cells.stride = {1, 64, 4096};
      cells.box = {{0, 0, 0}, {60, 60, 60}};
      device.look_for_nonfinite({cells, cells});
      device.first_nonfinite();
      device.checksum(cells);
      for (const Reduction kind : {Reduction::sum, Reduction::minimum}) {
        Reducer reducer;
        reducer.kind = kind;
        device.reduce(cells, reducer);
      }
      EXPECT_GT(device.copy_bandwidth(), 0);
      EXPECT_GT(one->bytes_free(), 0u);
      alignas(4096) static std::byte page[4096];
      const auto reach = one->host_reach()->reach(page, sizeof(page));
    }
  });
}

TEST_F(Rehearsal, FillsAndCopiesAreGivenToTheGpu) {
  const Executors all = executors();
  by_two_threads([&] {
    for (const auto& one : all) {
      const int before = rehearsed_launches();
      one->event_times()->keep_times();
      const auto memory = one->allocate(1 << 20);
      const auto filled =
          one->fill({some_fill(memory.get(), constant(3)),
                     some_fill(memory.get(), custom([](const GhostCell&) { return 4.5; }))},
                    {});
      const auto copy = some_copy(memory.get(), memory.get() + 65536);
      const auto copied = one->copy({copy, copy}, {Stream::halo, {filled}});
      copied->wait();
      copied->completed();
      one->synchronize();
      EXPECT_EQ(rehearsed_launches() - before, 4);
    }
  });
}

struct AddBeside {
  float by;
  GOBAN_FUNCTION void operator()(auto u, auto other) const { u += by * other(); }
};

/// A sweep over two fields that lie one after the other, the second of which is read.
struct SomeSweep {
  SomeSweep(std::byte* u, std::byte* other, const Box& box, float by) {
    using Updated = FieldParameter<Access::inout, float, 1>;
    using Seen = FieldParameter<Access::in, float, 1>;
    const auto recorded = record<Updated, Seen>(AddBeside{by});
    stage->footprint = Footprint(recorded.footprint);
    stage->graph = recorded.graph;
    stage->arguments.resize(2);
    stage->arguments[0].access = Access::inout;
    for (auto& argument : stage->arguments) argument.field = std::make_shared<FieldRecord>();
    task.stage = stage;
    task.box = box;
    task.values.resize(2);
    for (std::byte* memory : {u, other}) {
      FieldBinding& field = task.fields.emplace_back();
      field.read = field.write = memory;
      field.stride = {1, 64, 4096};
      field.clip = {{0, 0, 0}, {64, 64, 64}};
    }
  }
  std::shared_ptr<Stage> stage = std::make_shared<Stage>();
  SweepTask task;
};

TEST_F(Rehearsal, BundlesOfSweepsAreOneLaunch) {
  const Executors all = executors();
  const std::vector<Executor*> one = {all[0].get()};
  const auto memory = all[0]->allocate(3 << 20);
  std::byte *const u = memory.get(), *const v = u + (1 << 20), *const w = v + (1 << 20);
  const SomeSweep first(u, w, {{0, 0, 0}, {64, 64, 2}}, 0.5f);
  const SomeSweep beside(u, w, {{0, 0, 2}, {64, 64, 3}}, 0.25f);
  const SomeSweep after(v, u, {{3, 5, 1}, {9, 64, 64}}, 0.5f);
  SomeSweep across(u, w, {{0, 0, 0}, {64, 64, 2}}, 0.5f);
  across.task.order = {2, 1, 0};
  const auto launches_of = [&](const std::vector<const SweepTask*>& tasks) {
    const int before = rehearsed_launches();
    all[0]->bundles()->bundle(tasks, {})->wait();
    return rehearsed_launches() - before;
  };
  EXPECT_EQ(launches_of({&first.task, &beside.task, &after.task}), 1);
  EXPECT_EQ(launches_of({&first.task, &beside.task, &across.task, &after.task}), 3)
      << "rows in another order";

  Submission submission;
  submission.recorded_as = 1;
  all[0]->recorder()->begin_recording(one);
  all[0]->bundles()->bundle({&first.task, &after.task}, submission);
  const auto recording = all[0]->recorder()->end_recording(one);
  recording->begin_changes();
  EXPECT_EQ(all[0]->bundles()->bundle({&first.task, &after.task}, submission), nullptr);
  recording->end_changes();
  recording->replay();
  all[0]->synchronize();
}

/// A change is meant for the sweep with its number, not for a copy beside it.
TEST_F(Rehearsal, SweepsThatAreRecordedTogetherAreChanged) {
  const Executors all = executors();
  const std::vector<Executor*> one = {all[0].get()};
  const auto memory = all[0]->allocate(3 << 20);
  std::byte *const u = memory.get(), *const w = u + (2 << 20);
  SomeSweep sending(u, w, {{0, 0, 0}, {64, 64, 2}}, 0.5f);
  sending.task.sends = {some_copy(u, w)};
  SomeSweep across(u, w, {{0, 0, 0}, {64, 64, 2}}, 0.5f);
  across.task.order = {2, 1, 0};
  Submission submission;
  submission.recorded_as = 1;
  all[0]->recorder()->begin_recording(one);
  all[0]->bundles()->bundle({&sending.task, &across.task}, submission);
  const auto recording = all[0]->recorder()->end_recording(one);
  recording->begin_changes();
  EXPECT_EQ(all[0]->bundles()->bundle({&sending.task, &across.task}, submission), nullptr);
  recording->end_changes();
  recording->replay();
  all[0]->synchronize();
}

TEST_F(Rehearsal, DevicesMeetAndExchange) {
  const Executors all = executors();
  by_two_threads([&] {
    const auto memory = all[0]->allocate(1 << 20);
    const auto copied = all[0]->copy({some_copy(memory.get(), memory.get() + 65536)}, {});
    meet({{all[1].get(), Stream::halo, {copied}}});
    const auto sends = all[0]->peers()->open_path(PeerPath::End::sends, 1000);
    const auto receives = all[1]->peers()->open_path(PeerPath::End::receives, 1000);
    EXPECT_FALSE(sends->connect(sends->handle())) << "two ends of one device";
    ASSERT_TRUE(sends->connect(receives->handle()) && receives->connect(sends->handle()));
    all[0]
        ->peers()
        ->exchange({{sends.get(), {some_copy(memory.get(), sends->message())}}}, {})
        ->wait();
    all[1]->peers()->meet_over({receives.get()}, {})->wait();
    sends->disconnect();
    EXPECT_NE(all[0]->peers()->open_shared(all[1]->peers()->share(memory)), nullptr);
    EXPECT_EQ(all[0]->grouping()->group_card().device.size(), 32u);
  });
}

TEST_F(Rehearsal, WorkIsRecordedAndReplayed) {
  const Executors all = executors();
  const std::vector<Executor*> both = {all[0].get(), all[1].get()};
  by_two_threads([&] {
    const auto memory = all[0]->allocate(1 << 20);
    ASSERT_NE(all[0]->recorder(), nullptr);
    all[0]->recorder()->begin_recording(both);
    const auto copied = all[0]->copy({some_copy(memory.get(), memory.get() + 65536)}, {});
    EXPECT_NE(copied->replay_count(), nullptr);
    meet({{all[1].get(), Stream::compute, {copied}}});
    const auto recording = all[0]->recorder()->end_recording(both);
    recording->replay();
    recording->replay();
    all[0]->synchronize();
  });
}

/// Rules of the user's own are the host's, with what was given last.
TEST_F(Rehearsal, RecordedFillsAreChanged) {
  const Executors all = executors();
  const std::vector<Executor*> one = {all[0].get()};
  by_two_threads([&] {
    const auto memory = all[0]->allocate(1 << 20);
    std::vector<FillTask> fills{
        some_fill(memory.get(), constant(3)),
        some_fill(memory.get(), custom([](const GhostCell& g) { return g.time; }))};
    Submission submission;
    submission.recorded_as = 7;
    all[0]->recorder()->begin_recording(one);
    EXPECT_NE(all[0]->fill(fills, submission), nullptr);
    const auto recording = all[0]->recorder()->end_recording(one);
    for (int n = 0; n < 3; ++n) {
      fills[0].condition = constant(n);
      fills[1].time = n;
      recording->begin_changes();
      EXPECT_EQ(all[0]->fill(fills, submission), nullptr) << "nothing is submitted";
      recording->end_changes();
      recording->replay();
    }
    recording->begin_changes();
    fills.push_back(fills[0]);
    EXPECT_THROW(all[0]->fill(fills, submission), Error) << "other work";
    recording->end_changes();
    all[0]->synchronize();
  });
}

TEST_F(Rehearsal, RulesThatFailAreHeardOf) {
  const Executors all = executors();
  const auto memory = all[0]->allocate(1 << 20);
  const auto fails = [](const GhostCell&) -> double { throw std::runtime_error("no value"); };
  all[0]->fill({some_fill(memory.get(), custom(fails))}, {});
  EXPECT_THROW(all[0]->synchronize(), std::runtime_error);
  all[0]->synchronize();
}

TEST_F(Rehearsal, LinksAreMeasured) {
  by_two_threads([] {
    EXPECT_GT(measure_device(1).launch, 0);
    EXPECT_TRUE(measure_link(0, 1).is_direct);
  });
}

TEST_F(Rehearsal, KernelsAreCompiledOnceAndThenFound) {
  const KernelSource source{"extern \"C\" __global__ void f(int* to) { *to = 1; }", "f", {}};
  const int before = kernel_statistics().compiled;
  const Kernel& first = kernel(0, source);
  EXPECT_EQ(&kernel(0, source), &first);
  EXPECT_NE(&kernel(1, source), &first);
  EXPECT_EQ(kernel_statistics().compiled, before + 1);
  EXPECT_THROW(first.allow_shared_bytes(1 << 20), Error);
}

TEST_F(Rehearsal, ManyKernelsAreCompiledSideBySide) {
  std::vector<KernelSource> sources;
  for (int n = 0; n < 4; ++n) {
    sources.push_back(
        {"extern \"C\" __global__ void f(int* to) { *to = " + std::to_string(100 + n) + "; }",
         "f",
         {}});
  }
  const int before = kernel_statistics().compiled;
  prepare(90, sources);
  EXPECT_EQ(kernel_statistics().compiled, before + 4);
  sources.push_back({"nonsense", "f", {}});
  EXPECT_THROW(prepare(90, sources), Error);
}

Settings one_gpu() {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.launches = "preset";
  return settings;
}

struct StirAndCool {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto next, auto cold) const {
    next = u(1, 0, 0) + site.template random<float>() - convert<float>(site.time() * cold());
  }
};

/// Steps, times and parameters go to the device, which finds them with every replay.
TEST_F(Rehearsal, NumbersThatChangeLeaveWhatWasRecordedAsItWas) {
  Runtime runtime(one_gpu());
  Grid grid(runtime, {.cells = {32, 16, 16}, .boundary = mirror});
  Field<float> u(grid, "u"), next(grid, "next");
  const Parameter<double> cold("cold", 1);
  Program step("step");
  step.follow(cold, [](double time) { return 1 + time; });
  step.apply(StirAndCool{}, site, in(u), out(next), param(cold));
  step.swap(u, next);
  Engine engine(step);
  StepClock clock;
  const auto before = rehearsed_changes();
  engine.run(100, clock);
  EXPECT_GT(engine.cycles_replayed(), 0);
  EXPECT_EQ(rehearsed_changes(), before);
}

TEST_F(Rehearsal, TheMemoryOfAGridGoesWithIt) {
  std::weak_ptr<GridState> state;
  {
    Runtime runtime(one_gpu());
    Grid grid(runtime, {.cells = {32, 16, 16}, .boundary = mirror});
    Field<float> u(grid, "u"), next(grid, "next");
    Program step("step");
    step.apply(test::Diffusion<float>{0.125f}, in(u), out(next));
    step.swap(u, next);
    Engine engine(step);
    StepClock clock;
    engine.run(2, clock);
    state = grid.state();
  }
  EXPECT_TRUE(state.expired());
}

/// The host gives work to the queue and waits for no more of it than the moves.
TEST_F(Rehearsal, BodiesStayInTheMemoryOfTheGpu) {
  for (const bool is_list : {false, true}) {
    Runtime runtime(one_gpu());
    GridOptions options{.cells = {16, 16, 16}, .boundary = periodic};
    if (is_list) options.active = [](Index3 i) { return i[1] > 0; };
    Grid grid(runtime, options);
    Field<float, 3> velocity(grid, "velocity"), force(grid, "force");
    velocity.fill([](Index3, int) { return 0.0f; });
    BodyShape shape;
    shape.semi_axes = {2, 2, 1.5};
    Bodies bodies(grid, {.shapes = {shape}, .repulsion = {.strength = 1e-3}, .wall_strength = 0.1});
    bodies.place({{.position = {5, 5, 5}}, {.position = {11, 11, 11}}});
    Program step("step");
    bodies.couple(step, velocity, force);
    Engine engine(step);
    StepClock clock;
    engine.run(2, clock);
    const int launches = rehearsed_launches(), waits = rehearsed_waits();
    engine.run(5, clock);
    EXPECT_EQ(rehearsed_launches() - launches, 5 * 7);
    EXPECT_EQ(rehearsed_waits(), waits);
    EXPECT_EQ(bodies.all().size(), 2u);
    EXPECT_GT(rehearsed_waits(), waits);
  }
}

/// By tables, and what one patch reads of another is copied cell by cell.
TEST_F(Rehearsal, ListsOfActiveCellsAreSweptAndRecorded) {
  Settings settings = one_gpu();
  settings.devices = {0, 1};
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {32, 16, 16},
                      .boundary = {periodic, mirror, wall_value(1)},
                      .active = [](Index3 i) { return (i[0] / 3 + i[1] / 2 + i[2]) % 3 > 0; }});
  Field<float, 19> f(grid, "f"), next(grid, "next");
  Field<half> u(grid, "u");
  Field<double> v(grid, "v");
  for (auto* field : {&f, &next})
    field->boundary({periodic, mirror, bounce_back}).inactive(bounce_back);
  u.inactive(gradient(0.5));
  v.inactive(constant(1));
  f.fill(1);
  Parameter<double> total("total");
  Program step("step");
  step.apply(test::StreamCollide{1.5f}, in(f), out(next));
  step.apply([](auto u, auto site,
                auto v) { v = convert<double>(u(1, 1, 0) + u(0, 0, -1)) + site.position(Axis::y); },
             in(u), site, out(v));
  step.reduce([](auto v) { return v(0, 1, 0) - v(); }, in(v), sum, into(total));
  step.apply([](auto v, auto u) { u = convert<float>(v(-1, 0, 0)); }, in(v), out(u))
      .over({{0, 0, 0}, {16, 16, 16}});
  step.swap(f, next);
  Engine engine(step);
  StepClock clock;
  engine.run(60, clock);
  EXPECT_GT(engine.cycles_replayed(), 0);
}

}  // namespace
}  // namespace goban::cuda::rehearsal_test
