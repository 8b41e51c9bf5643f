// Equal bits however the work is cut, ordered and computed.

#include "tests/apps/seismic_run.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::seismic::seismic_bits_test {
namespace {

using Cuts = std::vector<std::array<std::string, 3>>;

/// Everything at once: a surface, absorbing and periodic sides, layers, a body, a force, a moment.
Model model_with_everything(int dimensions, int order, Absorber::Kind absorber) {
  Model model;
  model.dimensions = dimensions;
  model.order = order;
  model.medium = uniform({2, 1, 2});
  model.medium.layers.push_back(Layer{.top = 6, .rock = {2.5, 1.2, 2.5}, .per_metre = {0.1, 0, 0}});
  model.medium.bodies.push_back(Body{.shape = Body::Shape::ellipsoid,
                                     .center = {9, 8, 4},
                                     .semi_axes = {4, 5, 3},
                                     .rock = {1.8, 0, 1}});
  model.absorber = {.kind = absorber, .width = 4};
  model.edges = {{{Edge::absorbing, Edge::absorbing},
                  {Edge::periodic, Edge::periodic},
                  {Edge::free, Edge::absorbing}}};
  model.peak_velocity = true;
  const double y = dimensions == 3 ? 18.4 : 0.5;  // near the periodic end
  const bool is_flat = dimensions == 2;
  model.sources = {force_at({8.2, y, 0.4}, {1, is_flat ? 0.0 : -2.0, 3}, ricker(3)),
                   moment_at({14.3, y, 7.6},
                             {1, is_flat ? 0.0 : 2.0, -1, is_flat ? 0.0 : 3.0, 1.5, 0}, ricker(3))};
  return model;
}

template <int Dimensions, class T>
void expect_equal_bits(const Model& model, Index3 cells, const Cuts& cuts,
                       const std::vector<int>& steps_per_exchange, std::size_t every) {
  const auto run = [&](const Settings& settings) {
    SmallWaves<Dimensions, T> waves(model, {.cells = cells}, 0.15, settings);
    waves.run(7);
    test::Results results;
    std::size_t n = 0;
    for (const std::uint64_t sum : waves.checksums()) results["field " + std::to_string(n++)] = sum;
    return results;
  };
  const std::vector<Settings> all = test::all_ways(cuts, steps_per_exchange);
  std::vector<Settings> some;
  for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  test::expect_same_bits(run, some);
}

const Index3 space = {19, 19, 23};
const Cuts cuts = {{"", "", ""}, {"8,11", "", ""}, {"", "9,10", "12,11"}, {"5,6,8", "10,9", ""}};
// Cuts whose patches have room for halos of several steps.
const Cuts wide_cuts = {
    {"", "", ""}, {"9,10", "", ""}, {"", "10,9", "11,12"}, {"10,9", "9,10", ""}, {"", "", "12,11"}};

/// The widest of all fields, on the low and the high side of an axis that is cut like this.
std::array<Index, 2> widest_halos(std::size_t axis, const std::string& cuts, int steps) {
  Settings settings;
  settings.cuts[axis] = cuts;
  settings.steps_per_exchange = steps;
  settings.temporal_blocking = 1;
  Index3 cells = {19, 19, 19};
  cells[axis] = 54;
  SmallWaves<3, float> waves(model_with_everything(3, 4, Absorber::Kind::pml), {.cells = cells},
                             0.15, settings);
  Engine engine(waves.step.program());
  std::array<Index, 2> widest{};
  for (const Extents& width : halo_widths(engine.schedule().cycle)) {
    widest = {std::max(widest[0], width.low[axis]), std::max(widest[1], width.high[axis])};
  }
  return widest;
}

TEST(SeismicBits, WhatLooksDownFromTheSurface_AsksNothingOfPatchesBelow) {
  using Widths = std::array<Index, 2>;
  for (const std::string cuts : {"27,27", "18,18,18"}) {
    for (const std::size_t axis :
         {std::size_t{0}, std::size_t{2}}) {  // at the end of z is a surface, at those of x none
      EXPECT_EQ(widest_halos(axis, cuts, 1), (Widths{2, 2}));
      EXPECT_EQ(widest_halos(axis, cuts, 2), (Widths{8, 9}));
    }
  }
}

TEST(SeismicBits, WavesInFloat_SameChecksumEveryWay) {
  const Model model = model_with_everything(3, 4, Absorber::Kind::pml);
  expect_equal_bits<3, float>(model, space, cuts, {1}, 7);
  expect_equal_bits<3, float>(model, space, wide_cuts, {2}, 7);
}
TEST(SeismicBits, WavesInDouble_SameChecksumEveryWay) {
  const Model model = model_with_everything(3, 4, Absorber::Kind::sponge);
  expect_equal_bits<3, double>(model, space, cuts, {1}, 19);
  expect_equal_bits<3, double>(model, space, wide_cuts, {2}, 19);
}
TEST(SeismicBits, WavesThatLoseEnergy_SameChecksumEveryWay) {
  for (const auto kind : {Absorber::Kind::pml, Absorber::Kind::sponge}) {
    Model model = model_with_everything(3, 4, kind);
    model.band = Band{0.02, 0.5, 0.1};
    model.medium.layers[0].rock.p_loss = 1 / 80.0;
    model.medium.layers[0].rock.s_loss = 1 / 40.0;
    expect_equal_bits<3, float>(model, space, cuts, {1}, 31);
    expect_equal_bits<3, float>(model, space, wide_cuts, {2}, 61);
  }
  Model model = model_with_everything(2, 4, Absorber::Kind::pml);
  model.band = Band{0.02, 0.5, 0.1};
  model.medium.layers[0].rock.p_loss = 1 / 80.0;
  expect_equal_bits<2, double>(model, {37, 1, 26}, {{"", "", ""}, {"13,12,12", "", "14,12"}}, {1},
                               31);
}
TEST(SeismicBits, OtherOrders_SameChecksumEveryWay) {
  expect_equal_bits<3, float>(model_with_everything(3, 2, Absorber::Kind::pml), space, cuts, {1},
                              13);
  expect_equal_bits<3, float>(model_with_everything(3, 2, Absorber::Kind::pml), space, wide_cuts,
                              {3}, 19);
  expect_equal_bits<3, float>(model_with_everything(3, 8, Absorber::Kind::pml), space, cuts, {1},
                              19);
  for (const int order : {2, 8}) {
    expect_equal_bits<2, float>(model_with_everything(2, order, Absorber::Kind::pml), {37, 1, 26},
                                {{"", "", ""}, {"13,12,12", "", "14,12"}}, {1}, 31);
  }
}
TEST(SeismicBits, WavesInThePlane_SameChecksumEveryWay) {
  const Model model = model_with_everything(2, 4, Absorber::Kind::pml);
  expect_equal_bits<2, float>(model, {37, 1, 26},
                              {{"", "", ""}, {"17,20", "", ""}, {"13,12,12", "", "14,12"}}, {1}, 7);
  expect_equal_bits<2, double>(model, {37, 1, 26},
                               {{"", "", ""}, {"17,20", "", ""}, {"13,12,12", "", ""}}, {2}, 7);
}

}  // namespace
}  // namespace goban::seismic::seismic_bits_test
