// Files hit by random damage: values or one Error, never anything else, and never much memory.
#include <sys/resource.h>

#include <cmath>
#include <functional>
#include <random>

#include "goban/io/case/table.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/image/image_source.hpp"
#include "goban/io/image/png.hpp"
#include "goban/io/image/stl.hpp"
#include "goban/io/image/voxelize.hpp"
#include "tests/io/image/shapes.hpp"
#include "tests/io/image/tiff_text.hpp"
#include "tests/io/scratch.hpp"
#include "tests/long.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif
#ifdef GOBAN_HAVE_HDF5
#include "goban/io/snapshot/hdf5/vtkhdf.hpp"
#include "tests/io/snapshot/snapshot_example.hpp"
#include "tests/png_file.hpp"
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
  test::write_png(path("whole.png"), image);
  survivors("f.png", content("whole.png"), [&] { read_grey_png(path("f.png")); });
}

TEST_F(ReaderFuzzTest, Tables) {
  const std::string table = "# by hand\nt [ms]; v [cm/s]\n0; 1.5e-3\n10; -2.5\r\n20; 3D+00 # end";
  const int taken = survivors("t.csv", table, [&] {
    const UserTable read = read_table(path("t.csv"));
    for (const double x : read.in(0, "s")) EXPECT_TRUE(std::isfinite(x));
  });
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, cases);
}

TEST_F(ReaderFuzzTest, Images) {
  const auto reads = [&](const std::string& name) {
    return [this, name] {
      const auto image = open_image(path(name));
      if (product(image->extents()) < 100'000) image->read({{0, 0, 0}, image->extents()});
    };
  };
  survivors("f.nrrd",
            "NRRD0004\ntype: short\ndimension: 3\nsizes: 3 2 2\nencoding: raw\nendian: little\n\n" +
                std::string(24, '\1'),
            reads("f.nrrd"));
  TiffText tiff(false);
  for (int page = 0; page < 3; ++page) tiff.page(5, 4, 16, 1, std::string(40, '\2'));
  store("whole.tif", tiff.bytes());
  if (test::code_of([&] { open_image(path("whole.tif")); }) != ExitCode::done)
    return;  // no libtiff
  survivors("f.tif", tiff.bytes(), reads("f.tif"));
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
