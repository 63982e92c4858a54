// SPDX-License-Identifier: GPL-2.0-only
/// A single rank without MPI; the invariance suite tests several ranks.
#include "core/mpi/communicator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <stdexcept>

namespace heddle {
namespace {

TEST(SerialCommunicator, IsItsOwnWorld) {
  const Communicator world = Communicator::Serial();
  EXPECT_EQ(world.size(), 1U);
  EXPECT_EQ(world.rank(), RankId(0));
  EXPECT_TRUE(world.is_root());
  EXPECT_EQ(world.Min(std::int64_t{-5}), -5);
  EXPECT_EQ(world.Max(std::int64_t{-5}), -5);
  EXPECT_EQ(world.Sum(std::int64_t{-5}), -5);
  EXPECT_EQ(world.Max(0.25), 0.25);
  std::vector<std::int64_t> values = {1, -2, 3};
  world.Sum(&values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_EQ(world.Gather({'a', '\0', 'b'}), (std::vector<std::vector<char>>{{'a', '\0', 'b'}}));
  EXPECT_EQ(world.Broadcast("text"), "text");
  EXPECT_EQ(world.AllGather(1.5), std::vector<double>{1.5});
}

template <class Work>
void ExpectShared(ExitCode code, const std::string& text, Work&& work) {
  try {
    AgreeOnErrors(Communicator::Serial(), work);
    FAIL() << "nothing was thrown";
  } catch (const SharedError& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.what(), text);
  }
}

TEST(AgreeOnErrors, KeepsCodeAndText) {
  ExpectShared(ExitCode::kBadInput, "bad \xc3\xa9", [] { throw UserError("bad \xc3\xa9"); });
  ExpectShared(ExitCode::kInputOutput, "file", [] { throw FileError("file"); });
  ExpectShared(ExitCode::kTooLittleMemory, "out of memory", [] { throw std::bad_alloc(); });
  ExpectShared(ExitCode::kInvariantViolated, "internal error: of a library",
               [] { throw std::logic_error("of a library"); });
}

TEST(AgreeOnErrors, IsSilentWithoutOne) {
  bool ran = false;
  EXPECT_NO_THROW(AgreeOnErrors(Communicator::Serial(), [&] { ran = true; }));
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace heddle
