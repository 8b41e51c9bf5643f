// What receivers write, from a case to its file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>

#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "seismic/interpolation.hpp"
#include "seismic/keys.hpp"
#include "seismic/model.hpp"
#include "seismic/segy_traces.hpp"
#include "seismic/step.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {
const Application& seismic_application();
}

namespace goban::seismic::seismic_receiver_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

double interpolated(double place, Index count, double (*f)(double)) {
  const Weights weights = weights_at(place, count);
  double sum = 0;
  for (std::size_t i = 0; i < weights.of.size(); ++i) {
    sum += weights.of[i] * f(static_cast<double>(weights.first + static_cast<Index>(i)));
  }
  return sum;
}

TEST(SeismicReceiver, Weights_AreExactForCubicsEvenAtTheEnds) {
  const auto cubic = [](double x) { return 1 + x * (2 - x * (3 - 0.5 * x)); };
  for (const double place : {-0.5, 0.0, 0.3, 4.0, 5.75, 8.5, 9.4}) {
    EXPECT_NEAR(interpolated(place, 10, cubic), cubic(place), 1e-12) << place;
  }
  EXPECT_EQ(weights_at(4.6, 10).first, 3);
  EXPECT_EQ(weights_at(0.5, 1).of, std::vector<double>{1});
}

const std::string plane_wave =
    "app = \"seismic\"\n[grid]\ncells = [24, 20, 16]\n[time]\nsteps = 40\n"
    "[run]\nprecision = \"float64\"\n[initial]\nwave = \"p\"\nwaves = [1, 1, 0]\n"
    "amplitude = 2\n[[layer]]\nvp = 1.7\nvs = 1\ndensity = 3\n"
    "[[receiver]]\nname = \"one\"\nposition = [7.3, 3.25, 5.9]\n";

/// Runs plane_wave; returns its time step.
double run_wave(const fs::path& folder, const std::vector<std::string>& more = {},
                const Restart& restart = {},
                const std::shared_ptr<Communicator>& communicator = nullptr,
                const std::function<void(Simulation&)>& prepare = {}) {
  CaseSchema schema;
  seismic_application().declare(schema);
  const Case values = parse_case(schema, plane_wave, "waves.toml", more);
  Settings settings;
  settings.threads = 1;
  settings.communicator = communicator;
  Runtime runtime(settings);
  const auto setup = seismic_application().setup(values, runtime);
  SimulationOptions& options = setup->simulation().options();
  options.directory = folder.string();
  options.measure_bandwidth = false;
  options.restart = restart;
  if (prepare) prepare(setup->simulation());
  setup->simulation().run();
  return options.dt.current();
}

class SeismicReceiverFiles : public ::testing::Test {
 protected:
  const test::ScratchFolder scratch;
  const fs::path& folder = scratch.path();
};

TEST_F(SeismicReceiverFiles, SeismogramsOfAPlaneWave_AreItsVelocityAndDisplacement) {
  constexpr double pi = std::numbers::pi, vp = 1.7;
  const double dt = run_wave(folder);
  const CsvTable table = read_csv(folder / "waves_one.csv");
  ASSERT_EQ(table.rows(), 41);
  const Real3 k = {2 * pi / 24, 2 * pi / 20, 0};
  const double w = discrete_frequency(vp, k, {1, 1, 1}, dt, 4);
  const double size = std::hypot(wave_number(k[0], 1, 4), wave_number(k[1], 1, 4));
  const double place = k[0] * 7.3 + k[1] * 3.25;
  for (std::size_t a = 0; a < 2; ++a) {
    const double height = 2 * wave_number(k[a], 1, 4) / size;
    const std::string axis(1, "xy"[a]);
    const auto& velocity = table.values[table.column("velocity_" + axis)];
    const auto& displacement = table.values[table.column("displacement_" + axis)];
    for (std::size_t n = 0; n < velocity.size(); ++n) {
      const double t = table.values[table.column("time")][n];
      EXPECT_NEAR(velocity[n], height * std::sin(place - w * t), 2e-3);
      const double moved = height / w * (std::cos(place - w * t) - std::cos(place));
      EXPECT_NEAR(displacement[n], moved, 2e-2);
    }
  }
}

TEST_F(SeismicReceiverFiles, SeveralReceiversAreComparedInOneRun) {
  const std::string receivers =
      "receiver=[{name=\"one\", position=[7.3, 3.25, 5.9]}, {name=\"two\", position=[1, 2, 3]}]";
  const auto compared = [&](const std::string& receiver, const std::string& file) {
    return "{receiver=\"" + receiver + "\", file=\"" + (folder / file).string() +
           "\", time=\"time\", quantities=[\"velocity_x\", \"displacement_y\"], "
           "columns=[\"velocity_x\", \"displacement_y\"]}";
  };
  run_wave(folder / "first", {receivers});
  run_wave(folder / "second", {receivers, "reference=[" + compared("one", "first/waves_one.csv") +
                                              ", " + compared("two", "first/waves_two.csv") + "]"});
  const auto summary = nlohmann::json::parse(scratch.content("second/summary.json"));
  const auto& misfits = summary["results"]["misfit"];
  ASSERT_EQ(misfits.size(), 4u);
  EXPECT_EQ(misfits[0]["receiver"], "one");
  EXPECT_EQ(misfits[3]["receiver"], "two");
  EXPECT_EQ(misfits[3]["quantity"], "displacement_y");
  for (const auto& misfit : misfits) EXPECT_LT(misfit["relative_l2"].get<double>(), 1e-9);
  const std::string wrong = test::error_of([&] {
    run_wave(folder / "third",
             {receivers, "reference=[" + compared("on", "first/waves_one.csv") + "]"});
  });
  EXPECT_NE(wrong.find("the receivers are one, two"), std::string::npos) << wrong;
}

/// A plane wave that begins from the files of one goes on like it.
TEST_F(SeismicReceiverFiles, FieldsOfFilesAreWhatARunStartsWith) {
  const Index3 cells = {24, 20, 16};
  std::vector<std::string> keys{"initial.wave=none"};
  {
    CaseSchema schema;
    seismic_application().declare(schema);
    const Case values = parse_case(schema, plane_wave, "waves.toml");
    const Model model = read_model(values);
    Runtime runtime;
    Grid grid(runtime, {.cells = cells});
    const double dt = 0.9 * largest_stable_step(1.7, model, {1, 1, 1});
    WaveStep<3, double> step(grid, model, 1.7, dt);
    const auto save = [&](const std::string& name, std::vector<double> numbers) {
      Array array(ElementType::float64, cells);
      std::copy_n(numbers.begin(), array.as<double>().size(), array.as<double>().begin());
      write_npy(folder / (name + ".npy"), array.view());
      keys.push_back("initial." + name + "=" + (folder / (name + ".npy")).string());
    };
    for (const auto& v : step.velocity) save(v.name(), v.copy_out());
    for (const auto& s : step.shear) save(s.name(), s.copy_out());
    const auto normal = step.normal.copy_out();
    const auto part = normal.size() / 3;
    for (std::size_t n = 0; n < 3; ++n) {
      const auto first = normal.begin() + static_cast<std::ptrdiff_t>(n * part);
      save(std::string("normal_") + "xyz"[n] + "xyz" [n],
           { first, first + static_cast<std::ptrdiff_t>(part) });
    }
  }
  run_wave(folder / "wave");
  run_wave(folder / "files", keys);
  EXPECT_EQ(scratch.content("files/waves_one.csv"), scratch.content("wave/waves_one.csv"));
  keys[0] = "initial.wave=p";
  EXPECT_NE(test::error_of([&] { run_wave(folder / "both", keys); }).find("is refused"),
            std::string::npos);
}

/// What a program that knows nothing of ours reads: words of 4 bytes by their number.
struct SacFile {
  explicit SacFile(const fs::path& path) : bytes(read_text(path)) {}

  template <class T>
  T word(std::size_t n) const {
    T value{};
    std::memcpy(&value, bytes.data() + 4 * n, sizeof(T));
    return value;
  }
  float real(std::size_t n) const { return word<float>(n); }
  std::int32_t integer(std::size_t n) const { return word<std::int32_t>(n); }
  std::string text(std::size_t n) const { return bytes.substr(4 * n, 8); }
  float value(std::size_t n) const { return word<float>(158 + n); }

  std::string bytes;
};

/// The compliance of a fluid is infinite, and nothing else is.
TEST_F(SeismicReceiverFiles, RunsInFluidsAreSavedAndGoOn) {
  const std::vector<std::string> half_fluid{"initial.wave=none", "layer.0.vs=0", "run.nan_check=5",
                                            "checkpoint.every=10",
                                            "source=[{position=[3.3, 6.25, 8.5], force=[0, 0, 1], "
                                            "time=\"ricker\", duration=9}]"};
  run_wave(folder / "whole", half_fluid);
  auto part = half_fluid;
  part.push_back("time.steps=20");
  run_wave(folder / "parts", part);
  run_wave(folder / "parts", half_fluid, restart_newest());
  EXPECT_EQ(scratch.content("parts/waves_one.csv"), scratch.content("whole/waves_one.csv"));
}

TEST_F(SeismicReceiverFiles, SacHoldsTheRowsOfCsv) {
  const std::string source =
      "source=[{position=[3.3, 6.25, 8.5], force=[0, 0, 1], time=\"ricker\", duration=9}]";
  const double dt = run_wave(folder, {"output.seismograms.every=2",
                                      "output.seismograms.formats=[\"csv\", \"sac\"]", source});
  const CsvTable table = read_csv(folder / "waves_one.csv");
  ASSERT_EQ(table.rows(), 21);
  for (const std::string quantity : {"velocity_x", "velocity_y", "velocity_z", "displacement_x",
                                     "displacement_y", "displacement_z"}) {
    const SacFile sac(folder / ("waves_one_" + quantity + ".sac"));
    ASSERT_EQ(sac.bytes.size(), 632 + 4 * 21);
    const auto& rows = table.values[table.column(quantity)];
    double least = rows[0], most = rows[0], sum = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      EXPECT_EQ(sac.value(n), static_cast<float>(rows[n]));
      least = std::min(least, rows[n]);
      most = std::max(most, rows[n]);
      sum += rows[n];
    }
    EXPECT_EQ(sac.integer(76), 6);                           // version of the header
    EXPECT_EQ(sac.integer(79), 21);                          // samples
    EXPECT_EQ(sac.integer(85), 1);                           // a time series
    EXPECT_EQ(sac.integer(105), 1);                          // evenly sampled
    EXPECT_EQ(sac.integer(86), quantity[0] == 'v' ? 7 : 6);  // velocity, displacement
    EXPECT_FLOAT_EQ(sac.real(0), static_cast<float>(2 * dt));
    EXPECT_EQ(sac.real(1), static_cast<float>(least));
    EXPECT_EQ(sac.real(2), static_cast<float>(most));
    EXPECT_NEAR(sac.real(56), sum / 21, 1e-6);
    EXPECT_EQ(sac.real(5), 0);
    EXPECT_FLOAT_EQ(sac.real(6), static_cast<float>(40 * dt));
    EXPECT_EQ(sac.text(110), "one     ");
    const bool is_east = quantity.back() == 'y', is_down = quantity.back() == 'z';
    EXPECT_EQ(sac.text(150), std::string(quantity[0] == 'v' ? "V" : "U") + (is_east   ? "Y      "
                                                                            : is_down ? "Z      "
                                                                                      : "X      "));
    EXPECT_EQ(sac.real(57), is_east ? 90 : 0);
    EXPECT_EQ(sac.real(58), is_down ? 180 : 90);
    EXPECT_FLOAT_EQ(sac.real(34), 5.9F);     // depth of the station, m
    EXPECT_FLOAT_EQ(sac.real(38), 8.5e-3F);  // of the event, km
    EXPECT_FLOAT_EQ(sac.real(50), 5e-3F);    // 4 to the north and 3 to the west, km
    EXPECT_NEAR(sac.real(51), 360 - std::atan2(3, 4) * 180 / std::numbers::pi, 1e-4);
    EXPECT_NEAR(sac.real(52), 540 - std::atan2(3, 4) * 180 / std::numbers::pi - 360, 1e-4);
    EXPECT_EQ(sac.real(31), -12345);     // no latitude
    EXPECT_EQ(sac.integer(70), -12345);  // no date
    EXPECT_EQ(sac.text(116), "-12345  ");
  }
}

/// Numbers of a big-endian file by their byte, counted from 1.
struct BigEndian {
  explicit BigEndian(const fs::path& path) : bytes(read_text(path)) {}

  std::uint64_t bits(std::size_t byte, std::size_t count) const {
    std::uint64_t all = 0;
    for (std::size_t n = 0; n < count; ++n) {
      all = all << 8 | static_cast<unsigned char>(bytes[byte - 1 + n]);
    }
    return all;
  }
  int small(std::size_t byte) const { return static_cast<std::int16_t>(bits(byte, 2)); }
  int integer(std::size_t byte) const { return static_cast<std::int32_t>(bits(byte, 4)); }
  float real(std::size_t byte) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits(byte, 4)));
  }

  std::string bytes;
};

TEST_F(SeismicReceiverFiles, SegyHoldsTheRowsOfAllReceivers) {
  const double dt = run_wave(
      folder,
      {"output.seismograms.formats=[\"csv\", \"segy\"]",
       "receiver=[{name=\"one\", position=[7.3, 3.25, 5.9]}, {name=\"two\", position=[2, 9, 0.5]}]",
       "source=[{position=[3.3, 6.25, 8.5], force=[0, 0, 1], time=\"ricker\", duration=9}]"});
  const CsvTable one = read_csv(folder / "waves_one.csv"), two = read_csv(folder / "waves_two.csv");
  ASSERT_EQ(two.rows(), 41);
  for (const std::string quantity : {"velocity_x", "velocity_z", "displacement_y"}) {
    const BigEndian segy(folder / ("waves_" + quantity + ".sgy"));
    constexpr std::size_t trace = 240 + 4 * 41;
    ASSERT_EQ(segy.bytes.size(), 3600 + 2 * trace);
    EXPECT_EQ(segy.bytes.substr(0, 15), "C 1 waves, " + quantity.substr(0, 4));
    EXPECT_EQ(segy.small(3225), 5);         // IEEE floats
    EXPECT_EQ(segy.small(3221), 41);        // samples
    EXPECT_EQ(segy.integer(3269), 41);      // likewise, of revision 2
    EXPECT_EQ(segy.bits(3501, 2), 0x200u);  // which this is
    EXPECT_EQ(std::bit_cast<double>(segy.bits(3273, 8)), 1e6 * dt);
    for (std::size_t r = 0; r < 2; ++r) {
      const std::size_t header = 3601 + r * trace;
      EXPECT_EQ(segy.integer(header), static_cast<int>(r) + 1);
      EXPECT_EQ(segy.small(header + 114), 41);
      EXPECT_EQ(segy.small(header + 28), quantity.back() == 'x'   ? 14
                                         : quantity.back() == 'y' ? 13
                                                                  : 12);
      EXPECT_EQ(segy.small(header + 70), -10000);                    // coordinates in 0.1 mm:
      EXPECT_EQ(segy.integer(header + 80), r == 0 ? 73000 : 20000);  // of the receiver
      EXPECT_EQ(segy.integer(header + 84), r == 0 ? 32500 : 90000);
      EXPECT_EQ(segy.integer(header + 40), r == 0 ? -59000 : -5000);
      EXPECT_EQ(segy.integer(header + 72), 33000);  // of the source
      EXPECT_EQ(segy.integer(header + 76), 62500);
      EXPECT_EQ(segy.integer(header + 48), 85000);
      const CsvTable& table = r == 0 ? one : two;
      const auto& rows = table.values[table.column(quantity)];
      for (std::size_t n = 0; n < rows.size(); ++n) {
        EXPECT_EQ(segy.real(header + 240 + 4 * n), static_cast<float>(rows[n]));
      }
    }
  }
}

/// Two receivers so far apart, m.
SegyGather gather_of(double distance, double interval = 1e-3) {
  SegyGather gather;
  gather.interval = interval;
  gather.begin = interval / 2;
  gather.traces = {{{0, 0, 0}, {0, 1}}, {{distance, distance / 2, distance / 4}, {0, 1}}};
  return gather;
}

TEST_F(SeismicReceiverFiles, SegyHasPositionsInTheFinestUnitThatHoldsThem) {
  const auto kept = [&](double distance) {
    scratch.store("one.sgy", segy_bytes(gather_of(distance)));
    const BigEndian segy(folder / "one.sgy");
    constexpr std::size_t header = 3601 + 240 + 8;
    EXPECT_EQ(segy.small(header + 68), segy.small(header + 70));
    const double unit = segy.small(header + 70);
    return segy.integer(header + 80) * (unit < 0 ? -1 / unit : unit);
  };
  for (const double distance : {0.0123, 12.3456, 12345.67, 300000.0, 3e6, 5e9}) {
    EXPECT_NEAR(kept(distance), distance, 1e-8 * distance + 1e-12);
  }
}

TEST_F(SeismicReceiverFiles, SegyHasTheTimeOfTheFirstSample) {
  for (const double interval : {2e-6, 1e-3, 10.0}) {
    scratch.store("one.sgy", segy_bytes(gather_of(100, interval)));
    const BigEndian segy(folder / "one.sgy");
    const double scale = segy.small(3601 + 214);
    const double milliseconds = segy.small(3601 + 108) * (scale < 0 ? -1 / scale : scale);
    EXPECT_NEAR(1e-3 * milliseconds, interval / 2, 1e-3 * interval);
  }
}

TEST(SegyGather, WhatWouldBeMisreadIsRefused) {
  EXPECT_EQ(why_not_segy(gather_of(100), 100000), "");
  EXPECT_EQ(why_not_segy(gather_of(0.1), 10), "");
  EXPECT_EQ(why_not_segy(gather_of(1000, 833.333333e-6), 5), "");
  EXPECT_EQ(why_not_segy(gather_of(1000, 833.333333e-6), 1001),
            "it keeps intervals in whole microseconds: 833.333 us between samples would drift by "
            "0.4 of them up to the end");
  EXPECT_THAT(why_not_segy(gather_of(1, 2e-8), 1001), HasSubstr("0.02 us between samples"));
  EXPECT_EQ(why_not_segy(gather_of(0.01234), 10),
            "it keeps positions to 0.1 mm, and they lie within 12.3 mm");
}

TEST_F(SeismicReceiverFiles, SegyOfIntervalsThatDriftIsRefusedWithOneThatDoesNot) {
  const std::vector<std::string> options = {"output.seismograms.formats=[\"segy\"]",
                                            "time.dt=0.00083333333", "time.steps=1000"};
  EXPECT_THAT(test::error_of([&] { run_wave(folder, options); }),
              HasSubstr("would drift by 0.4 of them up to the end); set time.dt = 0.000833, or "
                        "write csv or sac"));
}

TEST_F(SeismicReceiverFiles, StationsThatSacCannotTellApartAreRefused) {
  const std::vector<std::string> options = {
      "output.seismograms.formats=[\"sac\"]",
      "receiver=[{name=\"station_10\", position=[7.3, 3.25, 5.9]}, {name=\"station_11\", "
      "position=[2, 9, 0.5]}]"};
  EXPECT_THAT(test::error_of([&] { run_wave(folder, options); }),
              HasSubstr("SAC cannot tell station_10 and station_11 apart (it keeps 8 characters of "
                        "a name); make them differ in these"));
}

TEST_F(SeismicReceiverFiles, ARunInTwoPartsLeavesTheSameFiles) {
  const std::vector<std::string> both = {"output.seismograms.formats=[\"sac\", \"csv\", \"segy\"]"};
  auto first = both;
  first.insert(first.end(), {"time.steps=23", "checkpoint.every=17", "checkpoint.at_end=false"});
  run_wave(folder / "whole", both);
  run_wave(folder / "parts", first);
  const SacFile before(folder / "parts" / "waves_one_velocity_x.sac");
  EXPECT_EQ(before.integer(79), 24);
  run_wave(folder / "parts", both, restart_newest());
  for (const std::string name :
       {"one_velocity_x.sac", "one_displacement_y.sac", "one.csv", "velocity_z.sgy"}) {
    EXPECT_EQ(read_text(folder / "parts" / ("waves_" + name)),
              read_text(folder / "whole" / ("waves_" + name)))
        << name;
  }
}

const std::vector<std::string> all_formats = {
    "output.seismograms.formats=[\"sac\", \"csv\", \"segy\"]", "checkpoint.every=17"};

std::vector<std::string> with(std::vector<std::string> options, const std::string& one) {
  options.push_back(one);
  return options;
}

TEST_F(SeismicReceiverFiles, SamplesOfACheckpointGoToEveryRank) {
  run_wave(folder / "whole", all_formats);
  for (const auto& [before, after] : {std::pair{1, 3}, {2, 1}}) {
    const auto parts = folder / std::to_string(after);
    test::run_ranks(before, [&](const auto& communicator) {
      run_wave(parts, with(all_formats, "time.steps=23"), {}, communicator);
    });
    test::run_ranks(after, [&](const auto& communicator) {
      run_wave(parts, all_formats, restart_newest(), communicator);
    });
    for (const std::string name : {"one_displacement_y.sac", "one.csv", "velocity_z.sgy"}) {
      EXPECT_EQ(read_text(parts / ("waves_" + name)),
                read_text(folder / "whole" / ("waves_" + name)))
          << name;
    }
  }
}

TEST_F(SeismicReceiverFiles, ManifestsDoNotGrowWithSamples) {
  const auto size = [&](const std::string& steps) {
    run_wave(folder / steps, with(all_formats, "time.steps=" + steps));
    const fs::path checkpoint = folder / steps / "chk" / ("00000" + steps);
    return static_cast<double>(fs::file_size(checkpoint / "manifest.json"));
  };
  EXPECT_NEAR(size("17"), size("34"), 200);
}

TEST_F(SeismicReceiverFiles, RowsAreSavedWithEveryCheckpoint) {
  run_wave(folder / "whole", all_formats);
  // Had nobody looked after the file, its rows would be gone with its name.
  const fs::path rows = folder / "parts" / "waves_one.csv";
  run_wave(folder / "parts", all_formats, {}, nullptr, [&](Simulation& simulation) {
    simulation.on(at_steps({9}), [&](const Clock&) { fs::remove(rows); });
    simulation.on(at_steps({18}), [&](const Clock&) { EXPECT_TRUE(fs::exists(rows)); });
  });
  EXPECT_EQ(read_text(rows), read_text(folder / "whole" / "waves_one.csv"));
  run_wave(folder / "parts", with(all_formats, "time.steps=20"));
  fs::remove(rows);
  EXPECT_THROW(run_wave(folder / "parts", all_formats, restart_newest()), Error);
}

TEST_F(SeismicReceiverFiles, AMovedReceiverBeginsAnew) {
  const auto moved = with(all_formats, "receiver.0.position=7.3,3.25,2");
  run_wave(folder, with(with(all_formats, "time.steps=20"), "checkpoint.at_end=false"));
  EXPECT_THROW(run_wave(folder, moved, restart_newest()), Error) << "unasked";
  run_wave(folder, moved, restart_newest(), nullptr,
           [](Simulation& simulation) { simulation.options().allow_changes = true; });
  const CsvTable table = read_csv(folder / "waves_one.csv");
  EXPECT_EQ(table.values[0].front(), 18);
  EXPECT_EQ(SacFile(folder / "waves_one_velocity_x.sac").integer(79), 23);
}

}  // namespace
}  // namespace goban::seismic::seismic_receiver_test
