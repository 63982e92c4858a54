// SPDX-License-Identifier: GPL-2.0-only
/// Beginnings of other programs' files, each written for these tests.
#include "io/input/foreign_kind.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "io/input/file_kind.h"

namespace heddle {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  FileKind kind;
  std::string_view text;
};

/// A metadata message with version 0.0.4, then a node with id 7 or with a name only.
constexpr std::string_view kTraceWithId =
    "\x07\x0a\x05"
    "0.0.4\x0b\x08\x07\x12\x04"
    "gemm\x18\x04\0"sv;
constexpr std::string_view kTraceWithName =
    "\x07\x0a\x05"
    "0.0.4\x08\x12\x04"
    "gemm\x18\x04"sv;
/// The version is missing; an attribute names the schema.
constexpr std::string_view kTraceWithSchema =
    "\x13\x12\x11\x0a\x06schema\xea\x01\x06"
    "1.0.1?\x06\x08\x01\x12\x02"
    "ab"sv;

const std::vector<Beginning>& Beginnings() {
  static const std::vector<Beginning> beginnings = {
      {FileKind::kChakra, kTraceWithId},
      {FileKind::kChakra, kTraceWithName},
      {FileKind::kChakra, kTraceWithSchema},
      {FileKind::kChakraGzip, "\x1f\x8b\x08\x08\0\0\0\0\x02\x03job.0.et\0\x4b"sv},
      {FileKind::kGzip, "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\x4c"sv},
      {FileKind::kGzip, "\x1f\x8b\x08\x08\0\0\0\0\x02\x03job.txt\0\x4b"sv},
      {FileKind::kChakraJson, "{\n  \"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 7, \"nodes\": ["},
      {FileKind::kChakraJson, "{\"nodes\": [{\"id\": 1, \"name\": \"x\", \"ctrl_deps\": 0}]}"},
      {FileKind::kKineto, "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": []}"},
      {FileKind::kTimeline, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"},
      {FileKind::kGoal, "num_ranks 2\n\nrank 0 {\nl1: calc 10\n}\n"},
      {FileKind::kGoal, "// two ranks\n/* and\nmore */ num_ranks 2\r\nrank 0 {\n}\n"},
      {FileKind::kGoalBinary, "\x7f\x10\0\0\0\0\0\0\x02\0\0\0"sv},
      {FileKind::kGoalBinary, "\x26\x09\0\0\0\0\0\0\x02\0\0\0"sv},
      {FileKind::kHtsimFlows, "Nodes 4\nConnections 1\n0->3 id 1 start 0 size 4096\n"},
      {FileKind::kHtsimFlows, "# one\nConnections 1\nTriggers 0\nNodes 4\n0->3 start 0 size 5\n"},
      {FileKind::kHtsimFlows, "0->3 id 1 start 0 size 4096\n"},
      {FileKind::kHtsimTopology, "# a tree\nNodes 4\nTiers 2\nPodsize 4\n\nTier 0\n"},
      {FileKind::kHtsimTopology, "nodes 4\npodsize 4\ntiers 2\n"},
      {FileKind::kMsccl, "<algo name=\"a\" nchannels=\"1\" nchunksperloop=\"2\">\n"},
      {FileKind::kMsccl, "<?xml version=\"1.0\"?>\n<!-- ring -->\n<algo name=\"a\">\n"},
      {FileKind::kNcclTopology, "<system version=\"1\">\n  <cpu numaid=\"0\" arch=\"x86_64\">\n"},
      {FileKind::kNcclGraph, "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\">\n"},
      {FileKind::kLstopo,
       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
       "<topology version=\"2.0\">\n"},
      {FileKind::kSlurmTopology, "# two leaves\nSwitchName=s0 Nodes=n[0-3]\n"},
      {FileKind::kSlurmTopology, "switchname=s2 switches=s[0-1]\n"},
      {FileKind::kInfraGraph, "name: pod\ndevices:\n- name: host\n  components:\ninstances:\n"},
      {FileKind::kInfraGraph, "{\"name\": \"p\", \"edges\": [{\"ep1\": {}, \"ep2\": {}}]}"},
      {FileKind::kNcclTests, "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor)\n"},
      {FileKind::kNcclTests, "a module was loaded\n# nccl-tests version 2.17.1\n# nThread 1\n"},
      {FileKind::kZip, "PK\x03\x04\x14\0\0\0\x08\0notes.txt"sv},
      {FileKind::kSpreadsheet, "PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml"sv}};
  return beginnings;
}

TEST(ForeignKind, EachByItsBeginning) {
  for (const Beginning& one : Beginnings())
    EXPECT_EQ(KindOf(one.text), one.kind) << one.text.substr(0, 30);
}

TEST(ForeignKind, EachHasAMessage) {
  const std::string path = ::testing::TempDir() + "foreign_kind_test.txt";
  for (const Beginning& one : Beginnings()) {
    std::ofstream(path, std::ios::binary) << one.text;
    const std::string looks = LooksLike(path, FileKind::kWorkload);
    EXPECT_EQ(looks.rfind(" (it looks like a", 0), 0U) << one.text.substr(0, 30) << looks;
    EXPECT_NE(looks.find(": "), std::string::npos) << looks;
    EXPECT_EQ(LooksLike(path, one.kind), "");
  }
  std::remove(path.c_str());
}

/// All beginnings of all: none is out of bounds, and a shorter one is that kind, an unknown one, or
/// what its first word says.
TEST(ForeignKind, BeginningsMayEndAnywhere) {
  for (const Beginning& one : Beginnings()) {
    for (std::size_t size = 0; size <= one.text.size(); ++size)
      KindOf(std::string(one.text.substr(0, size)));
  }
}

TEST(ForeignKind, FilesOfHeddleAreNotTaken) {
  for (const std::string_view text :
       {"2\n0 1 3 100 4096 2.000000000 and a line of fifty bytes..\n"sv, "Nodes 4\n"sv,
        "Nodes four\nTiers 2\n"sv, "<svg xmlns=\"x\">"sv, "num_ranks\n"sv, "[1, 2]"sv,
        "npus_count: [8]\n"sv, "\n\n\n\n\n\n\n\n\n\n\n\n\n"sv, "\x1f"sv, "->3 size 1\n"sv}) {
    EXPECT_EQ(ForeignTextKind(text), FileKind::kUnknown) << text;
    EXPECT_EQ(ForeignBinaryKind(text), FileKind::kUnknown) << text;
  }
}

TEST(ForeignKind, AGzipFileByItsOwnName) {
  const std::string path = ::testing::TempDir() + "foreign_kind_test.0.et";
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\x4c"sv;
  EXPECT_EQ(KindOfFile(path), FileKind::kChakraGzip);
  std::remove(path.c_str());
}

TEST(ForeignKind, BytesOfABinaryFileAreNotInMessages) {
  const std::string path = ::testing::TempDir() + "foreign_kind_test.et";
  std::ofstream(path, std::ios::binary) << kTraceWithId;
  try {
    ReadAs(FileKind::kWorkload, path, [&path]() -> int {
      throw UserError(path + ":1: unknown policy \"\\x07\\x0a\". Expected: a policy");
    });
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), path +
                                ": not plain text. Expected: a policy (it looks like an execution "
                                "trace of Chakra: heddle run --chakra PREFIX, heddle trace show "
                                "PREFIX)");
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace heddle
