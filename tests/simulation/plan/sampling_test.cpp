// Outputs that take values at every step, while the step goes on without them.

#include <gmock/gmock.h>

#include <set>

#include "goban/simulation/output/output.hpp"
#include "tests/ranks.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::sampling_test {
namespace {

/// Some values around a corner of the grid, moment by moment.
class Notes : public SimulationOutput {
 public:
  struct Line {
    Index step = 0;
    double time = 0;
    std::vector<std::byte> values;
    bool operator==(const Line&) const = default;
  };

  Notes(AnyField field, When when, bool samples)
      : SimulationOutput("notes", std::move(when)), field_(std::move(field)), samples_(samples) {}

  const std::vector<Line>& lines() const { return lines_; }
  /// When the driver had last looked at the clock.
  const std::vector<double>& walls() const { return walls_; }

  std::vector<AnyField> fields() const override { return {field_}; }
  std::vector<SampledBox> samples() const override {
    if (!samples_) return {};
    return {{field_, box}, {field_, {{0, 0, 0}, {1, 1, 1}}}};
  }
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment& moment) override {
    const Array values = samples_ ? moment.samples[0] : values_of(field_, box);
    lines_.push_back({moment.clock.step, moment.clock.time, values.bytes});
    walls_.push_back(moment.clock.wall);
  }
  std::string describe() const override { return "notes"; }
  nlohmann::ordered_json state() const override { return lines_.size(); }

 private:
  static constexpr Box box{{8, 5, 3}, {12, 7, 6}};
  AnyField field_;
  bool samples_;
  std::vector<Line> lines_;
  std::vector<double> walls_;
};

class SampledRuns : public SmallRuns {
 protected:
  /// Two thirds of the way the field is changed from outside.
  static std::vector<Notes::Line> lines(const SmallRunOptions& options, bool samples,
                                        Index every_steps = 1, bool is_adjusted = true) {
    SmallRun run(options);
    auto notes = std::make_unique<Notes>(run.u(), every(every_steps), samples);
    const Notes& kept = *notes;
    run.simulation().add(std::move(notes));
    if (is_adjusted) {
      run.simulation().adjust(50, [&](const Clock& clock) {
        if (clock.step == 50) run.u().set({9, 5, 4}, 2.5F);
      });
    }
    run.simulation().run();
    return kept.lines();
  }
  static Settings emulated(int devices) {
    Settings settings;
    settings.backend = Backend::emulated;
    for (int n = 0; n < devices; ++n) settings.devices.push_back(n);
    return settings;
  }
  SmallRunOptions bare(const Settings& settings) const {
    return {.steps = 75,
            .settings = settings,
            .directory = root_ / "run",
            .outputs = false,
            .checkpoints = {}};
  }
};

TEST_F(SampledRuns, TakeWhatIsThereAtEveryStep) {
  const auto expected = lines(bare({}), false);
  ASSERT_EQ(expected.size(), 76u);
  EXPECT_EQ(expected[75].step, 75);
  EXPECT_EQ(lines(bare({}), true), expected);
  for (const int devices : {1, 3}) EXPECT_EQ(lines(bare(emulated(devices)), true), expected);
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = emulated(1);
    settings.communicator = communicator;
    EXPECT_EQ(lines(bare(settings), true), expected);
  });
  SmallRunOptions adaptive = bare({});
  adaptive.adaptive = true;
  EXPECT_EQ(lines(adaptive, true), lines(adaptive, false));
  EXPECT_EQ(lines(bare({}), true, 5), lines(bare({}), false, 5));
}

TEST_F(SampledRuns, GoOnFromACheckpoint) {
  SmallRunOptions options = bare(emulated(2));
  const auto expected = lines(options, true, 1, false);
  options.directory = root_ / "parts";
  options.steps = 41;
  options.checkpoints = every(20);
  auto found = lines(options, true, 1, false);
  options.steps = 75;
  options.restart = restart_newest();
  const auto rest = lines(options, true, 1, false);
  ASSERT_EQ(found.size(), 42u);
  EXPECT_EQ(rest.front().step, 42);
  found.insert(found.end(), rest.begin(), rest.end());
  EXPECT_EQ(found, expected);
}

TEST_F(SampledRuns, AreToldOfSeveralStepsAtATime) {
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings;
    settings.threads = 1;
    settings.communicator = communicator;
    SmallRun run(bare(settings));
    auto notes = std::make_unique<Notes>(run.u(), every(1), true);
    const Notes& kept = *notes;
    run.simulation().add(std::move(notes));
    EXPECT_THAT(run.simulation().describe(), ::testing::HasSubstr("samples"));
    run.simulation().run();
    ASSERT_EQ(kept.lines().size(), 76u);
    const std::set<double> looks(kept.walls().begin(), kept.walls().end());
    EXPECT_LT(looks.size(), kept.lines().size());
  });
}

}  // namespace
}  // namespace goban::sampling_test
