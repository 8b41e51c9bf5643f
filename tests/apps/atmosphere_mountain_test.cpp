// Waves over mountains, beside linear theory and Long's equation.

#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "tests/apps/atmosphere_run.hpp"
#include "tests/long.hpp"

namespace goban::atmosphere::atmosphere_mountain_test {
namespace {

/// Vertical velocity at this height [m] over x [m], linear between cells.
double w_at(const Slice& w, const Levels& levels, const Grid& grid, double x, double z) {
  const double column = (x - grid.origin()[0]) / grid.spacing()[0] - 0.5;
  const auto of_column = [&](Index i) {
    Index k = 0;
    while (k < w.nz - 2 && levels.center({i, 0, k + 1}) < z) ++k;
    const double low = levels.center({i, 0, k}), high = levels.center({i, 0, k + 1});
    const double share = (z - low) / (high - low);
    return (1 - share) * w.at(i, k) + share * w.at(i, k + 1);
  };
  const auto i = static_cast<Index>(std::floor(column));
  const double share = column - static_cast<double>(i);
  return (1 - share) * of_column(i) + share * of_column(i + 1);
}

struct Point {
  double x, w;
};
/// x / a and w of each height, of a case of the file.
std::map<double, std::vector<Point>> read_reference(const std::filesystem::path& file,
                                                    const std::string& name) {
  std::map<double, std::vector<Point>> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::stringstream words(line);
    std::string word;
    std::vector<std::string> columns;
    while (std::getline(words, word, ',')) columns.push_back(word);
    if (columns.size() != 4 || columns[0] != name) continue;
    rows[std::stod(columns[1])].push_back({std::stod(columns[2]), std::stod(columns[3])});
  }
  return rows;
}

struct Agreement {
  double correlation, amplitude;
};
Agreement compare(const std::vector<double>& found, const std::vector<double>& expected) {
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    xy += found[n] * expected[n];
    xx += found[n] * found[n];
    yy += expected[n] * expected[n];
  }
  return {xy / std::sqrt(xx * yy), std::sqrt(xx / yy)};
}

TEST(AtmosphereMountain, HydrostaticWavesAreThoseOfLinearTheory) {
  const auto file =
      std::filesystem::path(GOBAN_SOURCE_DIR) / "../shared/reference/mountain_wave_linear_A1.csv";
  const auto reference = read_reference(file, "A1");
  if (reference.empty()) GTEST_SKIP() << file << " is not here";
  Model model;
  model.surface_theta = 288;
  model.stability = 0.02;
  model.wind = {10, 0};
  constexpr double height = 100, half_width = 5000;
  model.terrain = {.shape = Terrain::Shape::bell, .height = height, .half_width = half_width};
  model.sponge_depth = 10000;
  model.sponge_rate = model.usual_sponge_rate(20e3);
  const bool is_long = test::is_long();
  const double end = (is_long ? 5 : 3) * 3600;
  const GridOptions grid = slice_of(is_long ? 300e3 : 200e3, 20e3, 1000, is_long ? 200 : 400);
  model = timed(model, grid, 6, end);
  SmallAtmosphere<2, double> air(model, grid);
  air.run_until(end);
  air.observe();
  const Slice w = air.w();
  const Levels levels(model, *air.grid().state());
  const double gas_heat = model.gas_constant / model.heat_capacity;
  const auto density = [&](double z) {
    const double p = model.pressure(z, 0);
    return p / (model.gas_constant * model.theta(z) * std::pow(p / 1e5, gas_heat));
  };
  std::vector<double> found, expected;
  for (const auto& [z, points] : reference) {
    if (z <= 0) continue;
    for (const Point& point : points) {
      found.push_back(w_at(w, levels, air.grid(), point.x * half_width, z));
      expected.push_back(point.w * std::sqrt(density(0) / density(z)));
    }
  }
  ASSERT_GT(found.size(), 50u);
  const Agreement agreement = compare(found, expected);
  EXPECT_GE(agreement.correlation, 0.95);
  EXPECT_NEAR(agreement.amplitude, 1, 0.1);

  if (!is_long) return;  // the pressure settles later

  // Pressure on the slopes: pi/4 rho N U h^2 (Smith, Adv. Geophys. 21 (1979) 87).
  const Slice p = air.slice(air.step.pressure_deviation);
  double drag = 0;
  for (Index i = 1; i + 1 < p.nx; ++i) {
    const double at_ground = 1.5 * p.at(i, 0) - 0.5 * p.at(i, 1);
    drag += at_ground * (levels.ground(i + 1, 0) - levels.ground(i - 1, 0)) / 2;
  }
  const double linear =
      std::numbers::pi / 4 * density(0) * model.stability * model.wind[0] * height * height;
  EXPECT_NEAR(drag / linear, 1, 0.1);
}

/// How LongWave sums up.
struct Waves {
  double length = 240e3;  ///< m, after which all repeats
  int waves = 240;        ///< of the lengths `length` / n
  int turns = 12;
  bool is_faster = false;  ///< each correction goes on in the direction of the last (Nesterov)
};

/// Steady waves of any height over a mountain, Long's equation (Tellus 5 (1953) 42): the rise of
/// stream lines d obeys lap d + (N/U)^2 d = 0, exactly where U and N are the same everywhere, and
/// is the ground's height h at z = h. A sum of waves that go upward or decay, whose amplitudes are
/// corrected by the transform of what is left at the ground. Over steep ground short waves are much
/// smaller on the summit than where z = 0: what is above the summit converges first.
class LongWave {
 public:
  explicit LongWave(const Model& model, const Waves& how = {})
      : wind_(model.wind[0]), amplitudes_(static_cast<std::size_t>(how.waves)) {
    const double l = model.stability / wind_;
    for (int n = 0; n < how.waves; ++n) {
      const double k = 2 * std::numbers::pi * n / how.length;
      k_.push_back(k);
      m_.push_back(std::sqrt(std::complex<double>(l * l - k * k)));
    }
    const std::size_t waves = k_.size(), points = 4 * waves;
    std::vector<double> ground;
    std::vector<std::complex<double>> at_ground, transform;
    for (std::size_t i = 0; i < points; ++i) {
      const double x = how.length * ((static_cast<double>(i) + 0.5) / points - 0.5);
      ground.push_back(model.terrain.at(x, 0));
      for (std::size_t n = 0; n < waves; ++n) {
        at_ground.push_back(std::exp(i_ * (k_[n] * x + m_[n] * ground.back())));
        transform.push_back(std::polar((n == 0 ? 1.0 : 2.0) / points, -k_[n] * x));
      }
    }
    std::vector<std::complex<double>> from = amplitudes_;
    double pace = 1;
    for (int turn = 0; turn < how.turns; ++turn) {
      auto next = from;
      for (std::size_t i = 0; i < points; ++i) {
        double left = ground[i];
        for (std::size_t n = 0; n < waves; ++n)
          left -= std::real(from[n] * at_ground[i * waves + n]);
        for (std::size_t n = 0; n < waves; ++n) next[n] += left * transform[i * waves + n];
      }
      const double last = pace;
      if (how.is_faster) pace = (1 + std::sqrt(1 + 4 * pace * pace)) / 2;
      for (std::size_t n = 0; n < waves; ++n) {
        from[n] = next[n] + (last - 1) / pace * (next[n] - amplitudes_[n]);
      }
      amplitudes_ = next;
    }
  }

  double w(double x, double z) const {
    double total = 0;
    for (std::size_t n = 0; n < k_.size(); ++n) {
      total += std::real(amplitudes_[n] * i_ * k_[n] * std::exp(i_ * (k_[n] * x + m_[n] * z)));
    }
    return wind_ * total;
  }

 private:
  static constexpr std::complex<double> i_{0, 1};
  double wind_;
  std::vector<double> k_;
  std::vector<std::complex<double>> m_, amplitudes_;
};

/// Waves over a hill that ends along y, too, by linear theory of hydrostatic and other waves in a
/// uniform wind along x and stability (Smith, Tellus 32 (1980) 348): each wave of the ground goes
/// upward with m^2 = (k^2 + l^2) (N^2 / (k U)^2 - 1) or decays.
class LinearHill {
 public:
  explicit LinearHill(const Model& model) : wind_(model.wind[0]), stability_(model.stability) {
    std::vector<std::complex<double>> rows(points * points);
    for (int n = 0; n < points; ++n) {
      for (int j = 0; j < points; ++j) {
        for (int i = 0; i < points; ++i) {
          rows[at(n, j)] +=
              model.terrain.at(place(i), place(j)) * std::polar(1.0 / points, -k(n) * place(i));
        }
      }
    }
    for (int n = 0; n < points; ++n) {
      for (int l = 0; l < points; ++l) {
        for (int j = 0; j < points; ++j)
          ground_[at(n, l)] += rows[at(n, j)] * std::polar(1.0 / points, -k(l) * place(j));
      }
    }
  }

  double w(double x, double y, double z) const {
    const std::complex<double> i(0, 1);
    double sum = 0;
    for (int n = 1; n < points; ++n) {
      if (k(n) == 0) continue;
      for (int l = 1; l < points; ++l) {
        const double ratio = stability_ / (k(n) * wind_);
        const double square = (k(n) * k(n) + k(l) * k(l)) * (ratio * ratio - 1);
        const auto m = square > 0 ? std::copysign(std::sqrt(square), k(n)) : i * std::sqrt(-square);
        sum += std::real(ground_[at(n, l)] * i * k(n) * wind_ *
                         std::exp(i * (k(n) * x + k(l) * y + m * z)));
      }
    }
    return sum;
  }

 private:
  static constexpr int points = 96;
  static constexpr double length = 480e3;
  static std::size_t at(int n, int l) { return static_cast<std::size_t>(n * points + l); }
  static double place(int i) { return length * ((i + 0.5) / points - 0.5); }
  static double k(int n) { return 2 * std::numbers::pi * (n - points / 2) / length; }

  double wind_, stability_;
  std::vector<std::complex<double>> ground_ = std::vector<std::complex<double>>(points * points);
};

TEST(AtmosphereMountain, AHillInSpaceMakesTheWavesOfLinearTheory) {
  if (!test::is_long()) GTEST_SKIP() << "a test of minutes: goban test --long";
  Model model;
  model.surface_theta = 288;
  model.stability = 0.01;
  model.wind = {10, 0};
  model.terrain = {
      .shape = Terrain::Shape::bell, .height = 100, .half_width = 10e3, .width_y = 10e3};
  model.sides.kind[0] = model.sides.kind[1] = {SideKind::open, SideKind::open};
  model.sides.depth = 15e3;
  model.sides.rate = 2e-3;
  model.sponge_depth = 9000;
  model.sponge_rate = model.usual_sponge_rate(18e3);
  const double end = 3 * 3600;
  const GridOptions grid{
      .cells = {64, 48, 45}, .spacing = {2500, 2500, 400}, .origin = {-80e3, -60e3, 0}};
  model = timed(model, grid, 10, end);
  SmallAtmosphere<3, double> air(model, grid);
  air.run_until(end);
  air.observe();
  const LinearHill hill(model);
  const double scale_height = 287 * 288 / 9.81;
  const auto w = air.step.velocity.copy_out();
  const auto of_w = [&](Index i, Index j, Index k) {
    return w[static_cast<std::size_t>(i + 64 * (j + 48 * (k + 45 * 2)))];
  };
  for (const Index k : {Index{2}, Index{5}, Index{10}}) {  // 1, 2.2, 4.2 km
    const double z = 400 * (static_cast<double>(k) + 0.5);
    std::vector<double> found, expected;
    double asymmetry = 0;
    for (Index j = 14; j < 34; ++j) {
      for (Index i = 18; i < 48; ++i) {
        const Position at = air.grid().state()->position({i, j, k}, Location::cell);
        found.push_back(of_w(i, j, k) / std::exp(z / (2 * scale_height)));
        expected.push_back(hill.w(at.x, at.y, z));
        asymmetry = std::max(asymmetry, std::abs(of_w(i, j, k) - of_w(i, 47 - j, k)));
      }
    }
    const Agreement agreement = compare(found, expected);
    EXPECT_GE(agreement.correlation, 0.95) << z;
    EXPECT_NEAR(agreement.amplitude, 1, 0.15) << z;
    EXPECT_LE(asymmetry, 1e-9) << z;
    RecordProperty(
        "w_at_" + std::to_string(std::lround(z)),
        std::to_string(agreement.correlation) + " " + std::to_string(agreement.amplitude));
  }
}

TEST(AtmosphereMountain, SchaersMountainMakesTheWavesOfLongsEquation) {
  if (!test::is_long()) GTEST_SKIP() << "a test of minutes: goban test --long";
  Model model;
  model.surface_theta = 288;
  model.stability = 0.01;
  model.wind = {10, 0};
  model.terrain = {
      .shape = Terrain::Shape::schaer, .height = 250, .half_width = 5000, .wavelength = 4000};
  model.terrain_decay = 3000;
  model.sponge_depth = 9000;
  model.sponge_rate = model.usual_sponge_rate(21e3);
  const double end = 2.5 * 3600;
  const GridOptions grid = slice_of(200e3, 21e3, 500, 300);
  model = timed(model, grid, 4, end);
  SmallAtmosphere<2, double> air(model, grid);
  air.run_until(end);
  air.observe();
  const Slice w = air.w();
  const Levels levels(model, *air.grid().state());
  const LongWave wave(model);
  const double scale_height = 287 * 288 / 9.81;
  for (const double z : {1000.0, 2000.0, 5000.0, 8000.0}) {
    std::vector<double> found, expected;
    for (double x = -20e3; x <= 20e3; x += 250) {
      found.push_back(w_at(w, levels, air.grid(), x, z) / std::exp(z / (2 * scale_height)));
      expected.push_back(wave.w(x, z));
    }
    const Agreement agreement = compare(found, expected);
    EXPECT_GE(agreement.correlation, 0.99) << z << ": a sponge of 0.2/s leaves 0.981 at 5 km";
    EXPECT_NEAR(agreement.amplitude, 1, 0.15) << z;
  }
}

/// Series D2 of the Steep Mountain Model Intercomparison Project (Satomura and others, Annuals
/// Disaster Prev. Res. Inst. Kyoto Univ. 46 B (2003) 337): a bell as high as it is wide at half its
/// height, whose sides rise by 1.3, N h/U = 0.5, N a/U = 0.25, cells of 50 m.
TEST(AtmosphereMountain, FlowOverAHillOfFortyFiveDegreesIsThatOfLongsEquation) {
  Model model;
  model.surface_theta = 288;
  model.stability = 0.01;
  model.wind = {10, 0};
  model.terrain = {.shape = Terrain::Shape::bell, .height = 500, .half_width = 250};
  model.sides.kind[0] = {SideKind::open, SideKind::open};
  model.sides.depth = 1000;
  model.sides.rate = 0.02;
  const bool is_long = test::is_long();
  model.lowest_level = is_long ? 0.5 : 0.4;
  model.sponge_depth = is_long ? 4000 : 2500;
  model.sponge_rate = 0.02;  // of waves that go upward, longer than 2 pi U/N
  const double end = is_long ? 600 : 160;
  const GridOptions grid = is_long ? slice_of(8000, 8000, 50, 100) : slice_of(4000, 5000, 50, 125);
  model = timed(model, grid, 0.32, end);
  SmallAtmosphere<2, double> air(model, grid);
  air.run_until(end);
  air.observe();
  const Slice w = air.w();
  const Levels levels(model, *air.grid().state());
  const LongWave wave(model, {.length = 30e3, .waves = 250, .turns = 200, .is_faster = true});
  const double scale_height = 287 * 288 / 9.81;
  for (const double z : {600.0, 1000.0, 1500.0}) {
    if (z > 1000 && !is_long) continue;  // the waves come later
    std::vector<double> found, expected;
    for (double x = -1000; x <= 1000; x += 25) {
      found.push_back(w_at(w, levels, air.grid(), x, z) / std::exp(z / (2 * scale_height)));
      expected.push_back(wave.w(x, z));
    }
    const Agreement agreement = compare(found, expected);
    EXPECT_GE(agreement.correlation, 0.98) << z;
    EXPECT_NEAR(agreement.amplitude, 1, is_long ? 0.1 : 0.2) << z;
    const auto extremes = [](const std::vector<double>& of) {
      const auto [low, high] = std::minmax_element(of.begin(), of.end());
      return std::to_string(*low) + " " + std::to_string(*high);
    };
    RecordProperty("w_at_" + std::to_string(std::lround(z)),
                   std::to_string(agreement.correlation) + " " +
                       std::to_string(agreement.amplitude) + ": " + extremes(found) + " for " +
                       extremes(expected));
  }
  RecordProperty("w", std::to_string(w.smallest()) + " " + std::to_string(w.largest()));
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_mountain_test
