// What evaluators make of sweeps has the bits of the kernels.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>

#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/goban.hpp"

namespace goban::evaluator_test {
namespace {

/// Numbers between -2 and 2, or below 100; stored as `type`.
void fill_randomly(std::byte* memory, Index elements, ElementType type, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-2, 2);
  visit_element(type, [&]<class T>(T) {
    for (Index i = 0; i < elements; ++i) {
      T value{};
      if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(random() % 4 == 0 ? random() % 2 : random() % 100);
      } else {
        value = static_cast<T>(static_cast<ArithmeticOf<T>>(real(random)));
      }
      std::memcpy(memory + i * Index{sizeof(T)}, &value, sizeof(T));
    }
  });
}

struct alignas(64) Line {
  std::array<std::byte, 64> bytes{};
  bool operator==(const Line&) const = default;
};

/// The fields of one stage in memory of their own, with room around the box.
class Memory {
 public:
  static constexpr Index low = 64, around = 5, rows = 16;  // elements, and rows

  Memory(const Stage& stage, Index cells)
      : fields(stage.arguments.size()), pitch_(round_up(cells, 64) + 2 * low) {
    for (std::size_t a = 0; a < fields.size(); ++a) {
      const auto& field = stage.arguments[a].field;
      if (field) fields[a] = add(*field, static_cast<unsigned>(a));
      fields[a].map = field ? map_of(stage, a) : IndexMap{};
      if (field && !fields[a].map.is_identity()) fields[a].clip = {};
    }
    if (stage.mask) mask = add(*stage.mask, 99);
  }

  /// `next` becomes the memory of `field`, each component where it is read.
  void put_in_place(std::size_t field, std::size_t next,
                    const std::vector<std::array<int, 3>>& moves) {
    FieldBinding& from = fields[field];
    FieldBinding& to = fields[next];
    auto here = std::make_shared<ComponentPlaces>(), there = std::make_shared<ComponentPlaces>();
    for (std::size_t q = 0; q < moves.size(); ++q) {
      Index at = static_cast<Index>(q) * from.component_stride;
      here->offset.push_back(at);
      for (std::size_t a = 1; a < 3; ++a) at += moves[q][a] * from.stride[a];
      there->offset.push_back(at);
    }
    to = from;
    from.places = here;
    to.places = there;
  }

  std::vector<FieldBinding> fields;
  FieldBinding mask;

  bool operator==(const Memory& other) const { return lines_ == other.lines_; }

 private:
  FieldBinding add(const FieldRecord& field, unsigned seed) {
    FieldBinding binding;
    binding.stride[static_cast<std::size_t>(field.order[0])] = 1;
    binding.stride[static_cast<std::size_t>(field.order[1])] = pitch_;
    binding.stride[static_cast<std::size_t>(field.order[2])] = pitch_ * rows;
    binding.component_stride = pitch_ * rows * rows;
    const auto size = static_cast<Index>(size_of(field.type));
    const Index elements = binding.component_stride * field.components;
    auto& memory = lines_.emplace_back(static_cast<std::size_t>(elements * size + 63) / 64);
    auto* const first = reinterpret_cast<std::byte*>(memory.data());
    fill_randomly(first, elements, field.type, seed);
    binding.write = first + (around * pitch_ * (rows + 1) + low) * size;
    binding.read = binding.write;
    binding.clip = {{-1000, -1000, -1000}, {1000, 1000, 1000}};
    return binding;
  }

  Index pitch_;
  std::vector<std::vector<Line>> lines_;
};

/// One stage, by its kernel and by an evaluator.
struct Sweep {
  /// Over rows of so many cells.
  explicit Sweep(const Program& program, Index cells = 203)
      : stage(program.stages().front()),
        by_kernel(*stage, cells),
        by_evaluator(*stage, cells),
        box{{1, 0, 0}, {cells, 5, 4}} {}

  SweepCall call_on(Memory& memory) {
    SweepCall call;
    call.fields = memory.fields.data();
    call.values = values.data();
    call.mask = stage->mask ? &memory.mask : nullptr;
    call.site = site;
    call.box = call.tile = box;
    if (stage->columns) call.column_axis = index_of(stage->columns->axis);
    return call;
  }

  /// `change(call, memory)`: before each of both; returns whether what they reduce is the same.
  template <class Change>
  bool run(const Change& change) {
    const cpu::StageKernel kernel(*stage);
    EXPECT_TRUE(kernel.wait());
    SweepCall call = call_on(by_kernel);
    Reducer expected, found;
    expected.kind = found.kind = stage->reduction;
    call.reducer = &expected;
    change(call, by_kernel);
    cpu::StageRun(kernel, call, false)(call);
    call = call_on(by_evaluator);
    call.reducer = &found;
    change(call, by_evaluator);
    const auto evaluates = evaluated();
    EXPECT_FALSE(evaluates->wait());
    cpu::StageRun(*evaluates, call, false)(call);
    return std::bit_cast<std::uint64_t>(expected.value()) ==
           std::bit_cast<std::uint64_t>(found.value());
  }
  /// Without machine code.
  std::unique_ptr<const cpu::StageKernel> evaluated() const {
    const KernelMode before = cpu::kernel_mode();
    cpu::set_kernel_mode(KernelMode::evaluate);
    auto made = std::make_unique<const cpu::StageKernel>(*stage);
    cpu::set_kernel_mode(before);
    return made;
  }
  template <class Change>
  void expect_same_bits(const Change& change) {
    EXPECT_TRUE(run(change)) << stage->name;
    EXPECT_TRUE(by_kernel == by_evaluator) << stage->name;
  }
  void expect_same_bits() {
    expect_same_bits([](SweepCall&, Memory&) {});
  }

  std::shared_ptr<const Stage> stage;
  Memory by_kernel, by_evaluator;
  std::vector<double> values = std::vector<double>(16, 0.75);
  Box box;
  SiteInfo site{.index = {40, 3, 100},
                .extents = {250, 9, 104},
                .periodic = {true, false, true},
                .origin = {0.5, 0, -1},
                .spacing = {0.1, 0.2, 0.3},
                .offset = {0.5, 0.5, 0},
                .step = 17,
                .time = 0.37,
                .seed = 5};
};

struct Place {
  Runtime runtime{Settings{}};
  Grid grid{runtime, {.cells = {64, 8, 8}, .boundary = constant(0)}};
};

struct Diffuse {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.125f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                           u(0, 0, -1) - 6 * u());
  }
};

template <class T, class Layout>
Sweep diffusion(Place& place, Index cells = 203) {
  Field<T, 1, Layout> u(place.grid, "u"), next(place.grid, "next");
  Program program("diffuse");
  program.apply(Diffuse{}, in(u), out(next));
  return Sweep(program, cells);
}

TEST(Evaluator, HasTheBitsOfKernelsForEveryTypeAndOrderInMemory) {
  Place place;
  diffusion<float, ijk>(place).expect_same_bits();
  diffusion<double, ijk>(place, 2203).expect_same_bits();
  diffusion<half, ijk>(place).expect_same_bits();
  auto across = diffusion<float, kij>(place);
  across.box = {{0, 0, 2}, {4, 5, 190}};
  across.expect_same_bits();
}

TEST(Evaluator, LeavesCellsBeyondTheClip) {
  Place place;
  auto sweep = diffusion<float, ijk>(place);
  sweep.expect_same_bits([](SweepCall&, Memory& memory) {
    memory.fields[1].clip = {{20, 1, -3}, {187, 9, 3}};
  });
}

TEST(Evaluator, StoresPastTheCaches) {
  Place place;
  const auto stream = [](SweepCall& call, Memory&) { call.streaming = true; };
  diffusion<float, ijk>(place).expect_same_bits(stream);
  diffusion<half, ijk>(place).expect_same_bits(stream);
}

TEST(Evaluator, LeavesCellsUnderTheMask) {
  Place place;
  Field<half> u(place.grid, "u"), next(place.grid, "next");
  Field<std::uint8_t> mask(place.grid, "mask");
  Program program("masked");
  program.apply(Diffuse{}, in(u), out(next)).where(mask);
  Sweep(program).expect_same_bits();
}

TEST(Evaluator, KeepsTheEndsOfRows) {
  Place place;
  for (const Index kept_from : {Index{192}, std::numeric_limits<Index>::max()}) {
    auto sweep = diffusion<float, ijk>(place);
    sweep.box = {{0, 0, 0}, {203, 5, 4}};
    constexpr Index pitch = 128, rows = 8;
    std::vector<std::vector<float>> kept;
    std::array<RowEndsBinding, 2> ends;
    const auto keep = [&](SweepCall& call, Memory&) {
      auto& memory = kept.emplace_back(pitch * rows * rows, 7.0f);
      ends[1] = {.component = {reinterpret_cast<std::byte*>(memory.data() + 32)},
                 .stride = {1, pitch, pitch * rows},
                 .low_end = 32,
                 .high_begin = 176,
                 .kept_below = 16,
                 .kept_from = kept_from,
                 .gap = 144};
      call.ends = ends.data();
      call.streaming = true;
    };
    sweep.run(keep);
    const auto cell = [](const Memory& memory, Index x, Index y, Index z) {
      const FieldBinding& next = memory.fields[1];
      return reinterpret_cast<const float*>(next.read)[x + y * next.stride[1] + z * next.stride[2]];
    };
    for (Index z = 0; z < 4; ++z) {
      for (Index y = 0; y < 5; ++y) {
        const auto row = static_cast<std::size_t>(32 + y * pitch + z * pitch * rows);
        for (std::size_t i = row; i < row + 203 - 144; ++i) ASSERT_EQ(kept[0][i], kept[1][i]);
        // Whoever keeps the others writes them to memory.
        for (Index x = 16; x < std::min<Index>(203, kept_from); ++x) {
          ASSERT_EQ(cell(sweep.by_kernel, x, y, z), cell(sweep.by_evaluator, x, y, z)) << x;
        }
      }
    }
  }
}

struct Integers {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c, auto d) const {
    c = (a() / b(1, 0, 0) + a(0, 1, 0) % b() - (a() << 3)) ^ (b() >> 1);
    d = select(a() > 50, b(), ~a()) + max(a(), b(0, 0, 1));
  }
};
struct Bytes {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto next) const {
    const auto sum = a(1, 0, 0) + a(-1, 0, 0) + a(0, 1, 0) + a(0, -1, 0);
    next = select((sum == 3) || (b() != 0 && sum < 9), a() * b(), sum / b(0, 1, 1));
  }
};

TEST(Evaluator, ComputesIntegersAsKernelsDo) {
  Place place;
  Field<std::int32_t> a(place.grid, "a"), b(place.grid, "b"), c(place.grid, "c"),
      d(place.grid, "d");
  Program integers("integers");
  integers.apply(Integers{}, in(a), in(b), out(c), out(d));
  Sweep(integers).expect_same_bits();
  Field<std::uint8_t> e(place.grid, "e"), f(place.grid, "f"), g(place.grid, "g");
  Program bytes("bytes");
  bytes.apply(Bytes{}, in(e), in(f), out(g));
  Sweep(bytes).expect_same_bits();
}

struct Extremes {
  GOBAN_FUNCTION void operator()(auto u, auto low, auto high) const {
    low = min(u(), u(1, 0, 0)) + select(u() < u(-1, 0, 0), 0.0f, u(2, 0, 0));
    high = max(u(0, 1, 0), min(u(), 0.25f));
  }
};

TEST(Evaluator, TreatsNumbersThatAreNoneAsKernelsDo) {
  Place place;
  Field<float> u(place.grid, "u"), low(place.grid, "low"), high(place.grid, "high");
  Program program("extremes");
  program.apply(Extremes{}, in(u), out(low), out(high));
  Sweep sweep(program);
  sweep.expect_same_bits([](SweepCall&, Memory& memory) {
    auto* const cells = reinterpret_cast<float*>(memory.fields[0].write);
    for (Index i = 0; i < 1000; i += 7) cells[i] = -std::numeric_limits<float>::quiet_NaN();
    for (Index i = 3; i < 1000; i += 11) cells[i] = -0.0f;
  });
}

struct Limit {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto w) const {
    if (u() > 1) {
      v = w() + 1;
      w = v();
    } else if (u(0, 1, 0) < -0.5) {
      w = 0.5f * u(-1, 0, 0);
    }
  }
};
struct Exchange {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto c) const {
    const auto first = a();
    a = b();
    b = c() * first;
    c = first;
  }
};

TEST(Evaluator, KeepsWhatAPathDoesNotAssign) {
  Place place;
  Field<float> u(place.grid, "u"), v(place.grid, "v"), w(place.grid, "w");
  Program program("limit");
  program.apply(Limit{}, in(u), inout(v), inout(w));
  Sweep(program).expect_same_bits();
}

TEST(Evaluator, ReadsWhatItUpdatesBeforeItIsStored) {
  Place place;
  Field<float> a(place.grid, "a"), b(place.grid, "b"), c(place.grid, "c");
  Program floats("exchange");
  floats.apply(Exchange{}, inout(a), inout(b), inout(c));
  Sweep(floats).expect_same_bits();
  Field<half> d(place.grid, "d"), e(place.grid, "e"), f(place.grid, "f");
  Program halves("halves");
  halves.apply(Exchange{}, inout(d), inout(e), inout(f));
  Sweep(halves).expect_same_bits();
}

struct Where {
  GOBAN_FUNCTION void operator()(auto site, auto p, auto n, auto x, auto r) const {
    n = site.index(Axis::x) + 10 * site.index(Axis::y) + 100 * site.index(Axis::z);
    x = site.position(Axis::x) * site.position(Axis::y) + site.time() * p() +
        convert<double>(site.step());
    r = site.template random<float>(3) + site.template position<float>(Axis::z) +
        convert<float>(site.random());
  }
};

TEST(Evaluator, KnowsWhereAndWhenItIs) {
  Place place;
  Field<std::int32_t> n(place.grid, "n");
  Field<double> x(place.grid, "x");
  Field<float> r(place.grid, "r");
  Parameter<double> p("p");
  Program program("where");
  program.apply(Where{}, site, param(p), out(n), out(x), out(r));
  Sweep sweep(program);
  sweep.box.upper[2] = 7;  // beyond the end, where the axis is periodic
  sweep.expect_same_bits();
}

struct Mathematics {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto x = abs(u()) + 0.125f;
    next = exp(u()) + log(x) * sin(u(1, 0, 0)) + pow(x, 1.5f) - atan2(u(), x) + tanh(u()) +
           fma(x, u(), sqrt(x)) + floor(4 * u()) - ceil(u()) + cbrt(x) / x;
  }
};

TEST(Evaluator, HasTheBitsOfMathematicalFunctions) {
  Place place;
  Field<float> u(place.grid, "u"), next(place.grid, "next");
  Program program("mathematics");
  program.apply(Mathematics{}, in(u), out(next));
  Sweep(program).expect_same_bits();
}

struct Constants {
  GOBAN_FUNCTION void operator()(auto p, auto a, auto b, auto c, auto d) const {
    a = 3;
    b = 0.1f * p();
    c = d(1, 0, 0);
  }
};

TEST(Evaluator, StoresNumbersThatAllCellsHaveAndCopies) {
  Place place;
  Field<std::uint8_t> a(place.grid, "a");
  Field<half> b(place.grid, "b");
  Field<float> c(place.grid, "c"), d(place.grid, "d");
  Parameter<float> p("p");
  Program program("constants");
  program.apply(Constants{}, param(p), out(a), out(b), out(c), in(d));
  Sweep(program).expect_same_bits();
}

struct Product {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * v(1, 0, 0); }
};

TEST(Evaluator, ReducesAsKernelsDo) {
  Place place;
  Field<float> u(place.grid, "u"), v(place.grid, "v");
  Field<std::uint8_t> mask(place.grid, "mask");
  Parameter<double> result("result");
  for (const auto& reduction : {sum, minimum, maximum}) {
    Program all("all"), masked("masked");
    all.reduce(Product{}, in(u), in(v), reduction, into(result));
    masked.reduce(Product{}, in(u), in(v), reduction, into(result)).where(mask);
    Sweep(all).expect_same_bits();
    Sweep(masked).expect_same_bits();
  }
}

struct Solve {
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const {
    const auto m = 1 / (4 + s[0].before());
    s[0] = -m;
    s[1] = (u(1, 0, 0) + s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto, auto next, auto s) const {
    s[1] = s[1]() - s[0]() * s[1].before();
    next = s[1]();
  }
};

TEST(Evaluator, SweepsColumnsAlongEveryAxisButThatOfRows) {
  Place place;
  Field<double> u(place.grid, "u"), next(place.grid, "next");
  for (const Axis axis : {Axis::y, Axis::z}) {
    Program program("solve");
    program.columns(axis, Solve{}, in(u), out(next), scratch<double, 2>);
    Sweep(program).expect_same_bits();
  }
}

struct Stream {
  static constexpr std::array<std::array<int, 3>, 5> from = {
      {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {1, 0, -1}}};
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    const auto a = f[0](), b = f[1](-1, 0, 0), c = f[2](1, 0, 0), d = f[3](-1, 1, 0),
               e = f[4](1, 0, -1);
    const auto mean = 0.2f * (a + b + c + d + e);
    next[0] = a - mean;
    next[1] = b + mean;
    next[2] = c - 0.5f * mean;
    next[3] = d + 0.25f * mean;
    next[4] = e * mean;
  }
};

TEST(Evaluator, WritesWhereItReads) {
  Place place;
  Field<InPlace<float>, 5> f(place.grid, "f"), next(f, "next");
  Program program("stream");
  program.apply(Stream{}, in(f), out(next));
  Sweep sweep(program, 2203);  // several pieces
  const std::vector<std::array<int, 3>> moves(Stream::from.begin(), Stream::from.end());
  sweep.by_kernel.put_in_place(0, 1, moves);
  sweep.by_evaluator.put_in_place(0, 1, moves);
  sweep.expect_same_bits();
}

struct Between {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse, auto next) const {
    next = 0.5f * (fine(1, 0, 1) - fine(-1, 2, 0)) + coarse(1, -1, 0) + next();
  }
};

TEST(Evaluator, ReadsOtherGrids) {
  Place place;
  Grid middle = place.grid.coarsened({2, 2, 1}), coarse = middle.coarsened({2, 1, 2});
  Field<half> a(place.grid, "a");
  Field<float> b(coarse, "b"), next(middle, "next");
  Program program("between");
  program.apply(Between{}, in(a), in(b), inout(next));
  Sweep sweep(program);
  sweep.site.index = {1, 0, 1};
  sweep.box = {{1, 0, 0}, {93, 4, 4}};
  sweep.expect_same_bits();
}

}  // namespace
}  // namespace goban::evaluator_test
