// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/file_seal.h"

#include <hdf5.h>

#include <cerrno>
#include <fstream>

#include "io/check/result_validation.h"
#include "io/result/result_parts.h"
#include "io/result/result_reader.h"
#include "tests/support/io_test_util.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

std::string SealedFile(const std::string& name) {
  const std::string path = TempPath(name);
  JobResult().Write(path);
  return path;
}

void PutByte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

/// Flips a bit of a file whose bytes are `good`.
void FlipBit(const std::string& path, const std::string& good, std::size_t bit) {
  PutByte(path, bit / 8, static_cast<char>(good[bit / 8] ^ (1 << (bit % 8))));
}

TEST(FileSeal, EveryFlippedBitIsNoticed) {
  const std::string path = SealedFile("r.h5");
  const std::string good = ReadBytes(path);
  EXPECT_EQ(ReadSeal(path), SealState::kSound);
  std::mt19937_64 random(1);
  for (int round = 0; round < 4000; ++round) {
    // The first and the last bytes each once, then any.
    const auto step = static_cast<std::size_t>(round);
    std::size_t bit = random() % (8 * good.size());
    if (step < 64 + 8 * kSealBytes) bit = step < 64 ? step : 8 * good.size() - 1 - (step - 64);
    FlipBit(path, good, bit);
    ASSERT_NE(ReadSeal(path), SealState::kSound) << "bit " << bit;
    if (round % 50 == 0) {
      EXPECT_NE(MessageOf([&] { ResultReader reader(path); }), "") << "bit " << bit;
      EXPECT_FALSE(ValidateResult(path).findings.empty()) << "bit " << bit;
    }
    PutByte(path, bit / 8, good[bit / 8]);
  }
  EXPECT_EQ(ReadSeal(path), SealState::kSound);
}

TEST(FileSeal, EveryFlippedBitOfTotalsIsNoticed) {
  const std::string result = TempPath("r.h5");
  RunTotals totals;
  totals.tables = JobResult().tables;
  WriteTotals(result, totals);
  const std::string good = ReadBytes(TotalsPath(result));
  EXPECT_EQ(ReadTotals(result).tables.size(), totals.tables.size());
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::size_t bit = random() % (8 * good.size());
    FlipBit(TotalsPath(result), good, bit);
    ASSERT_NE(MessageOf([&] { ReadTotals(result); }), "") << "bit " << bit;
    PutByte(TotalsPath(result), bit / 8, good[bit / 8]);
  }
}

TEST(FileSeal, AFileThatHdf5ChangedHasNone) {
  const std::string path = SealedFile("r.h5");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  H5Aclose(H5Acreate2(file, "added", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  ASSERT_GE(H5Fclose(file), 0);
  EXPECT_EQ(ReadSeal(path), SealState::kMissing);
  EXPECT_EQ(MessageOf([&] { ResultReader reader(path); }),
            path +
                ": no seal at its end: cut short, changed by another program (h5repack, h5py), or "
                "written by a heddle before format 3.0. Expected: a result as heddle wrote it; "
                "heddle validate --reseal checks and seals a changed one");
  EXPECT_TRUE(ResultReader(path, SealRule::kMayBeMissing).complete());
  EXPECT_TRUE(AppendSeal(path));
  EXPECT_EQ(ReadSeal(path), SealState::kSound);
  EXPECT_TRUE(ResultReader(path).complete());
}

TEST(FileSeal, OtherFilesHaveNone) {
  const std::string path = SealedFile("r.h5");
  const std::string good = ReadBytes(path);
  for (const std::size_t left : {good.size() - 1, good.size() - kSealBytes, good.size() / 2,
                                 std::size_t{8}, std::size_t{19}, std::size_t{20}}) {
    WriteBytes(path, good.substr(0, left));
    EXPECT_EQ(ReadSeal(path), SealState::kMissing) << left;
  }
  WriteBytes(path, good + "x");
  EXPECT_EQ(ReadSeal(path), SealState::kMissing);
  WriteBytes(path, good.substr(0, 7));
  EXPECT_EQ(ReadSeal(path), SealState::kNoHdf5);
  WriteBytes(path, "");
  EXPECT_EQ(ReadSeal(path), SealState::kNoHdf5);
  EXPECT_EQ(ReadSeal(::testing::TempDir()), SealState::kUnreadable);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(ReadSeal(path + ".none"), SealState::kUnreadable);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(AppendSeal(path + ".none"));
}

}  // namespace
}  // namespace heddle
