// Values taken at every step where they are computed: those that the host would find there.

#include <optional>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::samples_test {
namespace {

/// Updates faces that walls hold from what lies beside them; differs from step to step.
struct Blow {
  GOBAN_FUNCTION void operator()(auto u, auto wind, auto site) const {
    wind = 0.5f * (u() - u(0, 0, -1)) + 1e-3f * convert<float>(site.step());
  }
};
struct Split {
  GOBAN_FUNCTION void operator()(auto wind, auto both) const {
    both[0] = wind() + wind(0, 0, 1);
    both[1] = wind() - wind(0, 0, 1);
  }
};

/// Three fields at three places, and a program that renews them.
struct Weather {
  explicit Weather(const Settings& settings)
      : runtime(settings),
        grid(runtime,
             {.cells = {23, 9, 31}, .spacing = 0.5, .boundary = {periodic, mirror, mirror}}),
        u(grid, "u"),
        next(grid, "next"),
        wind(grid, "wind", {.location = Location::face_z}),
        both(grid, "both"),
        samples(std::make_shared<Samples>(grid.state())) {
    wind.boundary({periodic, mirror, wall_value(0.25)});
    u.fill(test::pattern);
    for (const Box& box : boxes) samples->add(u.record(), box);
    samples->add(wind.record(), {{3, 2, 28}, {5, 6, 32}});
    samples->add(both.record(), {{0, 0, 13}, {2, 9, 17}});
    for (const auto* record : {&wind.record(), &both.record()}) (*record)->is_output = true;
  }
  Program step(bool is_sampled) const {
    Program program("weather");
    program.apply(test::Diffusion<float>{}, in(u), out(next));
    program.swap(u, next);
    program.apply(Blow{}, in(u), out(wind), site);
    program.apply(Split{}, in(wind), out(both));
    if (is_sampled) program.sample(samples);
    return program;
  }
  /// What a record should be.
  std::vector<std::byte> now() {
    std::vector<std::byte> values(samples->bytes());
    for (const Samples::Part& part : samples->parts()) {
      grid.state()->storage().copy_out(samples->field_of(part), part.box,
                                       values.data() + part.first);
    }
    return values;
  }

  static inline const std::vector<Box> boxes = {{{9, 3, 11}, {13, 7, 15}},  // where cuts cross
                                                {{0, 0, 0}, {23, 9, 4}},
                                                {{22, 8, 30}, {23, 9, 31}}};
  Runtime runtime;
  Grid grid;
  Field<float> u, next, wind;
  Field<double, 2> both;
  std::shared_ptr<Samples> samples;
};

struct Taken {
  std::vector<Index> steps;
  std::vector<double> times;
  std::vector<std::vector<std::byte>> values;
  bool operator==(const Taken&) const = default;
};

/// The third of the same length replays all that the second recorded; the last fills the memory of
/// samples.
constexpr std::array runs = {1, 30, 30, 30, 3, 70};

Taken expected() {
  Weather weather(test::plain_schedule());
  Engine engine(weather.step(false));
  StepClock clock{.time = 0.5, .dt = 0.1};
  Taken taken;
  for (const Index steps : runs) {
    for (Index n = 0; n < steps; ++n) {
      engine.run(1, clock);
      taken.steps.push_back(clock.step);
      taken.times.push_back(clock.time);
      taken.values.push_back(weather.now());
    }
  }
  return taken;
}

/// With other cuts for the last run.
Taken taken(const Settings& settings, const std::optional<Decomposition>& later) {
  Weather weather(settings);
  Engine engine(weather.step(true));
  StepClock clock{.time = 0.5, .dt = 0.1};
  Taken taken;
  for (const Index steps : runs) {
    if (steps == runs.back() && later) {
      domain_of(*weather.grid.state()).redistribute(*later);
    }
    engine.run(steps, clock);
    engine.synchronize();
    for (Samples::Record& record : weather.samples->records()) {
      taken.steps.push_back(record.step);
      taken.times.push_back(record.time);
      taken.values.push_back(std::move(record.values));
    }
    weather.samples->records().clear();
  }
  return taken;
}

TEST(Samples, AreTheValuesAfterEveryStep) {
  const Taken all = expected();
  ASSERT_EQ(all.steps.back(), 164);
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "", "13,18"}, {"11,12", "5,4", "14,17"}};
  product.backends = {Backend::cpu, Backend::reference, Backend::emulated};
  product.steps_per_exchange = {1, 3};
  product.overlaps = {Overlap::none, Overlap::two_kernel};
  product.temporal_blocking = {0, 3};
  product.delay_microseconds = 5;
  const std::vector<Settings> settings = product.all();
  const Decomposition later = cut_explicitly({23, 9, 31}, {"", "", "10,11,10"});
  for (std::size_t n = 0; n < settings.size(); n += 2) {
    const bool moves = n % 4 == 0 && settings[n].backend != Backend::cuda;
    EXPECT_TRUE(taken(settings[n], moves ? std::optional(later) : std::nullopt) == all)
        << test::options_of(settings[n]);
  }
}

TEST(Samples, AreOnEveryRank) {
  const Taken all = expected();
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    for (const int ranks : {2, 3}) {
      test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
        Settings settings;
        settings.backend = backend;
        settings.threads = 1;
        settings.communicator = communicator;
        EXPECT_TRUE(taken(settings, std::nullopt) == all)
            << test::options_of(settings) << " on " << ranks << " ranks";
      });
    }
  }
}

TEST(Samples, OfValuesThereAreNot_AreRefused) {
  Weather weather(test::plain_schedule());
  const Box faces{{0, 0, 30}, {1, 1, 32}};
  EXPECT_NO_THROW(weather.samples->add(weather.wind.record(), faces));
  EXPECT_THROW(weather.samples->add(weather.u.record(), faces), Error);
  EXPECT_THROW(weather.samples->add(weather.u.record(), {}), Error);
}

TEST(Samples, TakenTwiceInAStep_AreRefused) {
  const Weather weather(test::plain_schedule());
  const auto refusal = [](const Program& program) {
    return test::error_of([&] { Engine engine(program); });
  };
  EXPECT_EQ(refusal(weather.step(true)), "");
  const std::string text =
      "stage 'sample' is refused (a step takes its samples once, this one takes them again); make "
      "samples of their own for each stage";
  Program twice = weather.step(true);
  twice.sample(weather.samples);
  EXPECT_EQ(refusal(twice), text);
  Program in_a_loop = weather.step(true);
  in_a_loop.repeat(2, weather.step(true));
  EXPECT_EQ(refusal(in_a_loop), text);
  Program of_both = weather.step(true);
  const auto others = std::make_shared<Samples>(weather.grid.state());
  others->add(weather.u.record(), {{0, 0, 0}, {1, 1, 1}});
  of_both.sample(others);
  EXPECT_EQ(refusal(of_both), "");
}

}  // namespace
}  // namespace goban::samples_test
