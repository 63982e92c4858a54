// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/byte_source.h"

#include <zlib.h>

#include "tests/support/io_test_util.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

std::string Packed(const std::string& text) {
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string ReadAll(ByteSource* source, std::size_t at_once) {
  std::string all, block(at_once, '\0');
  while (const std::size_t count = source->Read(block.data(), block.size()))
    all.append(block, 0, count);
  return all;
}

std::string ReadAll(const std::string& bytes, std::size_t at_once = 100) {
  return ReadAll(OpenBytes(bytes, "a.et").get(), at_once);
}

std::string LongText() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10'007) + " ";
  return text;
}

TEST(ByteSource, PlainBytesStay) {
  EXPECT_EQ(ReadAll(""), "");
  EXPECT_EQ(ReadAll("a"), "a");
  EXPECT_EQ(ReadAll("abc", 1), "abc");
  EXPECT_EQ(ReadAll(LongText(), 1000), LongText());
}

TEST(ByteSource, GzipIsUnpacked) {
  EXPECT_EQ(ReadAll(Packed("")), "");
  EXPECT_EQ(ReadAll(Packed("abc"), 1), "abc");
  EXPECT_EQ(ReadAll(Packed(LongText()), 1 << 20), LongText());
  EXPECT_EQ(ReadAll(Packed(LongText()), 17), LongText());
}

TEST(ByteSource, SeveralStreamsOfGzipAreOne) {
  EXPECT_EQ(ReadAll(Packed("abc") + Packed("") + Packed("def")), "abcdef");
}

TEST(ByteSource, ACutOffGzipIsRefusedWhereverItEnds) {
  const std::string packed = Packed("abcabcabc");
  for (std::size_t size = 3; size < packed.size(); ++size) {
    EXPECT_EQ(MessageOf([&] { ReadAll(packed.substr(0, size)); }),
              "a.et: a gzip file that is cut off. Expected: a whole one")
        << size;
  }
}

TEST(ByteSource, ADamagedGzipIsRefused) {
  std::string packed = Packed(LongText());
  packed[packed.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(MessageOf([&] { ReadAll(packed); }),
            "a.et: a damaged gzip file. Expected: a whole one");
}

TEST(ByteSource, FilesAreReadAsBytesAre) {
  const TemporaryFolder folder;
  WriteBytes(folder.In("a.et"), Packed(LongText()));
  EXPECT_EQ(ReadAll(OpenBytes(folder.In("a.et")).get(), 5000), LongText());
  EXPECT_EQ(MessageOf([&] { OpenBytes(folder.In("b.et")); }),
            folder.In("b.et") +
                ": cannot be read (No such file or directory). Expected: a trace "
                "of Chakra");
}

}  // namespace
}  // namespace heddle
