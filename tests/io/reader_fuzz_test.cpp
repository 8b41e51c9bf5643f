// Files hit by random damage: values or one Error, never anything else, and never much memory.
#include <sys/resource.h>

#include <functional>
#include <random>

#include "goban/io/file/npy.hpp"
#include "goban/io/image/png.hpp"
#include "goban/io/image/stl.hpp"
#include "goban/io/image/voxelize.hpp"
#include "tests/io/image/shapes.hpp"
#include "tests/io/scratch.hpp"
#include "tests/long.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif
#ifdef GOBAN_HAVE_HDF5
#include "goban/io/snapshot/hdf5/vtkhdf.hpp"
#include "tests/io/snapshot/snapshot_example.hpp"
#endif

namespace goban::reader_fuzz_test {
namespace {

const int cases = test::fuzz_cases(test::in_short_or_long(4000, 100000));

/// Peak memory of this process in bytes.
Index peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Index{usage.ru_maxrss} * 1024;
}

class ReaderFuzzTest : public ScratchTest {
 protected:
  ReaderFuzzTest() : ScratchTest(test::ScratchPlace::memory) {}

  /// Calls `read` on damaged copies of `whole`; returns how many it took.
  int survivors(const std::string& name, const std::string& whole,
                const std::function<void()>& read) const {
    int taken = 0;
    const Index before = peak_memory();
    for (int n = 0; n < cases; ++n) {
      std::mt19937 random(test::fuzz_seed(0) + static_cast<unsigned>(n));
      store(name, damaged(whole, random));
      try {
        read();
        ++taken;
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ExitCode::files || error.code() == ExitCode::usage);
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "case " << n << ": " << error.what();
      }
    }
    EXPECT_LT(peak_memory() - before, Index{512} << 20);
    return taken;
  }

 private:
  static std::string damaged(std::string file, std::mt19937& random) {
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
    // Headers are short, and most interesting.
    const auto anywhere = [&] {
      return below(below(2) == 0 ? std::min(file.size(), 160ul) : file.size());
    };
    for (auto hits = 1 + below(4); hits > 0 && !file.empty(); --hits) {
      const std::size_t at = anywhere();
      switch (below(6)) {
        case 0: file[at] = static_cast<char>(file[at] ^ (1 << below(8))); break;
        case 1: file[at] = static_cast<char>(random()); break;
        case 2:
          for (std::size_t i = at; i < std::min(file.size(), at + 8); ++i)
            file[i] = static_cast<char>(below(3) == 0 ? 0xff : random());
          break;
        case 3:
          if (below(4) == 0) file.resize(at);
          break;
        case 4: file.erase(at, 1 + below(9)); break;
        default: file.insert(at, file.substr(anywhere(), below(20)));
      }
    }
    return file;
  }
};

TEST_F(ReaderFuzzTest, Npy) {
  Array array(ElementType::float32, {5, 4, 3}, 2, "f");
  write_npy(path("whole.npy"), array.view());
  const int taken = survivors("f.npy", content("whole.npy"), [&] { read_npy(path("f.npy")); });
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, cases);
}

TEST_F(ReaderFuzzTest, Png) {
  Image image(13, 11, 1);
  for (std::size_t n = 0; n < image.pixels.size(); ++n)
    image.pixels[n] = static_cast<std::uint8_t>(n * n);
  write_png(path("whole.png"), image);
  survivors("f.png", content("whole.png"), [&] { read_png(path("f.png")); });
  survivors("f.png", content("whole.png"), [&] { read_grey_png(path("f.png")); });
}

TEST_F(ReaderFuzzTest, BinaryStl) {
  const int taken = survivors("f.stl", binary_stl(sphere_mesh({0, 0, 0}, 1, 6)), [&] {
    voxelize(read_stl(path("f.stl")), {-1, -1, -1}, {0.2, 0.2, 0.2}, {10, 10, 10})
        ->read({{0, 0, 0}, {10, 10, 10}});
  });
  EXPECT_LT(taken, cases);
}

TEST_F(ReaderFuzzTest, AsciiStl) {
  survivors("f.stl", ascii_stl(box_mesh({-1, -1, -1}, {1, 1, 1})), [&] {
    voxelize(read_stl(path("f.stl")), {-2, -2, -2}, {0.2, 0.2, 0.2}, {20, 20, 20})
        ->read({{0, 0, 0}, {20, 20, 20}});
  });
}

TEST_F(ReaderFuzzTest, Vtkhdf) {
#ifdef GOBAN_HAVE_HDF5
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler hdf5_leaks_on_damaged_files;
#endif
  const SnapshotExample example;
  hdf5::write_vtkhdf(path("whole.vtkhdf"), example.snapshot);
  // Damage is found wherever it matters: what is read is what was written.
  survivors("f.vtkhdf", content("whole.vtkhdf"), [&] {
    const StoredSnapshot back = hdf5::read_vtkhdf(path("f.vtkhdf"));
    EXPECT_EQ(back.time, example.snapshot.time);
    EXPECT_EQ(back.spacing, example.snapshot.spacing);
    ASSERT_EQ(back.fields.size(), example.snapshot.fields.size());
    for (const SnapshotField& field : example.snapshot.fields) {
      const auto stored = std::find_if(back.fields.begin(), back.fields.end(),
                                       [&](const Array& a) { return a.name == field.name; });
      ASSERT_NE(stored, back.fields.end());
      const Array values = example.values_of(field);
      for (Index i = 0; i < 5; ++i)
        EXPECT_EQ(stored->at(i, 3, 2, field.components - 1),
                  values.at(i, 3, 2, field.components - 1));
    }
  });
#else
  GTEST_SKIP() << "built without HDF5";
#endif
}

}  // namespace
}  // namespace goban::reader_fuzz_test
