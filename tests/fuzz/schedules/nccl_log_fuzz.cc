// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of NCCL's logs: what is accepted has peers, groups and followers in range,
/// and no node waits for itself through others.
#include "core/chakra/chakra_order.h"
#include "io/chakra/chakra_summary.h"
#include "io/nccl_log/nccl_log.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.log";

void CheckRank(const ChakraTrace& trace, const ChakraRank& rank) {
  for (const ChakraNode& node : rank.nodes) {
    if (node.group >= trace.groups.size()) Complain("a group that does not exist");
    if (node.name >= trace.names.size()) Complain("a name that does not exist");
    if (node.bytes < 0) Complain("a negative size");
    const bool message = node.is_send() || node.is_receive();
    if (message && node.peer >= trace.ranks.size()) Complain("a peer that does not exist");
    if (node.is_collective() && node.peer > 0 && node.peer >= trace.groups[node.group].ranks.size())
      Complain("a root that does not exist");
  }
  for (const std::uint32_t follower : rank.followers) {
    if (follower >= rank.nodes.size()) Complain("a follower that does not exist");
  }
  if (!FindCycle(rank).empty()) Complain("a cycle");
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    NcclLogReader reader;
    reader.Read(text, kFile);
    const NcclTrace read = reader.Take(kFile);
    for (const ChakraGroup& group : read.trace.groups) {
      for (const std::uint32_t rank : group.ranks) {
        if (rank >= read.trace.ranks.size()) Complain("a rank that does not exist");
      }
    }
    for (const ChakraRank& rank : read.trace.ranks) CheckRank(read.trace, rank);
    Summarize(read.trace);
  });
}

std::string Line(int process, const std::string& text) {
  return "host:1" + std::to_string(process) + ":20 [" + std::to_string(process) + "] NCCL INFO " +
         text + "\n";
}

std::string Call(const std::string& name, const std::string& root) {
  return name + ": opCount 1 sendbuff 0x10 recvbuff (nil) count 64 datatype 7 op 0 root " + root +
         " comm 0x7 [nranks=2] stream 0x5";
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "nccl_log";
  reader.check = &Check;
  reader.words = {"AllReduce: opCount 2",
                  "Send: opCount 1",
                  "Recv: opCount 1",
                  " comm 0x7 ",
                  "[nranks=2]",
                  " root 1 ",
                  "datatype 9",
                  "Init COMPLETE",
                  "Destroy COMPLETE",
                  "rank 1 nranks 2",
                  "cudaDev 0",
                  "commId 0x3",
                  "parent 0x7 color 1",
                  "NCCL INFO ",
                  "globalrank 1",
                  "\n",
                  "18446744073709551615",
                  "NCCL version 2.27.3",
                  "stream 0x6"};
  std::string both;
  for (const int process : {0, 1}) {
    both += Line(process, "comm 0x7 rank " + std::to_string(process) +
                              " nranks 2 cudaDev 0 busId 1a commId 0x9 - Init COMPLETE");
    for (const char* name : {"AllReduce", "ReduceScatter", "Send", "Recv"})
      both += Line(process, Call(name, process == 0 ? "1" : "0"));
  }
  reader.seeds = {both, Line(0, Call("Broadcast", "0")) + Line(1, Call("Broadcast", "0"))};
  return reader;
}

}  // namespace heddle
