#include "goban/backend/cuda/compiled/own_kernels.hpp"

#include <array>
#include <memory>

#include "goban/backend/cuda/compiled/loop_recording.hpp"

namespace goban::cuda {
namespace {

constexpr std::array units = {1, 2, 4, 8, 16};
constexpr std::array types = {ElementType::uint8, ElementType::int32, ElementType::half,
                              ElementType::float32, ElementType::float64};

std::string counted_in(int unit, const std::string& file) {
  const char* name = unit == 1   ? "unsigned char"
                     : unit == 2 ? "unsigned short"
                     : unit == 4 ? "unsigned int"
                     : unit == 8 ? "uint2"
                                 : "uint4";
  return std::string("using Unit = ") + name + ";\n#include \"" + file + "\"\n";
}

std::string stored_as(ElementType type, const std::string& file) {
  const char* name = type == ElementType::uint8     ? "unsigned char"
                     : type == ElementType::int32   ? "int"
                     : type == ElementType::half    ? "goban::device::half"
                     : type == ElementType::float32 ? "float"
                                                    : "double";
  return std::string("#include \"memory.cuh\"\nusing Element = ") + name + ";\n#include \"" + file +
         "\"\n";
}

/// Kernels that differ in a key.
template <class Key, std::size_t Count>
class Family {
 public:
  using Text = std::string (*)(Key key, const std::string& file);
  Family(const std::array<Key, Count>& keys, Text text, const std::string& file,
         const std::string& entry)
      : keys_(keys) {
    for (std::size_t i = 0; i < Count; ++i) {
      kernels_[i] = std::make_unique<OwnKernel>(text(keys[i], file), entry);
    }
  }
  const OwnKernel& of(Key key) const {
    std::size_t i = 0;
    while (i + 1 < Count && keys_[i] != key) ++i;
    return *kernels_[i];
  }
  void add_to(std::vector<KernelSource>& all) const {
    for (const auto& kernel : kernels_) all.push_back(kernel->source());
  }

 private:
  std::array<Key, Count> keys_;
  std::array<std::unique_ptr<OwnKernel>, Count> kernels_;
};

struct Families {
  Family<int, units.size()> copy{units, counted_in, "copy.cuh", "goban_copy"};
  Family<int, units.size()> exchange{units, counted_in, "exchange.cuh", "goban_exchange"};
  Family<ElementType, types.size()> fill{types, stored_as, "fill.cuh", "goban_fill"};
  Family<ElementType, types.size()> checksum{types, stored_as, "inspect.cuh", "goban_checksum"};
  Family<ElementType, types.size()> sum{types, stored_as, "inspect.cuh", "goban_sum"};
  Family<ElementType, types.size()> extremum{types, stored_as, "inspect.cuh", "goban_extremum"};
  Family<ElementType, types.size()> find_nonfinite{types, stored_as, "inspect.cuh",
                                                   "goban_find_nonfinite"};
  static const Families& get() {
    static const Families all;
    return all;
  }
};

}  // namespace

const WaitKernels& WaitKernels::get() {
  static const std::string text = "#include \"waits.cuh\"\n";
  static const WaitKernels all{{text, "goban_meet"},          {text, "goban_meet_over"},
                               {text, "goban_wait_for_host"}, {text, "goban_count_replay"},
                               {text, "goban_hold_replay"},   {text, "goban_post_replay"}};
  return all;
}

const OwnKernel& copy_kernel(int unit) { return Families::get().copy.of(unit); }
const OwnKernel& exchange_kernel(int unit) { return Families::get().exchange.of(unit); }
const OwnKernel& fill_kernel(ElementType type) { return Families::get().fill.of(type); }
const OwnKernel& checksum_kernel(ElementType type) { return Families::get().checksum.of(type); }
const OwnKernel& sum_kernel(ElementType type) { return Families::get().sum.of(type); }
const OwnKernel& extremum_kernel(ElementType type) { return Families::get().extremum.of(type); }
const OwnKernel& find_nonfinite_kernel(ElementType type) {
  return Families::get().find_nonfinite.of(type);
}

const BodyStepKernels& BodyStepKernels::of(ElementType type) {
  const auto all = [](const std::string& text) {
    return new BodyStepKernels{{text, "goban_body_link"},  {text, "goban_body_repel"},
                               {text, "goban_body_place"}, {text, "goban_body_sum"},
                               {text, "goban_body_move"},  {text, "goban_body_push"},
                               {text, "goban_body_store"}};
  };
  static const std::unique_ptr<const BodyStepKernels> single(
      all(stored_as(ElementType::float32, "bodies.cuh"))),
      exact(all(stored_as(ElementType::float64, "bodies.cuh")));
  return type == ElementType::float32 ? *single : *exact;
}

const FourierKernels& FourierKernels::of(ElementType type) {
  const auto all = [](const std::string& text) {
    return new FourierKernels{{text, "goban_fourier_load"},
                              {text, "goban_fourier_store"},
                              {text, "goban_fourier_columns"},
                              {text, "goban_fourier_rings"},
                              {text, "goban_fourier_mean"}};
  };
  static const std::unique_ptr<const FourierKernels> single(
      all(stored_as(ElementType::float32, "fourier.cuh"))),
      exact(all(stored_as(ElementType::float64, "fourier.cuh")));
  return type == ElementType::float32 ? *single : *exact;
}

const OwnKernel& end_round_kernel() {
  static const OwnKernel kernel("#include \"loop.cuh\"\n", "goban_end_round");
  return kernel;
}

const OwnKernel& enter_loop_kernel() {
  static const OwnKernel kernel("#include \"loop.cuh\"\n", "goban_enter_loop");
  return kernel;
}

std::vector<KernelSource> own_kernel_sources() {
  const WaitKernels& waits = WaitKernels::get();
  std::vector<KernelSource> all;
  for (const OwnKernel* kernel : {&waits.meet, &waits.meet_over, &waits.wait_for_host,
                                  &waits.count_replay, &waits.hold_replay, &waits.post_replay}) {
    all.push_back(kernel->source());
  }
  if (nvrtc_knows_loops()) {
    for (const OwnKernel* kernel : {&end_round_kernel(), &enter_loop_kernel()}) {
      all.push_back(kernel->source());
    }
  }
  const Families& families = Families::get();
  families.copy.add_to(all);
  families.exchange.add_to(all);
  families.fill.add_to(all);
  families.checksum.add_to(all);
  families.sum.add_to(all);
  families.extremum.add_to(all);
  families.find_nonfinite.add_to(all);
  for (const ElementType type : {ElementType::float32, ElementType::float64}) {
    const BodyStepKernels& bodies = BodyStepKernels::of(type);
    for (const OwnKernel* kernel : {&bodies.link, &bodies.repel, &bodies.place, &bodies.sum,
                                    &bodies.move, &bodies.push, &bodies.store}) {
      all.push_back(kernel->source());
    }
    const FourierKernels& waves = FourierKernels::of(type);
    for (const OwnKernel* kernel :
         {&waves.load, &waves.store, &waves.columns, &waves.rings, &waves.mean}) {
      all.push_back(kernel->source());
    }
  }
  return all;
}

}  // namespace goban::cuda
