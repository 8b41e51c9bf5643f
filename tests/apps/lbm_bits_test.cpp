// Equal bits however the work is cut, ordered and computed.

#include "goban/io/case/time_value.hpp"
#include "tests/apps/lbm_run.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::lbm::lbm_bits_test {
namespace {

using Cuts = std::vector<std::array<std::string, 3>>;

/// All combinations of cuts, threads, R, overlap, blocking and backends.
std::vector<Settings> ways(const Cuts& cuts, const std::vector<int>& steps_per_exchange,
                           bool cpu_joins_gpus = true) {
  test::SettingsProduct product;
  product.cpu_joins_gpus = cpu_joins_gpus;
  product.cuts = cuts;
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.steps_per_exchange = steps_per_exchange;
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 3};
  product.delay_microseconds = 5;
  return product.all();
}

const Index3 space = {19, 17, 13};  // multiples of no pack
const Cuts space_cuts = {{"", "", ""}, {"8,11", "", ""}, {"", "9,8", "6,7"}, {"5,6,8", "10,7", ""}};
const Index3 plane = {37, 22, 1};
const Cuts plane_cuts = {{"", "", ""}, {"17,20", "", ""}, {"9,13,15", "10,12", ""}};

/// Inflow, outflow, a wall that moves, one at rest, a sphere and a force.
Model model_with_everything(Model::Collision collision, Model::Lattice lattice) {
  Model model;
  model.lattice = lattice;
  model.collision = collision;
  model.tau = 0.6;
  model.edges = {{{Edge::inflow, Edge::outflow},
                  {Edge::wall, Edge::moving},
                  {Edge::periodic, Edge::periodic}}};
  model.parabolic_inflow = true;
  model.inflow_velocity = {0.05, 0.01, 0};
  model.wall_velocity = {0.04, 0, 0.01};
  model.force = {1e-4, -2e-4, 3e-5};
  model.start_velocity = {0.03, 0.01, -0.02};
  model.solids.bodies = {
      SolidBody{.center = {8, 7, 6}, .radius = 2.6},
      SolidBody{.shape = SolidBody::Shape::box, .lower = {3, 9, 0}, .upper = {5, 12, 13}}};
  return model;
}

Model vortices(Model::Collision collision) {
  Model model;
  model.collision = collision;
  model.tau = 0.55;
  model.start = Model::Start::taylor_green;
  model.start_velocity = {0.1, 0, 0};
  return model;
}

template <class Lattice, class T, class Layout>
std::uint64_t checksum_of(const Model& model, Index3 cells, const Settings& settings) {
  SmallFlow<Lattice, T, Layout> flow(model, {.cells = cells}, settings);
  flow.run(7);
  return flow.step.f.checksum();
}

/// Goes one way of `every`; 7 of them share no factor with the numbers of choices, so that all
/// choices meet.
template <class Lattice, class T, class Layout>
void expect_equal_bits(const Model& model, std::size_t every) {
  const bool flat = Lattice::dimensions == 2;
  const Index3 cells = flat ? plane : space;
  const std::uint64_t expected = checksum_of<Lattice, T, ijk>(model, cells, test::plainest());
  const std::vector<Settings> all = ways(flat ? plane_cuts : space_cuts, {1, 2, 3, 4});
  for (std::size_t i = 0; i < all.size(); i += every) {
    ASSERT_EQ((checksum_of<Lattice, T, Layout>(model, cells, all[i])), expected)
        << test::options_of(all[i]);
  }
}

using Collision = Model::Collision;

TEST(LbmBits, VorticesInFloat_SameChecksumEveryWay) {
  expect_equal_bits<D3Q19, float, ijk>(vortices(Collision::bgk), 1);
}
TEST(LbmBits, VorticesInFloatAcross_SameChecksumEveryWay) {
  expect_equal_bits<D3Q19, float, kij>(vortices(Collision::bgk), 7);
}
TEST(LbmBits, FlowInFloat_SameChecksumEveryWay) {
  expect_equal_bits<D3Q19, float, ijk>(
      model_with_everything(Collision::smagorinsky, Model::Lattice::d3q19), 7);
}
TEST(LbmBits, FlowInDoubleAcross_SameChecksumEveryWay) {
  expect_equal_bits<D3Q19, double, kij>(
      model_with_everything(Collision::trt, Model::Lattice::d3q19), 7);
}
TEST(LbmBits, FlowInThePlane_SameChecksumEveryWay) {
  const Model model = model_with_everything(Collision::trt, Model::Lattice::d2q9);
  expect_equal_bits<D2Q9, double, ijk>(model, 7);
  expect_equal_bits<D2Q9, double, kij>(model, 7);
}
TEST(LbmBits, FlowInHalf_SameChecksumEveryWay) {
  expect_equal_bits<D3Q19, half, ijk>(model_with_everything(Collision::bgk, Model::Lattice::d3q19),
                                      7);
}

TEST(LbmBits, FlowWhoseDriveVaries_SameChecksumEveryWay) {
  const auto value = [](const char* text) { return *parse_time_value(text, "1").value; };
  Model model = model_with_everything(Collision::trt, Model::Lattice::d2q9);
  model.drive = Model::Drive{{value("1e-4 * cos(t)"), -2e-4, value("3e-5 * t")},
                             {value("0.04 * sin(t)"), 0, 0.01},
                             {value("0.05 * ramp(t/4)"), value("0.01 * t/7"), 0}};
  model.edges[0][1] = Edge::pressure;
  model.excess[0][1] = value("1e-3 * sin(t)");
  model.force = at(model.drive->force, 0);
  model.wall_velocity = at(model.drive->wall_velocity, 0);
  model.inflow_velocity = at(model.drive->inflow_velocity, 0);
  expect_equal_bits<D2Q9, double, ijk>(model, 7);
}

template <class T>
void expect_bits_of_two_sets(const Model& model, std::size_t every) {
  const std::uint64_t expected = checksum_of<D3Q19, T, ijk>(model, space, test::plainest());
  const std::vector<Settings> all = ways(space_cuts, {1, 2, 3}, false);
  for (std::size_t i = 0; i < all.size(); i += every) {
    ASSERT_EQ((checksum_of<D3Q19, InPlace<T>, ijk>(model, space, all[i])), expected)
        << test::options_of(all[i]);
  }
}
TEST(LbmBits, VorticesInPlace_SameChecksumAsTwoSets) {
  expect_bits_of_two_sets<float>(vortices(Collision::bgk), 1);
}
TEST(LbmBits, DrivenFlowInPlace_SameChecksumAsTwoSets) {
  Model model = vortices(Collision::trt);
  model.force = {1e-4, -2e-4, 3e-5};
  expect_bits_of_two_sets<half>(model, 7);
  model.collision = Collision::smagorinsky;
  expect_bits_of_two_sets<double>(model, 7);
}

TEST(LbmBits, ForceOnObstacles_IsTheSameEveryWay) {
  const Model model = model_with_everything(Collision::trt, Model::Lattice::d3q19);
  std::vector<std::array<double, 3>> forces;
  const std::vector<Settings> all = ways(space_cuts, {1});
  for (std::size_t i = 0; i < all.size(); i += 7) {
    SmallFlow<D3Q19, float> flow(model, {.cells = space}, all[i]);
    flow.run(5);
    flow.sum_up();
    const auto& f = flow.step.force;
    forces.push_back({f[0].value(), f[1].value(), f[2].value()});
    ASSERT_EQ(forces.back(), forces.front()) << test::options_of(all[i]);
  }
  EXPECT_NE(forces.front()[0], 0);
}

}  // namespace
}  // namespace goban::lbm::lbm_bits_test
