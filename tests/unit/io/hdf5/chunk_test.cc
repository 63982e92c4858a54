// SPDX-License-Identifier: GPL-2.0-only
#include <hdf5.h>

#include <deque>

#include "io/hdf5/chunk_codec.h"
#include "io/hdf5/chunk_pool.h"
#include "io/result/result_reader.h"
#include "io/result/result_writer.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

std::vector<char> RandomBytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<char>(i % 8 < 3 ? random() : i / 999);
  return bytes;
}

/// Reads a dataset with HDF5 whose only chunk heddle has compressed.
std::vector<char> ReadByHdf5(const std::vector<char>& chunk, std::size_t bytes,
                             std::size_t element_bytes) {
  const std::string path = TempPath("chunk.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t rows = bytes / element_bytes;
  const hid_t space = H5Screate_simple(1, &rows, nullptr);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &rows);
  H5Pset_shuffle(layout);
  H5Pset_deflate(layout, kResultDeflateLevel);
  const hid_t type = H5Tcopy(H5T_NATIVE_UINT8);
  H5Tset_size(type, element_bytes);
  const hid_t data = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hsize_t first = 0;
  EXPECT_GE(H5Dwrite_chunk(data, H5P_DEFAULT, 0, &first, chunk.size(), chunk.data()), 0);
  std::vector<char> back(bytes);
  EXPECT_GE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back.data()), 0);
  H5Dclose(data);
  H5Tclose(type);
  H5Pclose(layout);
  H5Sclose(space);
  H5Fclose(file);
  return back;
}

TEST(ChunkCodec, Hdf5ReadsWhatWeCompress) {
  ChunkEncoder encoder;
  for (const std::size_t element : {1, 2, 4, 8}) {
    for (const std::size_t count : {1, 2, 7, 1000, 65536}) {
      const std::vector<char> raw = RandomBytes(count * element, static_cast<unsigned>(count));
      const std::vector<char> chunk = encoder.Encode(raw.data(), raw.size(), element);
      EXPECT_TRUE(ReadByHdf5(chunk, raw.size(), element) == raw) << element << " x " << count;
      if (count == 65536 && element == 8) {
        EXPECT_LT(chunk.size(), raw.size() / 2);
      }
    }
  }
  MessageOf([&] { encoder.Encode("abc", 3, 3); }, ExitCode::kInvariantViolated);
  MessageOf([&] { encoder.Encode("abc", 3, 2); }, ExitCode::kInvariantViolated);
}

TEST(ChunkPool, IsAQueue) {
  const Communicator serial = Communicator::Serial();
  ChunkPool pool(serial);
  ChunkEncoder encoder;
  std::deque<std::vector<char>> expected;
  const auto push = [&](unsigned i) {
    const std::vector<char> raw = RandomBytes(1000 * (i % 3 + 1), i);
    expected.push_back(encoder.Encode(raw.data(), raw.size(), 4));
    pool.Push(raw, 4);
  };
  const auto pop = [&] {
    EXPECT_TRUE(pool.Pop() == expected.front());
    expected.pop_front();
  };
  EXPECT_FALSE(pool.full());
  pool.Share([&] {
    for (unsigned i = 0; i < 20; ++i) {
      push(i);
      if (i % 3 != 0) pop();
    }
    EXPECT_TRUE(pool.full());
    while (!expected.empty()) pop();
    EXPECT_TRUE(pool.empty());
    push(1);
    push(2);
  });
  EXPECT_TRUE(pool.empty()) << "the end of sharing removes what is left";
  expected.clear();
  push(3);
  pop();
  MessageOf([&] { pool.Pop(); }, ExitCode::kInvariantViolated);
}

/// Bytes of a chunk as HDF5's own filters decompress them, for every chunk and type of column.
TEST(ResultChunks, AllLengthsComeBack) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{65535}, std::size_t{65536},
                                 std::size_t{65537}, std::size_t{131072}}) {
    std::vector<std::int64_t> wide(rows);
    std::vector<std::uint8_t> narrow(rows);
    std::vector<std::string> text(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      wide[i] = static_cast<std::int64_t>(i * i);
      narrow[i] = static_cast<std::uint8_t>(i / 3);
      text[i] = i % 1000 == 0 ? "text" : "";
    }
    const Table table{
        "t", "", {{"wide", "1", "", wide}, {"text", "1", "", text}, {"narrow", "1", "", narrow}}};
    const std::string path = TempPath("r.h5");
    const auto slice = [&](std::size_t first, std::size_t count) {
      const auto cut = [&](const auto& values) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
        return std::decay_t<decltype(values)>(begin, begin + static_cast<std::ptrdiff_t>(count));
      };
      return Table{"t",
                   "",
                   {{"wide", "1", "", cut(wide)},
                    {"text", "1", "", cut(text)},
                    {"narrow", "1", "", cut(narrow)}}};
    };
    for (const std::size_t block : {std::size_t{1000}, std::size_t{65536}, std::size_t{100'000}}) {
      ResultWriter writer(path, true);
      std::size_t first = 0;
      writer.WriteBlocks(slice(0, 0), rows, LongestTexts(table), [&] {
        const std::size_t count = std::min(block, rows - first);
        first += count;
        return slice(first - count, count);
      });
      writer.Close();
      EXPECT_EQ(Digest(ResultReader(path).ReadTable("t")), Digest(table))
          << rows << " by " << block;
    }
  }
}

TEST(ResultChunks, GroupsHaveAttributesAndResultsMayBeIncomplete) {
  const std::string path = TempPath("r.h5");
  ResultWriter writer(path, true);
  writer.WriteGroupAttributes("run", {{"ranks", std::int64_t{2}}});
  writer.Write({"run/ranks", "", {{"rank", "1", "", std::vector<std::uint32_t>{0, 1}}}});
  writer.WriteGroupAttributes("run",
                              {{"ranks", std::int64_t{3}}, {"engine", std::string("domain")}});
  writer.Close(false);
  const ResultReader reader(path);
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.TableNames(), std::vector<std::string>{"run/ranks"});
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t ranks = H5Aopen_by_name(file, "run", "ranks", H5P_DEFAULT, H5P_DEFAULT);
  std::int64_t value = 0;
  H5Aread(ranks, H5T_NATIVE_INT64, &value);
  EXPECT_EQ(value, 3);
  EXPECT_GT(H5Aexists_by_name(file, "run", "engine", H5P_DEFAULT), 0);
  H5Aclose(ranks);
  H5Fclose(file);
}

}  // namespace
}  // namespace heddle
