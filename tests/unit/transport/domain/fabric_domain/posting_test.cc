// SPDX-License-Identifier: GPL-2.0-only
/// Flows that an agent posts while the simulation runs: their order, what the agent is told and
/// when, their queue pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "partition/partition.h"
#include "tests/support/simulate.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kPostingNoticeDelay = kMicro;

/// What a message is called; its cookie.
struct PostingTag {
  std::uint64_t number = 0;
  std::uint64_t unused[3] = {};
};

struct Ends {
  std::int64_t sent = -1, received = -1;  ///< [ps]
  int times_sent = 0, times_received = 0;
  bool operator==(const Ends& o) const {
    return sent == o.sent && received == o.received && times_sent == o.times_sent &&
           times_received == o.times_received;
  }
};

FlowPost Post(std::uint32_t from, std::uint32_t to, std::int64_t size, std::uint64_t tag,
              std::int64_t start_ps = 0, std::uint64_t order = 0) {
  FlowPost post;
  post.source = NodeId(from);
  post.destination = NodeId(to);
  post.size = size;
  post.start = PicoSeconds(start_ps);
  post.order = order;
  post.cookie = FlowCookie::Of(PostingTag{tag});
  return post;
}

/// Posts a list at the beginning, in its order, and what `then` makes of each arrival.
class Script final : public FlowDriver {
 public:
  using Then = std::function<void(std::uint64_t tag, Time when, FlowPoster* port)>;
  explicit Script(std::vector<FlowPost> posts, Then then = nullptr)
      : posts_(std::move(posts)), then_(std::move(then)) {}

  FlowAgent* AgentOf(DomainId, const std::vector<NodeId>& nodes) override {
    agents_.push_back(std::make_unique<Agent>(this, nodes));
    return agents_.back().get();
  }
  Time notice_delay() const override { return PicoSeconds(kPostingNoticeDelay); }
  const std::map<std::uint64_t, Ends>& ends() const { return ends_; }

 private:
  class Agent final : public FlowAgent {
   public:
    Agent(Script* script, std::vector<NodeId> nodes) : script_(script), nodes_(std::move(nodes)) {}
    void Begin(FlowPoster* port) override {
      port_ = port;
      for (const FlowPost& post : script_->posts_) {
        if (std::find(nodes_.begin(), nodes_.end(), post.source) != nodes_.end()) port->Post(post);
      }
    }
    void Sent(const FlowCookie& cookie, Time when) override {
      Ends& ends = script_->ends_[cookie.As<PostingTag>().number];
      ends.sent = when.ps;
      ++ends.times_sent;
    }
    void Received(const FlowCookie& cookie, Time when) override {
      Ends& ends = script_->ends_[cookie.As<PostingTag>().number];
      ends.received = when.ps;
      ++ends.times_received;
      if (script_->then_) script_->then_(cookie.As<PostingTag>().number, when, port_);
    }
    // What it knows lies in the script.
    void Save(StateWriter*) const override {}
    void Load(StateReader*) override {}

   private:
    Script* script_;
    std::vector<NodeId> nodes_;
    FlowPoster* port_ = nullptr;
  };

  std::vector<FlowPost> posts_;
  Then then_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::map<std::uint64_t, Ends> ends_;
};

TransportOptions Completing(const char* completion) {
  TransportOptions options = Unlimited();
  options.completion = *FindWord<TransportOptions::Completion>(completion);
  return options;
}

const std::vector<std::int64_t>& Sizes(const Observed& o) {
  return GetColumn<std::int64_t>(o.flows, "size_bytes");
}
const std::vector<std::uint16_t>& Ports(const Observed& o) {
  return GetColumn<std::uint16_t>(o.flows, "source_port");
}

TEST(Posting, OrdersByStartAndOrderWhateverTheOrderOfPosting) {
  // Sizes tell them apart. By (start, order): 100, 300, 200; then 50.
  std::vector<FlowPost> posts = {Post(0, 1, 100, 1, 0, 1), Post(0, 1, 200, 2, 0, 9),
                                 Post(0, 1, 300, 3, 0, 5), Post(0, 1, 50, 4, kMicro, 0)};
  std::vector<int> permutation = {0, 1, 2, 3};
  do {
    std::vector<FlowPost> permuted;
    for (int i : permutation) permuted.push_back(posts[static_cast<std::size_t>(i)]);
    Script script(permuted);
    const Observed outcome = SimulateDriven(Row({{}, {}}), &script, Unlimited());
    EXPECT_EQ(Sizes(outcome), (std::vector<std::int64_t>{100, 300, 200, 50}));
    EXPECT_EQ(Ports(outcome), (std::vector<std::uint16_t>{10000, 10001, 10002, 10003}));
    EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "start_ps"),
              (std::vector<std::int64_t>{0, 0, 0, kMicro}));
    // They leave in that order too: 152, 352 and 252 bytes.
    EXPECT_EQ(script.ends().at(1).sent, 152 * kPs);
    EXPECT_EQ(script.ends().at(3).sent, (152 + 352) * kPs);
    EXPECT_EQ(script.ends().at(2).sent, (152 + 352 + 252) * kPs);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
}

TEST(Posting, TellsEndsOverTwoLinksByHand) {
  constexpr std::int64_t kStart = 3 * kMicro;
  for (const std::int64_t packets : {1, 10}) {
    // Data: the last packet leaves when N have been put on the wire, and is there after one more
    // and two delays.
    const std::int64_t sent = kStart + packets * kTx, there = sent + kTx + 2 * kMicro;
    for (const bool acked : {true, false}) {
      Script script({Post(0, 1, packets * 9000, 7, kStart)});
      const Observed outcome =
          SimulateDriven(Row({{}, {}}), &script, Completing(acked ? "acked" : "received"));
      const std::int64_t back = there + 2 * (kAckTx + kMicro);
      const Ends expected{sent, acked ? back : there, 1, 1};
      EXPECT_EQ(script.ends().at(7), expected)
          << packets << " packets, acked " << acked << ": sent at " << script.ends().at(7).sent
          << " (expected " << sent << "), received at " << script.ends().at(7).received;
      EXPECT_EQ(Fct(outcome, 0), back - kStart);
    }
  }
}

TEST(Posting, SplitsAMessageOverQueuePairsAndTellsItsEndOnce) {
  TransportOptions options = Unlimited();
  options.nic.qps_per_connection = 4;
  for (const char* completion : {"acked", "received"}) {
    options.completion = *FindWord<TransportOptions::Completion>(completion);
    Script script({Post(0, 1, 36002, 1, 0, 1), Post(0, 1, 3, 2, 0, 2), Post(0, 2, 4, 3, 0, 3)});
    const Observed outcome = SimulateDriven(Star({{}, {}, {}}), &script, options);
    // ceil(36002 / 4) = 9001 a pair, the rest for the last; three bytes have three pairs; ports
    // count for each destination.
    EXPECT_EQ(Sizes(outcome),
              (std::vector<std::int64_t>{9001, 9001, 9001, 8999, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(Ports(outcome), (std::vector<std::uint16_t>{10000, 10001, 10002, 10003, 10004, 10005,
                                                          10006, 10000, 10001, 10002, 10003}));
    EXPECT_EQ(GetColumn<std::uint32_t>(outcome.flows, "message"),
              (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2}));
    const auto& fct = GetColumn<std::int64_t>(
        outcome.flows, completion == std::string("acked") ? "fct_ps" : "received_ps");
    const auto last = [&](int from, int to) {
      return *std::max_element(fct.begin() + from, fct.begin() + to);
    };
    EXPECT_EQ(script.ends().at(1).received, last(0, 4));
    EXPECT_EQ(script.ends().at(2).received, last(4, 7));
    EXPECT_EQ(script.ends().at(3).received, last(7, 11));
    for (std::uint64_t tag : {1, 2, 3}) {
      EXPECT_EQ(script.ends().at(tag).times_sent, 1) << tag;
      EXPECT_EQ(script.ends().at(tag).times_received, 1) << tag;
    }
  }
}

TEST(Posting, CountsPortsOnAcrossTime) {
  int left = 5;
  Script script({Post(0, 1, 100, 1)}, [&](std::uint64_t, Time when, FlowPoster* port) {
    // GPU 1 hears of it, and answers; GPU 0 hears of that, and sends again.
    const bool even = --left % 2 == 0;
    if (left > 0)
      port->Post(Post(even ? 1 : 0, even ? 0 : 1, 100, static_cast<std::uint64_t>(10 - left),
                      when.ps + kPostingNoticeDelay));
  });
  const Observed outcome = SimulateDriven(Row({{}, {}}), &script, Unlimited());
  EXPECT_EQ(Ports(outcome), (std::vector<std::uint16_t>{10000, 10001, 10002, 10000, 10001}))
      << "three from GPU 0, two from GPU 1";
  const std::int64_t round = 2 * (152 * kPs + kMicro) + 2 * (kAckTx + kMicro) + kPostingNoticeDelay;
  EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "start_ps"),
            (std::vector<std::int64_t>{0, 2 * round, 4 * round, round, 3 * round}));
}

TEST(Posting, RefusesWhatCannotBe) {
  const Graph graph = Star({{}, {}, {}});
  int refused = 0;
  Script script({Post(0, 1, 100, 1)}, [&](std::uint64_t, Time when, FlowPoster* port) {
    EXPECT_THROW(port->Post(Post(1, 0, 100, 2, when.ps - 1)), InvariantError) << "in the past";
    EXPECT_THROW(port->Post(Post(1, 0, 0, 2, when.ps + kPostingNoticeDelay)), InvariantError)
        << "of no bytes";
    EXPECT_THROW(port->Post(Post(1, 0, kMaxFlowBytes + 1, 2, when.ps + kPostingNoticeDelay)),
                 InvariantError)
        << "of too many";
    EXPECT_THROW(port->Post(Post(3, 0, 100, 2, when.ps + kPostingNoticeDelay)), InvariantError)
        << "from a switch";
    ++refused;
  });
  const Observed outcome = SimulateDriven(graph, &script, Unlimited());
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(Sizes(outcome).size(), 1u) << "nothing of it was kept";
}

TEST(Posting, RefusesTheEarliestPastOfANotice) {
  // The agent hears of an acknowledged message one notice delay late: what starts then is just in
  // time, a picosecond before is not.
  Script script({Post(0, 1, 100, 1)}, [](std::uint64_t tag, Time when, FlowPoster* port) {
    if (tag != 1) return;
    EXPECT_THROW(port->Post(Post(1, 0, 100, 2, when.ps + kPostingNoticeDelay - 1)), InvariantError);
    port->Post(Post(1, 0, 100, 3, when.ps + kPostingNoticeDelay));
  });
  const Observed outcome = SimulateDriven(Row({{}, {}}), &script, Completing("acked"));
  EXPECT_EQ(Sizes(outcome).size(), 2u);
}

/// A token that goes around seven GPUs, and from each a message across, over domains of one leaf
/// and all in one.
TEST(Posting, NoticesAreTheSameAcrossDomainsAndWithin) {
  for (const char* completion : {"acked", "received"}) {
    std::vector<Observed> outcomes;
    std::vector<std::map<std::uint64_t, Ends>> ends;
    for (const std::uint32_t grain : {1U, 0U, 3U}) {
      Script script({Post(0, 1, 20000, 1)}, [](std::uint64_t tag, Time when, FlowPoster* port) {
        if (tag >= 100 || tag >= 30) return;
        const std::uint32_t here = static_cast<std::uint32_t>(tag % kRing),
                            next = (here + 1) % kRing;
        port->Post(Post(here, next, 20000, tag + 1, when.ps + kPostingNoticeDelay, 1));
        port->Post(
            Post(here, (here + 3) % kRing, 500000, tag + 100, when.ps + kPostingNoticeDelay, 0));
      });
      RunPlan plan;
      plan.grain = grain;
      plan.check_every = 0;
      outcomes.push_back(SimulateDriven(Ring(), &script, {Completing(completion), plan}));
      ends.push_back(script.ends());
      EXPECT_EQ(ends.back().size(), 30u + 29u);
      EXPECT_TRUE(AllFinished(outcomes.back()));
      EXPECT_EQ(outcomes.back().flow_digest, outcomes.front().flow_digest)
          << completion << " grain " << grain;
      EXPECT_EQ(ends.back(), ends.front()) << completion << " grain " << grain;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
