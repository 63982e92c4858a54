// SPDX-License-Identifier: GPL-2.0-only
/// Files of checkpoints: they are read as written; damaged ones are rejected with the reason.
#include "core/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/set.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "core/checkpoint/state_archive.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "core/events/event_queue.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

struct Inner {
  int a = 0;
  std::vector<std::uint16_t> numbers;
  bool operator==(const Inner& other) const { return a == other.a && numbers == other.numbers; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& a& numbers;
  }
};
enum class Colour : std::uint8_t { kRed = 1, kBlue = 7 };
struct Everything {
  std::int64_t number = 0;
  double real = 0;
  bool flag = false;
  Colour colour = Colour::kRed;
  unsigned char bytes[3] = {};
  std::string text;
  std::vector<Inner> inners;
  std::map<std::uint32_t, Inner> by_number;
  std::set<std::uint64_t> set;
  std::deque<Inner> queue;
  std::vector<std::pair<std::string, Time>> pairs;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& number& real& flag& colour& bytes& text& inners& by_number& set& queue& pairs;
  }
};

Everything Filled() {
  Everything all;
  all.number = -5;
  all.real = 0.1;
  all.flag = true;
  all.colour = Colour::kBlue;
  all.bytes[2] = 9;
  all.text = "warp";
  all.inners = {{1, {2, 3}}, {4, {}}};
  all.by_number = {{7, {8, {9}}}};
  all.set = {11, 12};
  all.queue = {{13, {14}}};
  all.pairs = {{"weft", Time{15}}};
  return all;
}

TEST(StateArchive, EverythingComesBack) {
  const Everything all = Filled();
  StateWriter writer;
  writer << all;
  Everything copy;
  StateReader reader(writer.bytes());
  reader >> copy;
  reader.ExpectEnd();
  EXPECT_EQ(copy.number, -5);
  EXPECT_EQ(copy.real, 0.1);
  EXPECT_TRUE(copy.flag);
  EXPECT_EQ(copy.colour, Colour::kBlue);
  EXPECT_EQ(copy.bytes[2], 9);
  EXPECT_EQ(copy.text, "warp");
  EXPECT_EQ(copy.inners, all.inners);
  EXPECT_EQ(copy.by_number, all.by_number);
  EXPECT_EQ(copy.set, all.set);
  EXPECT_EQ(copy.queue, all.queue);
  EXPECT_EQ(copy.pairs, all.pairs);
}

TEST(StateArchive, LessThanEverythingIsRefused) {
  StateWriter writer;
  writer << Filled();
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    StateReader reader(writer.bytes().data(), size);
    Everything copy;
    EXPECT_THROW(reader >> copy, UserError) << size;
  }
  std::vector<char> more = writer.bytes();
  more.push_back(0);
  StateReader reader(more);
  Everything copy;
  reader >> copy;
  EXPECT_THROW(reader.ExpectEnd(), UserError);
}

TEST(StateArchive, CountsAreBoundedByWhatIsThere) {
  StateWriter writer;
  writer << std::uint64_t{1} << std::uint64_t{1} << std::uint64_t{1};
  std::vector<char> bytes = writer.bytes();
  // 2^48 elements in 16 bytes: the reader must not allocate memory for them.
  std::fill(bytes.begin(), bytes.begin() + 6, '\xff');
  const auto refuses = [&](auto value) {
    StateReader reader(bytes);
    EXPECT_THROW(reader >> value, UserError);
  };
  refuses(std::vector<Inner>());
  refuses(std::vector<std::uint64_t>());
  refuses(std::string());
  refuses(std::map<int, int>());
  refuses(SlotPool<std::uint64_t>());
  refuses(FlatMap());
}

/// Expects that reading `Value` from the bytes of `writer` is rejected.
template <class Value>
void ExpectRefused(const StateWriter& writer, Value value) {
  StateReader reader(writer.bytes());
  EXPECT_THROW(reader >> value, UserError);
}

TEST(StateArchive, WhatNoRunCanHaveSavedIsRefused) {
  StateWriter truth, event, slots, table, full;
  truth << std::uint8_t{2};
  ExpectRefused(truth, false);
  event << std::uint64_t{1} << Time{-1} << std::uint64_t{0} << std::uint32_t{0};
  ExpectRefused(event, EventQueue());
  slots << std::uint64_t{1} << std::uint64_t{0} << std::uint64_t{1}
        << std::uint32_t{1};  // one slot, and slot 1 is free
  ExpectRefused(slots, SlotPool<std::uint64_t>());
  // Three places, and two places that are both taken: a search would be endless.
  const auto add = [](StateWriter* to, std::uint64_t places, std::uint64_t taken) {
    *to << places << taken;
    for (std::uint64_t i = 0; i < places; ++i)
      *to << (i < taken ? i : ~std::uint64_t{0}) << std::uint32_t{0};
  };
  add(&table, 3, 1);
  ExpectRefused(table, FlatMap());
  add(&full, 2, 2);
  ExpectRefused(full, FlatMap());
}

TEST(StateArchive, QueueComesBackInOrder) {
  EventQueue queue, copy;
  for (int i = 0; i < 1000; ++i)
    queue.Push({PicoSeconds((i * 7919) % 100'000'000), static_cast<std::uint64_t>(i), 5, 0});
  StateWriter writer;
  writer << queue;
  StateReader(writer.bytes()) >> copy;
  Event a, b;
  while (queue.PopBefore(Time::Max(), &a)) {
    ASSERT_TRUE(copy.PopBefore(Time::Max(), &b));
    ASSERT_TRUE(a.time == b.time && a.order == b.order && a.argument == b.argument);
  }
  EXPECT_TRUE(copy.empty());
}

/// A folder that is deleted at the end of the test.
class CheckpointFiles : public ::testing::Test {
 protected:
  /// Two ranks' pieces and the manifest, as checkpoint `number`.
  void Save(std::uint64_t number) {
    CheckpointManifest manifest;
    manifest.number = number;
    manifest.now = Time{77};
    manifest.identity = {{"seed", "1"}};
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      PieceWriter writer(result_, number, rank);
      writer.Add(PieceKind::kDomain, rank, Bytes(100 + rank, static_cast<char>(number)));
      writer.Add(PieceKind::kFlows, rank, Bytes(rank, 'f'));
      writer.Close();
      manifest.pieces.insert(manifest.pieces.end(), writer.pieces().begin(), writer.pieces().end());
    }
    manifest.files = 2;
    WriteManifest(result_, manifest);
  }
  static std::vector<char> Bytes(std::size_t count, char first) {
    std::vector<char> bytes;
    for (std::size_t i = 0; i < count; ++i)
      bytes.push_back(static_cast<char>(first + static_cast<char>(i)));
    return bytes;
  }
  /// Reads all that Save() wrote.
  void LoadAll() const {
    const CheckpointManifest manifest = ReadManifest(result_);
    CheckpointPieces pieces(result_, manifest);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      pieces.Load(PieceKind::kDomain, rank, [&](StateReader* state) {
        std::vector<char> found(100 + rank);
        state->load_binary(found.data(), found.size());
        EXPECT_EQ(found, Bytes(100 + rank, static_cast<char>(manifest.number)));
      });
    }
  }
  static std::string ReadFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void WriteFile(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// The error message of loading.
  std::string Refusal() const {
    try {
      LoadAll();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::string result_ = folder_.In("r.h5");
};

TEST_F(CheckpointFiles, PiecesComeBack) {
  Save(3);
  LoadAll();
  const CheckpointManifest manifest = ReadManifest(result_);
  EXPECT_EQ(manifest.number, 3U);
  EXPECT_EQ(manifest.now, Time{77});
  EXPECT_EQ(manifest.identity, (std::vector<std::pair<std::string, std::string>>{{"seed", "1"}}));
  EXPECT_EQ(manifest.pieces.size(), 4U);
}

TEST_F(CheckpointFiles, SharesGoOnceEach) {
  Save(1);
  const CheckpointManifest manifest = ReadManifest(result_);
  for (std::uint32_t ranks = 1; ranks <= 4; ++ranks) {
    std::vector<std::size_t> sizes;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      CheckpointPieces pieces(result_, manifest);
      pieces.LoadShare(PieceKind::kFlows, RankId(rank), ranks, [&](StateReader* state) {
        sizes.push_back(state->left());
        std::vector<char> rest(state->left());
        state->load_binary(rest.data(), rest.size());
      });
    }
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 1})) << ranks;
  }
}

TEST_F(CheckpointFiles, TheNextOneReplacesTheOneBeforeOnlyWhenItIsWhole) {
  const Communicator world = Communicator::Serial();
  CheckpointManifest manifest;
  const auto save = [&](std::uint64_t number, const std::function<void(PieceWriter*)>& write) {
    manifest.number = number;
    return SaveCheckpoint(world, result_, manifest, write);
  };
  EXPECT_GT(save(1, [](PieceWriter* to) { to->Add(PieceKind::kRun, 0, {'a'}); }), 1);
  EXPECT_THROW(save(2, [](PieceWriter*) { throw FileError("full"); }), SharedError);
  EXPECT_EQ(ReadManifest(result_).number, 1U);
  EXPECT_FALSE(std::filesystem::exists(PiecesPath(result_, 2, 0)));
  // If the manifest cannot be written, complete pieces are deleted as well: they would use up space
  // that is already short.
  std::filesystem::create_directory(ManifestPath(result_) + ".new");
  EXPECT_THROW(save(2, [](PieceWriter* to) { to->Add(PieceKind::kRun, 0, {'b'}); }), SharedError);
  EXPECT_EQ(ReadManifest(result_).number, 1U);
  EXPECT_EQ(FindPieceFiles(result_, 0), std::vector<std::string>{PiecesPath(result_, 1, 0)});
  std::filesystem::remove(ManifestPath(result_) + ".new");
  WriteFile(PiecesPath(result_, 2, 5), "left by a rank that was killed");
  save(3, [](PieceWriter* to) { to->Add(PieceKind::kRun, 0, {'c'}); });
  EXPECT_EQ(ReadManifest(result_).number, 3U);
  EXPECT_EQ(FindPieceFiles(result_, 0), std::vector<std::string>{PiecesPath(result_, 3, 0)});
  WriteFile(folder_.In("r.h5.ckpt.3.rank0x"), "somebody else's");
  WriteFile(folder_.In("other.ckpt.3.rank0"), "somebody else's");
  RemoveCheckpoint(result_);
  EXPECT_TRUE(FindPieceFiles(result_, 0).empty());
  EXPECT_TRUE(std::filesystem::exists(folder_.In("r.h5.ckpt.3.rank0x")));
  EXPECT_TRUE(std::filesystem::exists(folder_.In("other.ckpt.3.rank0")));
  EXPECT_THROW(ReadManifest(result_), UserError);
}

TEST_F(CheckpointFiles, EveryByteCounts) {
  Save(9);
  for (const std::string& path :
       {ManifestPath(result_), PiecesPath(result_, 9, 0), PiecesPath(result_, 9, 1)}) {
    const std::string whole = ReadFile(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      WriteFile(path, damaged);
      // In pieces: LoadAll() does not read those of kind kFlows, which is the last byte of the
      // second file.
      const bool read =
          path == ManifestPath(result_) || at < 132 || (path.back() == '1' && at < 133);
      EXPECT_EQ(Refusal().find(path) != std::string::npos, read) << path << " byte " << at;
      WriteFile(path, whole.substr(0, at));
      if (path == ManifestPath(result_) || at < 132) {
        EXPECT_NE(Refusal().find(path), std::string::npos) << path << " cut at " << at;
      }
    }
    WriteFile(path, whole + "x");
    // The bytes after the pieces are not checked.
    EXPECT_EQ(Refusal().empty(), path != ManifestPath(result_)) << path;
    WriteFile(path, whole);
  }
  LoadAll();
}

TEST_F(CheckpointFiles, OtherVersionsAndOtherFilesAreNamed) {
  Save(1);
  const std::string path = ManifestPath(result_), whole = ReadFile(path);
  std::string other = whole;
  other[8] = 99;
  WriteFile(path, other);
  EXPECT_NE(Refusal().find("is of version 99"), std::string::npos) << Refusal();
  WriteFile(path, "something else altogether, and long enough");
  EXPECT_NE(Refusal().find("is no file of a checkpoint"), std::string::npos) << Refusal();
  WriteFile(path, whole);
  std::filesystem::remove(PiecesPath(result_, 1, 1));
  EXPECT_NE(Refusal().find("rank1: cannot be read (No such file"), std::string::npos) << Refusal();
  std::filesystem::copy(PiecesPath(result_, 1, 0), PiecesPath(result_, 1, 1));
  EXPECT_NE(Refusal().find("belongs to checkpoint 1, rank 0"), std::string::npos) << Refusal();
  std::filesystem::remove(PiecesPath(result_, 1, 1));
  std::filesystem::create_directory(PiecesPath(result_, 1, 1));
  EXPECT_NE(Refusal().find("is shorter than its head"), std::string::npos) << Refusal();
}

TEST_F(CheckpointFiles, SizesThatWrapAreRefused) {
  Save(1);
  CheckpointManifest manifest = ReadManifest(result_);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> places = {
      {~0ULL - 3, 8}, {32, ~0ULL - 16}, {8, ~0ULL >> 1}};
  for (const auto& [offset, bytes] : places) {
    manifest.pieces[0].offset = offset;
    manifest.pieces[0].bytes = bytes;
    WriteManifest(result_, manifest);
    EXPECT_NE(Refusal().find("is truncated"), std::string::npos) << Refusal();
  }
  manifest.pieces[0] = manifest.pieces[1];
  WriteManifest(result_, manifest);
  EXPECT_FALSE(Refusal().empty());
}

}  // namespace
}  // namespace heddle
