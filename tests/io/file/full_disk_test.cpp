// A disk that fills up: the message says how much is needed, what was there before stays whole.
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/io/scratch.hpp"

namespace goban::full_disk_test {
namespace {

/// A file system of 1 MiB at disk/.
class FullDiskTest : public ScratchTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path("disk"));
    if (::mount("none", path("disk").c_str(), "tmpfs", 0, "size=1m") != 0)
      GTEST_SKIP() << "a small file system cannot be mounted here: " << std::strerror(errno);
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
  }
  std::size_t files_on_disk() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path("disk")))
      ++count;
    return count;
  }

  /// Refused for want of space, with both numbers.
  template <class F>
  void expect_full(const std::string& action, F&& f) const {
    const std::string text = refusal(f, ExitCode::files);
    EXPECT_TRUE(text.starts_with("cannot " + action + " (No space left on device: ")) << text;
    EXPECT_NE(text.find(" needed, "), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(" free); free some space or choose another directory")) << text;
  }

 private:
  bool mounted_ = false;
};

TEST_F(FullDiskTest, AtomicFilesAreRefusedAndTheOldOnesStay) {
  write_file(path("disk/f"), "old");
  expect_full("write disk/f", [&] { write_file(path("disk/f"), std::string(2 << 20, 'x')); });
  EXPECT_EQ(content("disk/f"), "old");
  EXPECT_EQ(files_on_disk(), 1u);
}

TEST_F(FullDiskTest, SpaceIsAskedForBeforeAnyValueIsMade) {
  bool made = false;
  expect_full("write disk/f.npy", [&] {
    write_npy(path("disk/f.npy"), ElementType::float64, {100, 100, 100}, 1,
              [&](const Box&, void*) { made = true; });
  });
  EXPECT_FALSE(made);
  EXPECT_EQ(files_on_disk(), 0u);
}

TEST_F(FullDiskTest, ASnapshotThatDoesNotFitLeavesTheSeriesAsItWas) {
  const std::vector<float> small(1000);
  const std::vector<float> large(1'000'000);
  SnapshotSeries series(path("disk"), "s");
  Snapshot snapshot{.extents = {10, 10, 10}, .fields = {}, .config = {}, .provenance = {}};
  snapshot.fields.push_back(SnapshotField(dense_view(small.data(), {10, 10, 10}, "u")));
  series.write(snapshot);
  const std::string index = content("disk/s.xdmf");
  const std::size_t files = files_on_disk();

  snapshot.step = 1;
  snapshot.extents = {100, 100, 100};
  snapshot.fields = {SnapshotField(dense_view(large.data(), {100, 100, 100}, "u"))};
  const std::string name = have_hdf5() ? "disk/s.0000001.vtkhdf" : "disk/s.0000001.u.npy";
  expect_full("write " + name, [&] { series.write(snapshot); });
  EXPECT_EQ(content("disk/s.xdmf"), index);
  EXPECT_EQ(files_on_disk(), files);
}

TEST_F(FullDiskTest, RowsThatDoNotFitAreTakenBack) {
  CsvSeries series(path("disk/s.csv"), {{"a", ""}});
  series.append(0, std::array{1.5});
  Index step = 0;
  std::string text;
  {
    AppendFile filler(path("disk/filler"));
    refusal(
        [&] {
          while (true) filler.append(std::string(4096, 'x'));
        },
        ExitCode::files);
    while (text.empty())
      text = refusal([&] { series.append(++step, std::array{1.0 / 3}); }, ExitCode::files);
  }
  EXPECT_TRUE(text.starts_with("cannot append to disk/s.csv (No space left on device")) << text;
  EXPECT_EQ(read_csv(path("disk/s.csv")).rows(), step);
  EXPECT_TRUE(content("disk/s.csv").ends_with("\n"));
  std::filesystem::remove(path("disk/filler"));
  series.append(step, std::array{2.0});
  EXPECT_EQ(read_csv(path("disk/s.csv")).rows(), step + 1);
}

TEST_F(FullDiskTest, APictureThatDoesNotFitIsNotThere) {
  Array plane(ElementType::float32, {1200, 1200, 1}, 1, "noise");
  std::mt19937 random(1);
  for (float& value : plane.as<float>()) value = static_cast<float>(random());
  const std::string text =
      refusal([&] { write_slice_picture(path("disk/i.png"), plane.view()); }, ExitCode::files);
  EXPECT_TRUE(text.starts_with("cannot write disk/i.png (No space left on device")) << text;
  EXPECT_EQ(files_on_disk(), 0u);
}

}  // namespace
}  // namespace goban::full_disk_test
