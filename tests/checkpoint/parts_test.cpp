// Files of blocks: every damage is found, and compression loses nothing.

#include "goban/checkpoint/parts.hpp"

#include "goban/checkpoint/compression.hpp"
#include "tests/checkpoint/made_up_run.hpp"

namespace goban {
namespace {

class Parts : public CheckpointDirectory {
 protected:
  StoredPart write_one(bool compress) {
    MadeUpRun run;
    run.set(3);
    CheckpointState state;
    state.step = 3;
    StateCopy copy;
    copy.take(run.subject(), state, 1, 0);
    return write_part(path(), copy, 0, {.block_bytes = 1024, .compress = compress});
  }
  fs::path path() const { return root_ / "part-00000"; }
  bool is_refused(const StoredPart& stored) const {
    try {
      open_part(path(), stored).verify();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::no_checkpoint) << error.what();
      return true;
    }
    return false;
  }
};

TEST_F(Parts, NoticeEveryFlippedBit) {
  const StoredPart stored = write_one(false);
  EXPECT_FALSE(is_refused(stored));
  const std::string good = content_of(path());
  for (std::size_t at = 0; at < good.size(); at += at + 200 < good.size() ? 13 : 1) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    write(path(), damaged);
    ASSERT_TRUE(is_refused(stored)) << "byte " << at;
  }
}

TEST_F(Parts, NoticeEveryCut) {
  const StoredPart stored = write_one(false);
  const std::string good = content_of(path());
  for (std::size_t length = 0; length < good.size(); length += 41) {
    write(path(), good.substr(0, length));
    ASSERT_TRUE(is_refused(stored)) << length << " bytes";
  }
  write(path(), good + "x");
  EXPECT_TRUE(is_refused(stored));
  fs::remove(path());
  EXPECT_TRUE(is_refused(stored));
  fs::create_directory(path());
  EXPECT_TRUE(is_refused(stored));
}

TEST_F(Parts, AreOneFileForOneContent) {
  const StoredPart first = write_one(false), again = write_one(false);
  EXPECT_EQ(first.hash, again.hash);
  EXPECT_EQ(first.bytes, again.bytes);
}

TEST_F(Parts, CompressedCheckpointsGiveBackWhatTheyGot) {
  MadeUpRun run;
  for (std::size_t i = 0; i < run.arrays[0].bytes.size(); ++i) {
    run.arrays[0].bytes[i] = std::byte{7};  // of which little is left
  }
  CheckpointState state;
  state.step = 5;
  state.details = {{"rows", 5}};
  StateCopy copy;
  copy.take(run.subject(), state, 1, 0);
  PartSize size;
  auto to = store();
  to.save_parts(copy, {.block_bytes = 1024, .compress = true}, &size);
  EXPECT_LT(size.stored, size.values);
  EXPECT_TRUE(verify_checkpoint(directory() / "0000005").good);
  MadeUpRun other;
  other.set(1);
  auto from = store();
  ASSERT_TRUE(load_checkpoint({&from}, {}, other.subject(), [](const std::string&) {}));
  for (std::size_t i = 0; i < run.arrays.size(); ++i) {
    EXPECT_TRUE(other.arrays[i].bytes == run.arrays[i].bytes) << i;
  }
}

TEST(Compression, LosesNothing) {
  ASSERT_TRUE(can_compress()) << "libzstd1 is not installed";
  for (const std::size_t element : {1, 2, 4, 8}) {
    for (const std::size_t count : {std::size_t{0}, element, 100 * element, 40000 * element}) {
      std::vector<std::byte> bytes(count);
      for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i >> 7);
      EXPECT_EQ(decompressed(compressed(bytes.data(), count, element), count, element), bytes);
    }
  }
  const std::vector<std::byte> noise(100, std::byte{9});
  EXPECT_THROW(decompressed(noise, 100, 4), Error);
  EXPECT_THROW(decompressed(compressed(noise.data(), 100, 4), 104, 4), Error);
}

}  // namespace
}  // namespace goban
