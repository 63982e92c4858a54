// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/part_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kBytes = 64;

std::vector<float> Numbers(float first) {
  std::vector<float> numbers(kBytes / sizeof(float));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = first + static_cast<float>(i);
  return numbers;
}

const char* Raw(const std::vector<float>& numbers) {
  return reinterpret_cast<const char*>(numbers.data());
}

std::vector<float> Floats(const char* bytes, std::size_t count) {
  std::vector<float> floats(count);
  std::memcpy(floats.data(), bytes, count * sizeof(float));
  return floats;
}

struct Buffers {
  BufferPool pool;
  std::vector<float> own = Numbers(100);
  PartBuffer buffer{Raw(own), pool.Take(kBytes), kBytes};
  std::vector<float> in = Numbers(1000);
};

TEST(PartBuffer, ReadsItsOwnUntilSomethingComes) {
  Buffers b;
  EXPECT_EQ(b.buffer.Read(8, 16), Raw(b.own) + 8) << "no copy";
  b.buffer.Add(8, Raw(b.in), 16);
  EXPECT_EQ(Floats(b.buffer.Read(8, 16), 4), (std::vector<float>{1102, 1104, 1106, 1108}));
  b.buffer.Add(8, Raw(b.in), 8);
  EXPECT_EQ(Floats(b.buffer.Read(8, 16), 4), (std::vector<float>{2102, 2105, 1106, 1108}));
  EXPECT_EQ(b.buffer.Read(40, 8), Raw(b.own) + 40);
  EXPECT_EQ(b.own, Numbers(100)) << "what it had never changes";
}

TEST(PartBuffer, FillsWhatIsMissingOfARange) {
  Buffers b;
  b.buffer.Put(8, Raw(b.in), 8);
  b.buffer.Put(24, Raw(b.in), 4);
  EXPECT_EQ(Floats(b.buffer.Read(4, 28), 7),
            (std::vector<float>{101, 1000, 1001, 104, 105, 1000, 107}));
  b.buffer.Add(0, Raw(b.in), 8);  // across what came and what did not
  EXPECT_EQ(Floats(b.buffer.Read(0, 8), 2), (std::vector<float>{1100, 1102}));
  b.buffer.FillGaps();
  EXPECT_EQ(Floats(b.buffer.result() + 60, 1), (std::vector<float>{115}));
}

TEST(PartBuffer, OfASwitchHasNothingOfItsOwn) {
  BufferPool pool;
  PartBuffer buffer(nullptr, pool.Take(kBytes), kBytes);
  EXPECT_THROW(buffer.Read(0, 4), InvariantError);
  const std::vector<float> in = Numbers(1);
  buffer.Add(0, Raw(in), 8);
  EXPECT_EQ(Floats(buffer.Read(0, 8), 2), (std::vector<float>{1, 2}));
  buffer.Add(0, Raw(in), 8);
  EXPECT_EQ(Floats(buffer.Read(0, 8), 2), (std::vector<float>{2, 4}));
  EXPECT_THROW(buffer.Read(0, 12), InvariantError);
}

TEST(PartBuffer, MovesAndDoesNotAddWhatAnEdgeCuts) {
  Buffers b;
  b.buffer.Add(6, Raw(b.in) + 6, 11);  // bytes 6 to 17: elements 2 and 3 whole, 1 and 4 cut
  EXPECT_EQ(Floats(b.buffer.Read(8, 8), 2), (std::vector<float>{1104, 1106}));
  EXPECT_EQ(std::memcmp(b.buffer.result() + 6, Raw(b.in) + 6, 2), 0);
  EXPECT_EQ(std::memcmp(b.buffer.result() + 16, Raw(b.in) + 16, 1), 0);
  EXPECT_EQ(b.buffer.cut(), (std::vector<std::int64_t>{1, 4}));
}

TEST(PartBuffer, GivesNoPlaceThatASendReads) {
  Buffers b;
  b.buffer.Reading(8, 8);
  EXPECT_EQ(b.buffer.PlaceOf(12, 8), nullptr);
  EXPECT_EQ(b.buffer.PlaceOf(0, 9), nullptr);
  EXPECT_EQ(b.buffer.PlaceOf(16, 8), b.buffer.result() + 16);
  b.buffer.Done(8, 8);
  EXPECT_EQ(b.buffer.PlaceOf(12, 8), b.buffer.result() + 12);
  EXPECT_THROW(b.buffer.Done(8, 8), InvariantError);
}

}  // namespace
}  // namespace heddle
