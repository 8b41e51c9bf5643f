#include "goban/backend/cuda/compiled/own_kernels.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cuda/compiled/kernel_texts.hpp"

namespace goban::cuda::own_kernels_test {
namespace {

TEST(OwnKernels, AllCompile) {
  if (!nvrtc_refusal().empty()) GTEST_SKIP() << nvrtc_refusal();
  for (const KernelSource& source : own_kernel_sources()) {
    try {
      const std::string code =
          compile(source.text, source.entry, kernel_texts(), source.options, 90);
      EXPECT_NE(code.find("." + source.entry), std::string::npos) << source.text;
    } catch (const CompileError& error) {
      ADD_FAILURE() << source.text << error.log();
    }
  }
}

TEST(OwnKernels, TheirTextsAreEmbedded) {
  for (const char* name :
       {"waits.cuh", "copy.cuh", "exchange.cuh", "fill.cuh", "inspect.cuh", "bodies.cuh"}) {
    const auto texts = kernel_texts();
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const KernelText& text) {
      return text.name == name;
    })) << name;
  }
}

}  // namespace
}  // namespace goban::cuda::own_kernels_test
