#include "goban/backend/cuda/driver/nvrtc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "goban/backend/cuda/driver/library_folders.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cuda::nvrtc_test {
namespace {

using Path = std::filesystem::path;

std::vector<Path> folders(const std::map<std::string, std::string>& variables) {
  return cuda_folders([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

bool contains(const std::vector<Path>& all, const Path& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(NvrtcFolders, AreThoseOfToolkits) {
  const test::ScratchFolder scratch;
  scratch.store("here/targets/x86_64-linux/lib/x", "");
  scratch.store("there/bin/nvcc", "");
  const auto all = folders({{"CUDA_HOME", (scratch / "here").string()},
                            {"PATH", "/nowhere:" + (scratch / "there/bin").string()}});
  EXPECT_EQ(all.at(0), scratch / "here/lib64");
  EXPECT_EQ(all.at(1), scratch / "here/targets/x86_64-linux/lib");
  EXPECT_TRUE(contains(all, scratch / "there/lib64"));
  EXPECT_TRUE(contains(all, "/usr/local/cuda/lib64"));
}

TEST(NvrtcFolders, AreThoseOfPythonsPackages) {
  const test::ScratchFolder scratch;
  for (const char* root : {"env", "conda", "home/.local", "python", "pyenv/versions/3.11.7"}) {
    scratch.store(std::string(root) + "/lib/python3.11/x", "");
  }
  scratch.store("python/bin/python3", "");
  scratch.store("pyenv/shims/python3", "");
  std::filesystem::create_directory(scratch / "env/bin");
  std::filesystem::create_symlink(scratch / "python/bin/python3", scratch / "env/bin/python3");
  const auto packages = [&](const std::string& root, const std::string& wheel) {
    return scratch / (root + "/lib/python3.11/site-packages/nvidia/" + wheel + "/lib");
  };
  const auto named = folders({{"VIRTUAL_ENV", (scratch / "env").string()},
                              {"CONDA_PREFIX", (scratch / "conda").string()},
                              {"HOME", (scratch / "home").string()}});
  for (const char* root : {"env", "conda", "home/.local"}) {
    EXPECT_TRUE(contains(named, packages(root, "cu13"))) << root;
    EXPECT_TRUE(contains(named, packages(root, "cuda_nvrtc"))) << root;
  }
  EXPECT_TRUE(contains(named, scratch / "conda/lib"));
  const auto on_path = folders({{"PATH", (scratch / "env/bin").string()}});
  EXPECT_TRUE(contains(on_path, packages("env", "cu13")));
  EXPECT_TRUE(contains(on_path, packages("python", "cu13")));
  const auto shims = folders({{"PATH", (scratch / "pyenv/shims").string()}});
  EXPECT_TRUE(contains(shims, packages("pyenv/versions/3.11.7", "cu13")));
}

/// Tests of what NVRTC does are skipped where there is none.
class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_refusal().empty()) GTEST_SKIP() << nvrtc_refusal();
  }
};

TEST_F(Nvrtc, ReadsTextsThatIncludeOthers) {
  const KernelText header{"number.cuh", "constexpr int number = 3;"};
  const std::string code = compile(
      "#include \"number.cuh\"\n"
      "extern \"C\" __global__ void put(int* to) { *to = number + more; }",
      "put.cu", {&header, 1}, {"-Dmore=4"}, 90);
  EXPECT_EQ(code.substr(1, 3), "ELF");
}

TEST_F(Nvrtc, SaysWhatDoesNotCompile) {
  try {
    compile("__global__ void f() { nonsense(); }", "f.cu", {}, {}, 90);
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_NE(error.log().find("nonsense"), std::string::npos) << error.log();
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

TEST_F(Nvrtc, ArchitecturesThatItDoesNotKnowYetAreLeftToTheDriver) {
  const std::string text = compile("extern \"C\" __global__ void f() {}", "f.cu", {}, {}, 999);
  EXPECT_NE(text.find(".visible .entry f"), std::string::npos) << text;
}

TEST_F(Nvrtc, ArchitecturesThatItKnowsNoMoreAreRefused) {
  EXPECT_THROW(compile("", "f.cu", {}, {}, 20), Error);
}

}  // namespace
}  // namespace goban::cuda::nvrtc_test
