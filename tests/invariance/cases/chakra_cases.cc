// SPDX-License-Identifier: GPL-2.0-only
/// Traces of Chakra: programs that are graphs, with collectives of overlapping groups, messages and
/// computing, over packets and in phases.
#include <memory>
#include <string>
#include <utility>

#include "tests/invariance/case.h"
#include "tests/support/chakra/chakra_programs.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::invariance {
namespace {

using heddle::testing::Loop;
using heddle::testing::TraceJob;

constexpr const char* kGroups =
    R"({"1": [0, 1, 2, 3], "2": [7, 6, 5, 4, 8, 9, 10, 11], "3": [0, 4, 8], "4": [11, 1, 6]})";

/// So many steps of twelve ranks.
std::string Trace(int steps) {
  std::string text = "ranks 12\n";
  for (int rank = 0; rank < 12; ++rank) {
    for (int step = 0; step < steps; ++step) {
      const int id = 10 * step;
      const auto line = [&](int number, const std::string& node) {
        text += std::to_string(rank) + ": " + std::to_string(id + number) + " " + node + "\n";
      };
      const auto text_of = [](int number) { return std::to_string(number); };
      line(1, "comp " + text_of(1 + (rank * 37 + step * 911) % 9) +
                  (step > 0 ? " after " + text_of(id - 6) + " " + text_of(id - 8) : ""));
      line(2, "coll ALL_REDUCE " + text_of(step % 3 == 0 ? 90'000 : 7'000) +
                  (step % 2 == 0 ? rank < 4 ? " group 1" : " group 2" : "") + " after " +
                  text_of(id + 1));
      line(3, "send " + text_of(10'000 + step) + " to " + text_of((rank + 1 + step % 3) % 12) +
                  " tag " + text_of(step % 2) + " after " + text_of(id + 5));
      line(4, "recv " + text_of(10'000 + step) + " from " + text_of((rank + 23 - step % 3) % 12) +
                  " tag " + text_of(step % 2));
      line(5, "comp 2 cpu control " + text_of(id + 1));
      if (rank % 4 == 0) line(6, "coll ALL_TO_ALL 30000 group 3 after " + text_of(id + 1));
      if (rank == 11 || rank == 1 || rank == 6) line(7, "coll ALL_GATHER 3000 group 4");
    }
  }
  return text;
}

/// An algorithm of four places: each adds what the one before sent, and passes it on, twice.
ChakraAlgorithms PassedOn() {
  std::string text = "ranks 4\n";
  for (int place = 0; place < 4; ++place) {
    const std::string at = std::to_string(place) + ": ";
    const std::string next = std::to_string((place + 1) % 4),
                      last = std::to_string((place + 3) % 4);
    text += at + "1 send 9000 to " + next + " tag 0\n";
    text += at + "2 recv 9000 from " + last + " tag 0\n";
    text += at + "3 comp 1 after 2\n";
    text += at + "4 send 4000 to " + next + " tag 1 after 3 1\n";
    text += at + "5 recv 4000 from " + last + " tag 1\n";
  }
  auto algorithm = std::make_shared<ChakraTrace>(heddle::testing::TraceOfText(text));
  CheckChakraAlgorithm(*algorithm);
  return {{ChakraCollective::kAllReduce, std::move(algorithm)}};
}

constexpr const char* kFours =
    R"({"1": [0, 1, 2, 3], "2": [7, 6, 5, 4], "3": [8, 9, 10, 11],
        "4": [0, 3, 6, 9], "5": [10, 1, 4, 7], "6": [2, 5, 8, 11]})";

/// So many steps of twelve ranks, each with an AllReduce of servers or of every third rank.
std::string TraceOfFours(int steps) {
  std::string text = "ranks 12\n";
  for (int rank = 0; rank < 12; ++rank) {
    for (int step = 0; step < steps; ++step) {
      const auto line = [&](int number, const std::string& node) {
        text +=
            std::to_string(rank) + ": " + std::to_string(10 * step + number) + " " + node + "\n";
      };
      const auto id = [step](int number) { return std::to_string(10 * step + number); };
      line(1, "comp " + std::to_string(1 + (rank * 37 + step * 911) % 9) +
                  (step > 0 ? " after " + id(-9) : ""));
      line(2, "coll ALL_REDUCE 20000 group " +
                  std::to_string(step % 2 == 0 ? 1 + rank / 4 : 4 + rank % 3) + " after " + id(1));
    }
  }
  return text;
}

/// Operations that are under way while another one is that was issued before.
Proof Overlaps() {
  return {"operations that overlap", [](const Results& r) {
            const Table& table = r.table("collectives");
            const auto& start = GetColumn<std::int64_t>(table, "start_ps");
            const auto& end = GetColumn<std::int64_t>(table, "end_ps");
            std::int64_t count = 0;
            for (std::size_t i = 1; i < start.size(); ++i)
              count += start[i] < end[i - 1] && start[i - 1] < end[i];
            return count;
          }};
}

Proof Messages() {
  return {"messages between two ranks", [](const Results& r) {
            std::int64_t count = 0;
            for (const std::string& op : GetColumn<std::string>(r.table("collectives"), "op"))
              count += op == "SENDRECV";
            return count;
          }};
}

/// `window`: nodes of the trace that stay in memory; 0: all.
Case OverPackets(const char* name, const CollectiveOptions& collectives, std::uint64_t window = 0) {
  heddle::testing::LeafSpine fabric;
  fabric.leaves = 3;
  fabric.hosts_per_leaf = 4;
  fabric.spines = 2;
  Case made{name, fabric.Build(), {}, Set(Tight()), {}, {Overlaps(), Messages()}};
  made.collectives = collectives;
  made.jobs = {TraceJob(Trace(6), {}, kGroups, {}, window)};
  return made;
}

}  // namespace

void AddChakraCases(std::vector<CaseMaker>* cases) {
  cases->push_back({"chakra", [] { return OverPackets("chakra", {}); }});
  cases->push_back({"chakra-lasting", [] {
                      CollectiveOptions options;
                      options.connections = CollectiveOptions::Connections::kLasting;
                      return OverPackets("chakra-lasting", options);
                    }});
  cases->push_back({"chakra-algorithm", [] {
                      Case made = OverPackets("chakra-algorithm", {});
                      made.proofs = {Overlaps()};
                      made.jobs = {TraceJob(TraceOfFours(8), {}, kFours, {}, 0, PassedOn())};
                      return made;
                    }});
  cases->push_back({"chakra-window", [] { return OverPackets("chakra-window", {}, 1); }});
  cases->push_back({"chakra-phases", [] {
                      Case made{"chakra-phases",
                                heddle::testing::ScaleUpFabric({Loop(4, 2), Loop(3, 1, 1)}),
                                {},
                                Set({}),
                                {},
                                {Overlaps(), Messages()}};
                      made.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
                      made.collectives.phased.splits = 3;
                      made.collectives.phased.per_lane = 1;
                      made.jobs = {TraceJob(Trace(6), {}, kGroups, {{4, 3}, 0})};
                      return made;
                    }});
}

}  // namespace heddle::invariance
