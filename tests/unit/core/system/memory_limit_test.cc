// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/memory_limit.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/base/memory_account.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// A folder in place of the root of the file system.
class MemoryLimit : public ::testing::Test {
 protected:
  MemoryLimit() {
    Put("/proc/meminfo",
        "MemTotal:       4096000 kB\nMemFree:  1000 kB\nMemAvailable:    2048000 kB\n");
  }

  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }

  TemporaryFolder folder_;
  std::string root_ = folder_.path();
};

TEST_F(MemoryLimit, OfTheNode) {
  Put("/proc/self/cgroup", "0::/\n");
  const MemoryRoom room = RoomOfNode(root_);
  EXPECT_EQ(room.bytes, 2000 * kMiB);
  EXPECT_EQ(room.bound, "free on this node");
}

TEST_F(MemoryLimit, OfAGroupOfVersion2AndThoseAboveIt) {
  Put("/proc/self/cgroup", "0::/slurm/job1/step0\n");
  Put("/sys/fs/cgroup/slurm/job1/step0/memory.max", "max\n");
  Put("/sys/fs/cgroup/slurm/job1/step0/memory.current", "1048576\n");
  Put("/sys/fs/cgroup/slurm/job1/memory.max", std::to_string(100 * kMiB));
  Put("/sys/fs/cgroup/slurm/job1/memory.current", std::to_string(60 * kMiB));
  Put("/sys/fs/cgroup/slurm/job1/memory.stat",
      "anon 1\ninactive_file " + std::to_string(20 * kMiB) + "\n");
  const MemoryRoom room = RoomOfNode(root_);
  EXPECT_EQ(room.bytes, 60 * kMiB);  // the page cache counts as free
  EXPECT_EQ(room.bound, "control group /slurm/job1");
}

TEST_F(MemoryLimit, OfAGroupOfVersion1) {
  Put("/proc/self/cgroup", "3:cpuset:/\n4:memory:/batch\n0::/\n");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "123456789\n");
  EXPECT_EQ(RoomOfNode(root_).bytes, 2000 * kMiB);  // no limit
  Put("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", std::to_string(50 * kMiB));
  Put("/sys/fs/cgroup/memory/batch/memory.usage_in_bytes", std::to_string(70 * kMiB));
  const MemoryRoom room = RoomOfNode(root_);
  EXPECT_EQ(room.bytes, 0);  // usage exceeds the limit: nothing is left
  EXPECT_EQ(room.bound, "control group /batch");
}

TEST_F(MemoryLimit, OfAContainerThatSeesItsGroupAsTheRoot) {
  Put("/proc/self/cgroup", "4:cpu,memory:/docker/0123abc\n");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(300 * kMiB));
  Put("/sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(100 * kMiB));
  EXPECT_EQ(RoomOfNode(root_).bytes, 200 * kMiB);
}

TEST_F(MemoryLimit, UnknownIsUnbounded) {
  std::filesystem::remove_all(root_ + "/proc");
  EXPECT_FALSE(RoomOfNode(root_).bounded());
  EXPECT_TRUE(MemoryDemand().fits());
}

TEST_F(MemoryLimit, ADemandFitsBothBounds) {
  MemoryDemand demand;
  demand.mine = 10;
  demand.node = 40;
  demand.node_room = {40, "a"};
  demand.process_room = {10, "b"};
  EXPECT_TRUE(demand.fits());
  demand.node = 41;
  EXPECT_FALSE(demand.fits());
  demand.node = 40;
  demand.mine = 11;
  EXPECT_FALSE(demand.fits());
}

TEST_F(MemoryLimit, TheProcessIsRead) {
  Put("/status",
      "Name:\tx\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nRssAnon:\t 120 kB\nRssFile:\t 70 "
      "kB\nRssShmem:\t 10 kB\n"
      "VmSize:\t 900 kB\nVmData:\t 400 kB\n");
  const ProcessMemory memory = ReadProcessMemory(root_ + "/status");
  EXPECT_EQ(memory.peak, 300 * 1024);
  EXPECT_EQ(memory.resident, memory.anonymous + memory.file + memory.shared);
  EXPECT_EQ(memory.address_space, 900 * 1024);
  EXPECT_EQ(memory.data, 400 * 1024);
}

TEST_F(MemoryLimit, AnAllocationIsSeen) {
  const ProcessMemory before = ReadProcessMemory();
  std::unique_ptr<char[]> block(new char[64 * kMiB]);
  std::memset(block.get(), 1, 64 * kMiB);
  const ProcessMemory after = ReadProcessMemory();
  EXPECT_NEAR(static_cast<double>(after.anonymous - before.anonymous), 64.0 * kMiB, 1.0 * kMiB);
#ifndef __SANITIZE_ADDRESS__  // ASan's allocator does not report to mallinfo2()
  EXPECT_NEAR(static_cast<double>(after.heap_used - before.heap_used), 64.0 * kMiB, 1.0 * kMiB);
#endif
  EXPECT_GE(block[kMiB], 1);
}

TEST(MemoryAccount, AddsUp) {
  MemoryAccount account, other;
  account.Add(Structure::kPorts, 10);
  account.Add(Structure::kPorts, 5);
  account.Add(Structure::kGraph, 12);
  other.Add(Structure::kGraph, 100);
  EXPECT_EQ(account.largest(), Structure::kPorts);
  account.Add(other);
  EXPECT_EQ(account.of(Structure::kPorts), 15);
  EXPECT_EQ(account.total(), 127);
  EXPECT_EQ(account.largest(), Structure::kGraph);
  const std::vector<std::vector<std::uint32_t>> rows = {std::vector<std::uint32_t>(7), {}};
  EXPECT_EQ(MemoryOf(rows), 2 * sizeof(rows[0]) + 7 * sizeof(std::uint32_t));
}

}  // namespace
}  // namespace heddle
