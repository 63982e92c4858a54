// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of Chakra's traces, plain and packed: what is accepted has followers, waits
/// and groups in range, ids in order, and an order in which its nodes run or a cycle.
#include "core/chakra/chakra_order.h"
#include "io/chakra/chakra_files.h"
#include "io/chakra/chakra_reader.h"
#include "io/chakra/chakra_summary.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/support/chakra/chakra_bytes.h"
#include "tests/support/chakra/chakra_text.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.0.et";

void CheckRank(const ChakraTrace& trace, const ChakraRank& rank) {
  std::vector<std::uint32_t> waits(rank.nodes.size());
  for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
    const ChakraNode& node = rank.nodes[i];
    if (std::uint64_t{node.first_follower} + node.followers > rank.followers.size())
      Complain("followers that do not exist");
    if (i > 0 && rank.nodes[i - 1].id >= node.id) Complain("ids that do not ascend");
    if (node.bytes < 0 || node.operations < 0 || node.duration < Time{0})
      Complain("a negative amount");
    if (node.name >= trace.names.size() || node.group >= trace.groups.size())
      Complain("a name or a group that does not exist");
    for (std::uint32_t k = 0; k < node.followers; ++k) {
      const std::uint32_t follower = rank.followers[node.first_follower + k];
      if (follower >= waits.size()) Complain("a follower that does not exist");
      ++waits[follower];
    }
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i] != rank.nodes[i].waits) Complain("another number of waits");
  }
  const bool all = OrderNodes(rank).size() == rank.nodes.size();
  if (all != FindCycle(rank).empty()) Complain("neither an order nor a cycle");
}

bool Check(const std::string& text) {
  return Accepts({"", true}, [&] {
    const ChakraTrace trace = ParseChakra(text, kFile);
    for (const ChakraRank& rank : trace.ranks) CheckRank(trace, rank);
    const ChakraSummary sum = Summarize(trace);
    const std::uint64_t kinds =
        sum.nothing + sum.computing + sum.memory + sum.sends + sum.receives + sum.collectives;
    if (kinds != trace.CountNodes()) Complain("nodes are missing");
    WarnOfChakra(trace);
  });
}

/// The messages of a file, of which each length is one byte or two.
std::vector<std::string> MessagesOf(const std::string& file) {
  std::vector<std::string> messages;
  for (std::size_t at = 0; at < file.size();) {
    std::size_t length = static_cast<unsigned char>(file[at++]);
    if (length >= 0x80) length += (static_cast<unsigned char>(file[at++]) - 1U) * 0x80;
    messages.push_back(file.substr(at, length));
    at += length;
  }
  return messages;
}

/// Most inputs have right lengths, so that damage reaches the nodes.
std::string Make(Mutator* mutator) {
  if (mutator->Chance(6)) return mutator->Text();
  if (mutator->Chance(6)) return mutator->Binary();
  std::vector<std::string> messages;
  for (std::size_t files = 1 + mutator->Below(2); files > 0; --files) {
    const std::vector<std::string> more = MessagesOf(mutator->Pick(mutator->corpus()));
    messages.insert(messages.end(), more.begin() + (messages.empty() ? 0 : 1), more.end());
  }
  for (std::size_t changes = mutator->Below(4); changes > 0; --changes) {
    std::string& message = messages[mutator->Below(messages.size())];
    if (mutator->Chance(2)) {
      message += mutator->Word();
    } else if (!message.empty()) {
      mutator->Disturb(&message);
    }
  }
  std::string bytes;
  for (const std::string& message : messages) bytes += testing::Framed(message);
  return bytes;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  using testing::Attribute;
  using testing::BytesField;
  ReaderFuzz reader;
  reader.name = "chakra";
  reader.check = &Check;
  reader.make = &Make;
  reader.words = {testing::Framed(testing::NodeHead(7, 4)),
                  testing::Dependencies(5, {0, 1, 2}),
                  testing::Dependencies(4, {3}),
                  Attribute("comm_size", 1024),
                  Attribute("comm_type", 3),
                  Attribute("comm_src", 1),
                  Attribute("pg_name", BytesField(29, "1")),
                  Attribute("comm_size", BytesField(29, "17")),
                  "## process_group:init ##",
                  R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])",
                  "\x1f\x8b"};
  const std::string groups =
      testing::NodeHead(9, 1, "## process_group:init ##") +
      BytesField(8, BytesField(1, R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])"));
  reader.seeds = {
      testing::ChakraFilesOf(
          "ranks 1\n0: 1 comp 10 name gemm\n0: 2 coll ALL_REDUCE 8 after 1\n")[0],
      testing::ChakraFilesOf("ranks 1\n0: 4 send 8 to 1 tag 3\n0: 5 recv 8 from 1 tag 3 control 4\n"
                             "0: 6 load 9 took 3\n0: 7 comp 4 cpu ops 9 bytes 8 after 5 6\n")[0],
      testing::TraceBytes({groups, testing::NodeHead(10, 7) + Attribute("comm_type", 2) +
                                       Attribute("comm_size", 64) +
                                       Attribute("pg_name", BytesField(29, "1"))})};
  return reader;
}

}  // namespace heddle
