// Texts of kernels that are written from functors.

#include "goban/backend/cuda/generator/generator.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cuda/compiled/kernel_texts.hpp"
#include "goban/backend/cuda/launch/march_launcher.hpp"
#include "goban/stencil/columns.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cuda::generator_test {
namespace {

template <class T, int C = 1>
using In = FieldParameter<Access::in, T, C>;
template <class T, int C = 1>
using Out = FieldParameter<Access::out, T, C>;
template <class T, int C = 1>
using InOut = FieldParameter<Access::inout, T, C>;

template <class... P, class F>
Stage stage_of(const F& f, Stage::Kind kind = Stage::Kind::apply) {
  Stage stage;
  stage.kind = kind;
  const auto recorded = record<P...>(f);
  stage.footprint = Footprint(recorded.footprint);
  stage.graph = recorded.graph;
  stage.arguments.resize(sizeof...(P));
  return stage;
}

template <int Order>
struct Diffuse {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u() + r * laplacian<Order>(u); }
};

/// Every operation of numbers, in both kinds of branches.
struct Everything {
  float limit;
  GOBAN_FUNCTION void operator()(auto s, auto dt, auto u, auto k, auto v, auto w) const {
    const auto x = s.template position<float>(Axis::x) + s.template random<float>(2);
    const auto n = (k(0, 1, 0) + 3) % 7 << 1 ^ ~k();
    const auto y = exp(u(1, 0, 0)) + log(abs(u())) + sin(x) * cos(x) + tan(x) - tanh(x) + atan(x);
    const auto z = pow(u(), 2.5f) + atan2(y, x) + cbrt(floor(x) + ceil(y)) + min(x, max(y, 0.1f));
    v = select(n >= 3 && !(u() != y), fma(x, y, z), convert<float>(s.step()) * dt());
    if (u() > limit) {
      w = reciprocal(y) + x / (1 + sqrt(abs(z)));
    } else if (s.index(Axis::z) == 0) {
      w = w() - convert<float>(s.time());
    }
  }
};

struct CountAlive {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto cell = [&](int i) { return within<0, 1>(u(i, 0, 0)); };
    const auto n = cell(-1) + cell(1);
    next = select(n >= 1 && n <= 2, cell(0), 0);
  }
};

struct Square {
  GOBAN_FUNCTION void operator()(auto result, auto u) const { result = u() * u(); }
};

/// What comes from walls is reflected; walls keep what they hold.
struct Reflect {
  GOBAN_FUNCTION void operator()(auto u, auto wall, auto next) const {
    decltype(u[0]()) sum(0), pulled[19];
    unroll<19>([&](auto c) {
      pulled[c] = select(wall(1, 0, 0) == 0, u[c](1, 0, 0), u[18 - c]() + u[c](1, 0, 0));
      sum = sum + pulled[c];
    });
    unroll<19>([&](auto c) { next[c] = select(wall() == 0, pulled[c] * sum, u[c]()); });
  }
};

/// What the compiler says; empty: nothing.
std::string log_of(const std::string& text) {
  try {
    compile(text, "goban_kernel", kernel_texts(), {}, 90);
    return "";
  } catch (const CompileError& error) {
    return error.log() + "\n" + text;
  }
}

class Generator : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_refusal().empty()) GTEST_SKIP() << nvrtc_refusal();
  }
  void expect_blocks_compile(const Stage& stage) {
    KernelSubject subject(stage);
    for (const ThreadBlock& block : subject.shape.blocks()) {
      EXPECT_EQ(log_of(sweep_text(subject, block)), "");
    }
    while (subject.shape.width > 1) {
      subject.shape.width /= 2;
      EXPECT_EQ(log_of(sweep_text(subject, {})), "");
    }
  }
};

TEST_F(Generator, SweepsOfAllTypesCompile) {
  expect_blocks_compile(stage_of<In<float>, Out<float>>(Diffuse<2>{0.1f}));
  expect_blocks_compile(stage_of<In<half>, Out<half>>(Diffuse<2>{0.1f}));
  expect_blocks_compile(stage_of<In<double>, Out<double>>(Diffuse<4>{0.1f}));
  expect_blocks_compile(stage_of<In<std::uint8_t>, Out<std::uint8_t>>(CountAlive{}));
}

TEST_F(Generator, SelectionsThatReadCompile) {
  expect_blocks_compile(stage_of<In<float, 19>, In<std::uint8_t>, Out<float, 19>>(Reflect{}));
  expect_blocks_compile(stage_of<In<half, 19>, In<std::uint8_t>, Out<half, 19>>(Reflect{}));
}

TEST_F(Generator, EveryOperationCompiles) {
  expect_blocks_compile(stage_of<SiteParameter, ValueParameter<float>, In<float>, In<std::int32_t>,
                                 Out<float>, InOut<float>>(Everything{0.5f}));
}

/// Reads a finer grid, a coarser one, and its own.
struct BetweenGrids {
  GOBAN_FUNCTION void operator()(auto s, auto finer, auto own, auto coarser, auto v) const {
    const auto is_odd = (s.index(Axis::x) & 1) == 1;
    v = finer[1](1, 0, 3) - finer[0]() + own(0, 1, 0) +
        select(is_odd, coarser(1, 0, 0), coarser(-1, 0, 0));
  }
};

struct SumOfFiner {
  GOBAN_FUNCTION void operator()(auto result, auto own, auto finer) const {
    result = own() + finer() + finer(1, 1, 1);
  }
};

template <class T>
void expect_grids_compile() {
  const auto finest = std::make_shared<GridState>();
  finest->cells = {16, 16, 16};
  const auto middle = member_of(finest, finest->add_coarser({2, 1, 2}, {}).number);
  const auto coarsest = member_of(finest, middle->add_coarser({2, 2, 1}, {}).number);
  Stage stage = stage_of<SiteParameter, In<T, 2>, In<T>, In<T>, Out<T>>(BetweenGrids{});
  const std::array grids{std::shared_ptr<GridState>{}, finest, middle, coarsest, middle};
  for (std::size_t a = 0; a < grids.size(); ++a) stage.arguments[a].grid = grids[a];
  stage.arguments.back().access = Access::out;
  const KernelSubject subject(stage);
  ASSERT_EQ(subject.shape.blocks().size(), 1u);
  EXPECT_EQ(subject.shape.pair_count, 0);
  EXPECT_EQ(log_of(sweep_text(subject, {})), "");
  Stage sum = stage_of<Out<double>, In<T>, In<T>>(SumOfFiner{}, Stage::Kind::reduce);
  sum.arguments[1].grid = middle;
  sum.arguments[2].grid = finest;
  EXPECT_EQ(log_of(reduction_text({KernelSubject(sum)}, 2)), "");
}

TEST_F(Generator, SweepsBetweenGridsCompile) {
  expect_grids_compile<double>();
  expect_grids_compile<float>();
  expect_grids_compile<half>();
  expect_grids_compile<std::int32_t>();
}

TEST_F(Generator, GridsAreReadWhereCellsStandFor) {
  const auto finest = std::make_shared<GridState>();
  const auto coarse = member_of(finest, finest->add_coarser({2, 1, 2}, {}).number);
  Stage stage = stage_of<In<double>, Out<double>>(Diffuse<2>{0.1f});
  stage.arguments[0].grid = finest;
  stage.arguments[1].grid = coarse;
  stage.arguments[1].access = Access::out;
  const std::string text = sweep_text(KernelSubject(stage), {});
  EXPECT_NE(
      text.find("on_other_grid<double, pack_width, order, OtherIndex<2, 0>, OtherIndex<1, 0>, "
                "OtherIndex<2, 0>>(a.field[0], a.common, at, 0, 0, -1, 0)"),
      std::string::npos)
      << text;
}

struct Thomas {
  GOBAN_FUNCTION void forward(auto a, auto b, auto c, auto d, auto, auto s) const {
    const auto m = 1 / (b() - a() * s[0].before());
    s[0] = c() * m;
    s[1] = (d(0, 0, 1) - a(1, 0, 0) * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto, auto, auto d, auto x, auto s) const {
    s[1] = s[1]() - s[0]() * s[1].before() + s[0].before();
    x = s[1]() + d();
  }
};
struct Branches {
  GOBAN_FUNCTION void backward(auto u, auto v, auto dt, auto s) const {
    if (u() > 1.0f) {
      s = s.before() + u() * dt();
      v = s();
    } else {
      s = s.before();
      v = v() - u();
    }
  }
};

TEST_F(Generator, ColumnsCompile) {
  const auto stage_of_columns = [&](const auto& recorded, Axis axis, std::size_t arguments) {
    Stage stage;
    stage.footprint = recorded.whole;
    stage.graph = recorded.backward.graph ? recorded.backward.graph : recorded.forward.graph;
    stage.columns = {axis, recorded.forward, recorded.backward};
    stage.arguments.resize(arguments);
    return stage;
  };
  const Stage solve =
      stage_of_columns(record_columns<In<double>, In<double>, In<double>, In<double>, Out<double>,
                                      ScratchParameter<double, 2>>(Thomas{}),
                       Axis::z, 6);
  EXPECT_EQ(log_of(column_text(KernelSubject(solve), false)), "");
  EXPECT_EQ(log_of(column_text(KernelSubject(solve), true)), "");
  const ColumnScratch kept = scratch_of_columns(KernelSubject(solve));
  EXPECT_EQ(kept.kept, 2);
  EXPECT_EQ(kept.carried, 2);
  EXPECT_EQ(kept.number_bytes, 8);
  EXPECT_TRUE(kept.has_segments);
  const Stage branches = stage_of_columns(
      record_columns<In<half>, InOut<float>, ValueParameter<float>, ScratchParameter<float>>(
          Branches{}),
      Axis::y, 4);
  EXPECT_EQ(log_of(column_text(KernelSubject(branches), false)), "");
  EXPECT_EQ(scratch_of_columns(KernelSubject(branches)).kept, 0);
}

TEST_F(Generator, ReductionsCompile) {
  const Stage stage = stage_of<Out<double>, In<float>>(Square{}, Stage::Kind::reduce);
  EXPECT_EQ(log_of(reduction_text({KernelSubject(stage)}, 1)), "");
}

/// What a sweep makes, its sum and its largest value.
TEST_F(Generator, ReductionsCompileWithTheSweepsBeforeThem) {
  const Stage sweep = stage_of<In<float>, Out<float>>(Diffuse<2>{0.1f});
  const Stage sum = stage_of<Out<double>, In<float>>(Square{}, Stage::Kind::reduce);
  Stage most = sum;
  most.reduction = Reduction::maximum;
  std::vector<KernelSubject> parts{KernelSubject(sweep), KernelSubject(sum), KernelSubject(most)};
  for (KernelSubject& part : parts) part.shape.width = parts[1].shape.width;
  EXPECT_EQ(log_of(reduction_text(parts, 1)), "");
  EXPECT_EQ(log_of(reduction_text(parts, 2)), "");
}

TEST_F(Generator, TilesThatMarchCompile) {
  const Stage near = stage_of<In<float>, Out<float>>(Diffuse<2>{0.1f});
  const Stage far = stage_of<In<float>, Out<float>>(Diffuse<8>{0.1f});
  const auto tiles = [](const Stage& stage, int steps) {
    return march_tiles(DeviceShape(stage), stage.footprint, steps);
  };
  EXPECT_EQ(log_of(march_text(KernelSubject(near), tiles(near, 4), "steps.cuh")), "");
  EXPECT_EQ(log_of(march_text(KernelSubject(near), tiles(near, 4), "steps.cuh", true)), "");
  EXPECT_EQ(log_of(march_text(KernelSubject(far), tiles(far, 1), "ring.cuh")), "");
}

TEST(GeneratedText, CellsOfAThreadShareWhatTheyRead) {
  const Stage stage = stage_of<In<float>, Out<float>>(Diffuse<2>{0.1f});
  const std::string text = sweep_text(KernelSubject(stage), {1, 2});
  int loads = 0;
  for (auto at = text.find("load_constant"); at != std::string::npos;
       at = text.find("load_constant", at + 1)) {
    ++loads;
  }
  EXPECT_EQ(loads, 12) << text;  // four planes of the column, and four packs beside each plane
}

/// Four bytes are one word: what one of them holds beyond its range would spoil those beside it.
TEST(GeneratedText, RangesOfBytesAreThoseOfCellsThatAreUpdated) {
  Stage stage = stage_of<In<std::uint8_t>, Out<std::uint8_t>>(CountAlive{});
  const auto adds_words = [&] {
    return sweep_text(KernelSubject(stage), {}).find("add_bytes") != std::string::npos;
  };
  EXPECT_TRUE(adds_words());
  stage.region = Box{{1, 0, 0}, {9, 8, 8}};
  EXPECT_FALSE(adds_words());
  stage.region.reset();
  stage.mask = std::make_shared<FieldRecord>();
  EXPECT_FALSE(adds_words());
}

TEST(GeneratedText, CellsThatNeedNotReadDoNot) {
  const Stage stage = stage_of<In<float, 19>, In<std::uint8_t>, Out<float, 19>>(Reflect{});
  const KernelSubject subject(stage);
  EXPECT_TRUE(subject.shape.reads_otherwise);
  EXPECT_EQ(subject.shape.width, 1);
  const std::string text = sweep_text(subject, {});
  EXPECT_EQ(text.find("const auto l0_3_0_0_0 ="), std::string::npos) << text;
  EXPECT_NE(text.find(": ((load_constant<1>(s0 + 15 * a.field[0].component)) + v"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(": (load_constant<1>(s0 + 3 * a.field[0].component));"), std::string::npos)
      << text;
}

TEST(GeneratedText, BytesOfKnownRangeAreAddedAsWords) {
  const Stage stage = stage_of<In<std::uint8_t>, Out<std::uint8_t>>(CountAlive{});
  const std::string text = sweep_text(KernelSubject(stage), {});
  EXPECT_NE(text.find("add_bytes("), std::string::npos) << text;
  EXPECT_NE(text.find("small_less_equal("), std::string::npos) << text;
}

}  // namespace
}  // namespace goban::cuda::generator_test
