// Files of blocks: every damage is found, and compression loses nothing.

#include "goban/checkpoint/parts.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "goban/checkpoint/compression.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"

namespace goban::parts_test {
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
    return !test::refusal(ExitCode::no_checkpoint, [&] {
              open_part(path(), stored).verify();
            }).empty();
  }
};

TEST_F(Parts, NoticeEveryFlippedBit) {
  const StoredPart stored = write_one(false);
  EXPECT_FALSE(is_refused(stored));
  const std::string good = content_of(path());
  const std::size_t stride = static_cast<std::size_t>(test::in_short_or_long(13, 1));
  for (std::size_t at = 0; at < good.size(); at += at + 200 < good.size() ? stride : 1) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if (!test::is_long() && bit != at % 8) continue;
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      write(path(), damaged);
      ASSERT_TRUE(is_refused(stored)) << "byte " << at << ", bit " << bit;
    }
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

TEST_F(Parts, RefuseSharesThatCannotBe) {
  const std::vector<std::byte> values(1024);
  const auto refusal = [&](const Index3& upper, Index block_bytes, Index first_block) {
    BlockFileWriter file(path());
    file.append(values.data(), 1024);
    const std::uint64_t hash = file.finish({{"block_bytes", block_bytes},
                                            {"arrays",
                                             {{{"name", "u"},
                                               {"lower", Index3{0, 0, 0}},
                                               {"upper", upper},
                                               {"first_block", first_block}}}}});
    Manifest manifest;
    manifest.arrays.push_back({"u", "", ElementType::float32, {16, 16, 1}, 1, false, {}});
    std::vector<BlockFile> own;
    own.push_back(open_part(path(), {"part-00000", file.bytes(), hash}));
    MadeUpRun run({16, 16, 1});
    return test::refusal(ExitCode::no_checkpoint, [&] {
      read_parts(*self_communicator(), own, manifest, run.subject(), true);
    });
  };
  EXPECT_EQ(refusal({16, 16, 1}, 1024, 0), "");
  const std::string why = path().string() + ": its share of 'u' cannot be";
  EXPECT_EQ(refusal({16, 16, 1}, 1024, 1), why) << "a block that is not there";
  EXPECT_EQ(refusal({16, 16, 1}, 1024, -1), why);
  EXPECT_EQ(refusal({16, 17, 1}, 1024, 0), why) << "cells outside the array";
  EXPECT_EQ(refusal({16, 16, 1}, 1, 0), why) << "more blocks than there are";
  EXPECT_EQ(refusal({16, 16, 1}, 0, 0), why);
}

TEST_F(Parts, LimitsOnFileSizesAreErrors) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    try {
      write_one(false);
    } catch (const Error& error) {
      ::_exit(error.code() == ExitCode::files ? 0 : 3);
    }
    ::_exit(4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
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
  ASSERT_NO_THROW(require_compression());
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
}  // namespace goban::parts_test
