// SPDX-License-Identifier: GPL-2.0-only
/// MessageDesk over the state of a domain that does nothing by itself. Hosts 0 and 1 are at one
/// leaf, 2 and 3 at the other; between them are two spines. The hosts' links are down, so flows
/// start and send nothing.
#include "transport/domain/messages/message_desk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/serialization/vector.hpp>
#include <cstring>

#include "core/checkpoint/state_archive.h"
#include "core/options/enum_words.h"
#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr Time kNoticeDelay = MicroSeconds(3);

struct Tag {
  std::uint64_t number = 0;
  std::uint64_t unused[3] = {};
};

/// What it was told.
class Listener final : public FlowAgent {
 public:
  struct Call {
    std::uint64_t tag;
    Time when;
    bool operator==(const Call& o) const { return tag == o.tag && when == o.when; }
  };
  void Begin(FlowPoster*) override {}
  void Sent(const FlowCookie& cookie, Time when) override {
    sent.push_back({cookie.As<Tag>().number, when});
  }
  void Received(const FlowCookie& cookie, Time when) override {
    received.push_back({cookie.As<Tag>().number, when});
  }
  void AddUnposted(std::vector<FlowPost>* flows) const override {
    flows->insert(flows->end(), unposted.begin(), unposted.end());
  }
  bool Knows(const FlowCookie& cookie, NodeId, NodeId) const override {
    return cookie.As<Tag>().number != kUnknown;
  }
  void Save(StateWriter*) const override {}
  void Load(StateReader*) override {}

  static constexpr std::uint64_t kUnknown = 99;
  std::vector<Call> sent, received;
  std::vector<FlowPost> unposted;
};

TransportOptions InPairs(std::int64_t queue_pairs, const char* completion) {
  TransportOptions options;
  options.nic.qps_per_connection = queue_pairs;
  options.completion = *FindWord<TransportOptions::Completion>(completion);
  return options;
}

FlowPost Message(std::int64_t size, Time start, std::uint64_t order = 0, std::uint64_t tag = 1) {
  FlowPost post;
  post.source = NodeId(0);
  post.destination = NodeId(2);
  post.size = size;
  post.asked = post.start = start;
  post.order = order;
  post.cookie = FlowCookie::Of(Tag{tag});
  return post;
}

class DeskTest : public ::testing::Test {
 protected:
  explicit DeskTest(std::int64_t queue_pairs = 1, const char* completion = "acked",
                    bool reports = false)
      : fabric_(testing::LeafSpine{2, 2, 2}.Build(), InPairs(queue_pairs, completion)) {
    fabric_.context().reports = reports;
    fabric_.context().notice_delay = kNoticeDelay;
    fabric_.context().lookahead = NanoSeconds(500);
    for (std::uint32_t host = 0; host < 4; ++host)
      state_.ports()[fabric_.PortAt(host, 0)].flags |= Port::kDown;
    desk_.Attach(fabric_.context(), 4, &agent_);
  }
  void StartAt(Time time) {
    state_.clock().now = time;
    desk_.StartFlows(state_, 0);
  }
  /// Rows of the flows that have started.
  std::vector<FlowRecord> Started() { return fabric_.Started(); }
  std::vector<std::int64_t> SizesStarted() {
    std::vector<std::int64_t> sizes;
    for (const FlowRecord& row : Started()) sizes.push_back(row.size);
    return sizes;
  }
  std::vector<Event> Pending(FabricEvent::Kind kind) {
    std::vector<Event> events;
    for (const Event& event : state_.queue().Sorted()) {
      if (EventOrder(event.order).kind() == kind) events.push_back(event);
    }
    return events;
  }
  /// Message `index` to domain 1.
  template <class Record>
  Record SentAway(std::size_t index) {
    Record record;
    std::memcpy(static_cast<void*>(&record), fabric_.SentAway().at(index).message.cargo.bytes,
                sizeof record);
    return record;
  }
  std::uint32_t Cargo(const CompletionNotice& notice) {
    const std::uint32_t slot = state_.cargo().Allocate();
    std::memcpy(state_.cargo()[slot].bytes, &notice, sizeof notice);
    return slot;
  }
  /// As a loaded state, with these many events of host 0.
  void Check(std::size_t starts, std::size_t asks = 0) {
    MessageDesk::Claims claims(desk_, state_);
    for (std::size_t i = 0; i < starts; ++i) claims.ClaimEvent(FabricEvent::kFlowStart, 0);
    for (std::size_t i = 0; i < asks; ++i) claims.ClaimEvent(FabricEvent::kAskPath, 0);
    PathClient::Claims grants(paths_);
    desk_.Check(state_, 4, claims, &grants);
  }

  testing::OneDomain fabric_;
  DomainState& state_ = fabric_.state();
  Listener agent_;
  PathClient& paths_ = fabric_.parts().paths;
  MessageDesk& desk_ = fabric_.parts().desk;
};

TEST_F(DeskTest, PostsStartByTimeAndOrder) {
  desk_.Post(state_, Message(100, MicroSeconds(12), 5));
  desk_.Post(state_, Message(200, MicroSeconds(12), 1));
  desk_.Post(state_, Message(300, MicroSeconds(11), 9));
  const std::vector<Event> wakes = Pending(FabricEvent::kFlowStart);
  ASSERT_EQ(wakes.size(), 2u);  // the second post needs none
  EXPECT_EQ(wakes[0].time, MicroSeconds(11));
  EXPECT_EQ(wakes[1].time, MicroSeconds(12));
  EXPECT_NO_THROW(Check(2));
  StartAt(MicroSeconds(11));
  EXPECT_EQ(SizesStarted(), (std::vector<std::int64_t>{300}));
  EXPECT_NO_THROW(Check(1));
  StartAt(MicroSeconds(12));
  EXPECT_EQ(SizesStarted(), (std::vector<std::int64_t>{300, 200, 100}));
  EXPECT_EQ(state_.books().flows_started, 3);
  EXPECT_NO_THROW(Check(0));
}

TEST_F(DeskTest, ATraceKeepsItsNumbers) {
  FlowPost post = Message(100, MicroSeconds(12));
  post.numbers = {7, 3, 12345};
  desk_.Post(state_, post);
  StartAt(MicroSeconds(12));
  ASSERT_EQ(Started().size(), 1u);
  EXPECT_EQ(Started()[0].flow.number, 7u);
  EXPECT_EQ(Started()[0].message, 3u);
  EXPECT_EQ(Started()[0].source_port, 12345);
}

TEST_F(DeskTest, WhatCannotBePostedIsAnError) {
  EXPECT_THROW(desk_.Post(state_, Message(100, MicroSeconds(9))), InvariantError);
  EXPECT_THROW(desk_.Post(state_, Message(0, MicroSeconds(12))), InvariantError);
  FlowPost of_a_switch = Message(100, MicroSeconds(12));
  of_a_switch.source = NodeId(4);
  EXPECT_THROW(desk_.Post(state_, of_a_switch), InvariantError);
  EXPECT_THROW(desk_.WakeAt(state_, MicroSeconds(9)), InvariantError);
}

TEST_F(DeskTest, AnAgentIsWokenWhenItAsks) {
  desk_.WakeAt(state_, MicroSeconds(14));
  ASSERT_EQ(Pending(FabricEvent::kWakeAgent).size(), 1u);
  EXPECT_EQ(Pending(FabricEvent::kWakeAgent)[0].time, MicroSeconds(14));
}

TEST_F(DeskTest, AllThatHasNotStartedIsListed) {
  desk_.Post(state_, Message(100, MicroSeconds(12)));
  agent_.unposted.push_back(Message(200, MicroSeconds(50)));
  std::vector<FlowRecord> open;
  desk_.AddPosted(state_, &open);
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].size, 100);
  EXPECT_EQ(open[1].size, 200);
}

TEST_F(DeskTest, AFlowOfTheControllersAsksBeforeItStarts) {
  fabric_.context().controller = DomainId(1);
  fabric_.context().ask_delay = MicroSeconds(1);
  desk_.Post(state_, Message(100, MicroSeconds(12)));
  ASSERT_EQ(Pending(FabricEvent::kAskPath).size(), 1u);
  EXPECT_EQ(Pending(FabricEvent::kAskPath)[0].time, MicroSeconds(13));
  EXPECT_NO_THROW(Check(0, 1));
  state_.clock().now = MicroSeconds(13);
  desk_.AskForPaths(state_, 0);
  ASSERT_EQ(fabric_.SentAway().size(), 1u);
  const auto request = SentAway<PathRequest>(0);
  EXPECT_EQ(request.id.number, 0u);
  std::vector<FlowRecord> open;
  desk_.AddPosted(state_, &open);
  EXPECT_EQ(open.size(), 1u);
  desk_.StartWhenDue(state_, {Message(100, MicroSeconds(15)), PathClient::kNone});
  ASSERT_EQ(Pending(FabricEvent::kFlowStart).size(), 1u);
  EXPECT_EQ(Pending(FabricEvent::kFlowStart)[0].time, MicroSeconds(15));
}

TEST_F(DeskTest, EventsAndWakesMustAgree) {
  desk_.Post(state_, Message(100, MicroSeconds(12)));
  EXPECT_THROW(Check(0), UserError);
  EXPECT_THROW(Check(2), UserError);
  EXPECT_THROW(Check(1, 1), UserError);
  MessageDesk::Claims claims(desk_, state_);
  EXPECT_THROW(claims.ClaimEvent(FabricEvent::kFlowStart, 4), UserError);  // a switch
  EXPECT_THROW(claims.ClaimEvent(FabricEvent::kFlowStart, 100), UserError);
}

TEST_F(DeskTest, APostThatNoJobHasIsRefused) {
  desk_.Post(state_, Message(100, MicroSeconds(12), 0, Listener::kUnknown));
  EXPECT_THROW(Check(1), UserError);
}

TEST_F(DeskTest, ANoticeThatNoJobHasIsRefused) {
  const auto check = [&](std::uint64_t tag, NodeId source, std::int64_t value) {
    desk_.CheckNotice(state_, {FlowCookie::Of(Tag{tag}), {source, 0}, value});
  };
  EXPECT_NO_THROW(check(1, NodeId(), 5));
  EXPECT_NO_THROW(check(1, NodeId(2), 1));
  EXPECT_THROW(check(Listener::kUnknown, NodeId(), 5), UserError);
  EXPECT_THROW(check(1, NodeId(4), 1), UserError);  // from a switch
  EXPECT_THROW(check(1, NodeId(2), 2), UserError);  // of more queue pairs than a message has
}

class FourQueuePairs : public DeskTest {
 protected:
  FourQueuePairs() : DeskTest(4) {}
};

TEST_F(FourQueuePairs, ShareAMessage) {
  desk_.Post(state_, Message(36002, MicroSeconds(12), 0));
  desk_.Post(state_, Message(3, MicroSeconds(12), 1));
  StartAt(MicroSeconds(12));
  EXPECT_EQ(SizesStarted(), (std::vector<std::int64_t>{9001, 9001, 9001, 8999, 1, 1, 1}));
  for (std::uint32_t flow = 0; flow < 7; ++flow) {
    EXPECT_EQ(Started()[flow].flow.number, flow);
    EXPECT_EQ(Started()[flow].source_port, 10000 + flow);
    EXPECT_EQ(Started()[flow].message, flow < 4 ? 0u : 1u);
  }
}

/// Of two queue pairs.
class AckedTest : public DeskTest {
 protected:
  AckedTest() : DeskTest(2, "acked", true) {}
  void Start(std::uint64_t tag = 1) {
    desk_.Post(state_, Message(100, MicroSeconds(12), 0, tag));
    StartAt(MicroSeconds(12));
  }
};

TEST_F(AckedTest, AMessageIsSentWithItsLastQueuePair) {
  Start();
  desk_.ReportSent(state_, 0, MicroSeconds(13));
  EXPECT_TRUE(agent_.sent.empty());
  desk_.ReportSent(state_, 0, MicroSeconds(14));
  EXPECT_EQ(agent_.sent, (std::vector<Listener::Call>{{1, MicroSeconds(14)}}));
}

TEST_F(AckedTest, BothEndsHearOfTheLastAckAfterTheNoticeDelay) {
  Start();
  desk_.ReportAcked(state_, 0);
  EXPECT_TRUE(Pending(FabricEvent::kNotice).empty());
  state_.clock().now = MicroSeconds(20);
  desk_.ReportAcked(state_, 0);
  ASSERT_EQ(Pending(FabricEvent::kNotice).size(), 1u);
  const Event notice = Pending(FabricEvent::kNotice)[0];
  EXPECT_EQ(notice.time, MicroSeconds(20) + kNoticeDelay);
  state_.clock().now = notice.time;
  desk_.ReceiveNotice(state_, notice.argument);
  EXPECT_EQ(agent_.received, (std::vector<Listener::Call>{{1, MicroSeconds(20)}}));
  EXPECT_EQ(state_.cargo().used(), 0u);
}

TEST_F(AckedTest, ANoticeGoesToTheDestinationsDomain) {
  fabric_.context().domain_of[2] = DomainId(1);
  fabric_.context().counts_notices = true;
  Start();
  desk_.ReportAcked(state_, 0);
  desk_.ReportAcked(state_, 0);
  ASSERT_EQ(fabric_.SentAway().size(), 1u);
  const auto notice = SentAway<CompletionNotice>(0);
  EXPECT_FALSE(notice.flow.source.valid());
  EXPECT_EQ(notice.value, MicroSeconds(12).ps);
  EXPECT_EQ(fabric_.SentAway()[0].message.time, MicroSeconds(12) + kNoticeDelay);
  EXPECT_EQ(desk_.notices_sent().at(DomainId(1)), 1u);
}

TEST_F(AckedTest, FlowsAndMessagesMustAgree) {
  Start();
  QueuePair pair;
  pair.flow = {NodeId(0), 0};
  pair.destination = NodeId(2);
  pair.post = 0;
  const auto check = [&](int flows) {
    MessageDesk::Claims claims(desk_, state_);
    for (int i = 0; i < flows; ++i) claims.ClaimStarted(pair);
    PathClient::Claims grants(paths_);
    desk_.Check(state_, 4, claims, &grants);
  };
  EXPECT_NO_THROW(check(2));
  EXPECT_NO_THROW(check(1));  // the other has ended
  EXPECT_THROW(check(3), UserError);
  pair.destination = NodeId(3);
  EXPECT_THROW(check(1), UserError);
  pair.destination = NodeId(2);
  pair.post = 1;
  EXPECT_THROW(check(1), UserError);
  pair.post = QueuePair::kParked;
  EXPECT_THROW(check(1), UserError);
}

TEST_F(AckedTest, AMessageThatNoJobHasIsRefused) {
  Start(Listener::kUnknown);
  QueuePair pair;
  pair.flow = {NodeId(0), 0};
  pair.destination = NodeId(2);
  pair.post = 0;
  EXPECT_THROW(MessageDesk::Claims(desk_, state_).ClaimStarted(pair), UserError);
}

/// Messages of one lasting connection, of two queue pairs each.
class LastingTest : public AckedTest {
 protected:
  void PostAt(std::int64_t microseconds, std::int64_t size, std::uint32_t connection = 3) {
    FlowPost post = Message(size, MicroSeconds(microseconds));
    post.connection = connection;
    desk_.Post(state_, post);
  }
  /// Sizes of the messages that have not started.
  std::vector<std::int64_t> Unstarted() {
    std::vector<FlowRecord> open;
    desk_.AddPosted(state_, &open);
    std::vector<std::int64_t> sizes;
    for (const FlowRecord& row : open) {
      EXPECT_EQ(row.state, FlowState::kNotStarted);
      sizes.push_back(row.size);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }
  void ReportBoth(std::uint32_t post, Time when) {
    desk_.ReportSent(state_, post, when);
    desk_.ReportSent(state_, post, when);
  }
};

TEST_F(LastingTest, MessagesSendOneAfterTheOther) {
  using Sizes = std::vector<std::int64_t>;
  PostAt(12, 100);
  PostAt(12, 200, 4);
  PostAt(13, 300);
  PostAt(14, 400);
  StartAt(MicroSeconds(12));
  StartAt(MicroSeconds(13));
  StartAt(MicroSeconds(14));
  EXPECT_EQ(Unstarted(), (Sizes{300, 400}));
  desk_.ReportSent(state_, 0, MicroSeconds(15));
  EXPECT_EQ(Pending(FabricEvent::kFlowStart).size(), 3u) << "the other queue pair still sends";
  desk_.ReportSent(state_, 0, MicroSeconds(16));
  ASSERT_EQ(Pending(FabricEvent::kFlowStart).size(), 4u);
  EXPECT_EQ(Pending(FabricEvent::kFlowStart)[3].time, MicroSeconds(16));
  EXPECT_NO_THROW(Check(1));
  StartAt(MicroSeconds(16));
  EXPECT_EQ(Unstarted(), (Sizes{400}));
  ReportBoth(2, MicroSeconds(18));
  StartAt(MicroSeconds(18));
  EXPECT_EQ(Unstarted(), Sizes{});
  EXPECT_EQ(state_.books().flows_started, 8);
}

TEST_F(LastingTest, AMessageThatIsDueWhileTheLastPacketLeavesStartsAfterIt) {
  using Sizes = std::vector<std::int64_t>;
  PostAt(12, 100);
  PostAt(13, 200);
  StartAt(MicroSeconds(12));
  ReportBoth(0, MicroSeconds(14));
  StartAt(MicroSeconds(13));
  EXPECT_EQ(Unstarted(), (Sizes{200}));
  EXPECT_NO_THROW(Check(1));
  PostAt(14, 300);  // behind the one that has its turn
  StartAt(MicroSeconds(14));
  EXPECT_EQ(Unstarted(), (Sizes{300}));
  ReportBoth(1, MicroSeconds(15));
  StartAt(MicroSeconds(15));
  EXPECT_EQ(Unstarted(), Sizes{});
}

TEST_F(LastingTest, WhoseEndIsNotToldOrWhosePortsAreGivenIsAnError) {
  FlowPost post = Message(100, MicroSeconds(12));
  post.connection = FlowPost::kMaxConnections;
  EXPECT_THROW(desk_.Post(state_, post), InvariantError);
  post.connection = 0;
  post.numbers = {7, 3, 12345};
  EXPECT_THROW(desk_.Post(state_, post), InvariantError);
  post.numbers = {};
  fabric_.context().controller = DomainId(1);
  EXPECT_THROW(desk_.Post(state_, post), InvariantError);
  fabric_.context().controller = DomainId();
  fabric_.context().reports = false;
  EXPECT_THROW(desk_.Post(state_, post), InvariantError);
  fabric_.context().reports = true;
  EXPECT_NO_THROW(desk_.Post(state_, post));
}

TEST_F(LastingTest, StateOfWaitingMessagesIsSavedAndChecked) {
  PostAt(12, 100);
  PostAt(12, 200);
  PostAt(12, 300);
  StartAt(MicroSeconds(12));
  EXPECT_NO_THROW(Check(0));
  StateWriter writer;
  writer << desk_;
  MessageDesk loaded;
  loaded.Attach(fabric_.context(), 4, &agent_);
  StateReader reader(writer.bytes().data(), writer.bytes().size());
  reader >> loaded;
  std::vector<FlowRecord> open;
  loaded.AddPosted(state_, &open);
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].size, 200);
  EXPECT_EQ(open[1].size, 300);
  StateWriter again;
  again << loaded;
  EXPECT_EQ(writer.bytes(), again.bytes());
  ReportBoth(0, MicroSeconds(15));
  EXPECT_NO_THROW(Check(1));
}

TEST_F(AckedTest, ArrivalsAreNotReported) {
  Start();
  desk_.ReportReceived(state_, {NodeId(0), 0});
  desk_.ReportReceived(state_, {NodeId(0), 1});
  EXPECT_TRUE(agent_.received.empty());
}

class ReceivedTest : public DeskTest {
 protected:
  ReceivedTest() : DeskTest(2, "received", true) {}
  void Start() {
    desk_.Post(state_, Message(100, MicroSeconds(12)));
    StartAt(MicroSeconds(12));
  }
};

TEST_F(ReceivedTest, AMessageIsReceivedWithItsLastFlow) {
  Start();
  EXPECT_NO_THROW(Check(0));
  desk_.ReportReceived(state_, {NodeId(0), 1});
  desk_.ReportReceived(state_, {NodeId(0), 1});  // once more
  EXPECT_TRUE(agent_.received.empty());
  EXPECT_NO_THROW(Check(0));
  state_.clock().now = MicroSeconds(20);
  desk_.ReportReceived(state_, {NodeId(0), 0});
  EXPECT_EQ(agent_.received, (std::vector<Listener::Call>{{1, MicroSeconds(20)}}));
  desk_.ReportAcked(state_, 0);
  desk_.ReportAcked(state_, 0);
  EXPECT_TRUE(Pending(FabricEvent::kNotice).empty());
}

TEST_F(ReceivedTest, AnotherDomainIsToldWhatToExpect) {
  fabric_.context().domain_of[2] = DomainId(1);
  Start();
  ASSERT_EQ(fabric_.SentAway().size(), 1u);
  const auto notice = SentAway<CompletionNotice>(0);
  EXPECT_EQ(notice.flow, (FlowId{NodeId(0), 0}));
  EXPECT_EQ(notice.value, 2);
  EXPECT_EQ(fabric_.SentAway()[0].message.time, MicroSeconds(12) + NanoSeconds(500));
}

TEST_F(ReceivedTest, WhatIsExpectedFromAnotherDomainIsReported) {
  desk_.ReceiveNotice(state_, Cargo({FlowCookie::Of(Tag{6}), {NodeId(3), 8}, 2}));
  desk_.ReportReceived(state_, {NodeId(3), 8});
  desk_.ReportReceived(state_, {NodeId(3), 9});
  EXPECT_EQ(agent_.received, (std::vector<Listener::Call>{{6, state_.now()}}));
}

TEST_F(ReceivedTest, AnExpectationThatNoJobHasIsRefused) {
  desk_.ReceiveNotice(state_, Cargo({FlowCookie::Of(Tag{Listener::kUnknown}), {NodeId(3), 8}, 2}));
  EXPECT_THROW(Check(0), UserError);
}

}  // namespace
}  // namespace heddle
