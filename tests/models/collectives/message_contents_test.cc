// SPDX-License-Identifier: GPL-2.0-only
/// Collectives whose messages carry numbers, over a carrier in memory that delivers in any order:
/// every result is what the operation defines, and a changed, lost or misplaced byte is noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/base/check.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

/// `servers` of `each` GPUs with an NVSwitch each, and one switch.
Graph Servers(std::uint32_t servers, std::uint32_t each, const std::string& type = "H100") {
  Graph graph(servers * each, servers, 1, each, type);
  for (std::uint32_t gpu = 0; gpu < servers * each; ++gpu) {
    for (const std::uint32_t to : {servers * each + gpu / each, servers * (each + 1)})
      graph.AddLink({NodeId(gpu), NodeId(to), BitRate{400'000'000'000}, NanoSeconds(500)});
  }
  return graph;
}

class MemoryCarrier final : public FlowPoster {
 public:
  using Spoil = std::function<void(std::int64_t message, std::vector<char>* payload)>;

  MemoryCarrier(const Graph& graph, FlowCoordinator* driver, std::uint64_t seed, Spoil spoil)
      : contents_(*driver->contents()), random_(seed), spoil_(std::move(spoil)) {
    std::vector<NodeId> all;
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) all.emplace_back(node);
    agent_ = driver->AgentOf(DomainId(0), all);
    contents_.Prepare();
    agent_->Begin(this);
  }

  void Run() {
    for (SendAll(); !open_.empty(); SendAll()) {
      std::swap(open_[random_() % open_.size()], open_.back());
      Message message = std::move(open_.back());
      open_.pop_back();
      now_ = now_ + MicroSeconds(1);
      const FlowCookie cookie = message.post.cookie;
      char* place = contents_.Incoming(cookie, message.slice, message.post.size);
      if (place != nullptr) std::memcpy(place, message.payload.data(), message.payload.size());
      contents_.Arrived(cookie, message.slice, place != nullptr ? place : message.payload.data(),
                        message.post.size);
      agent_->Received(cookie, now_);
    }
  }

  void Post(const FlowPost&) override { FAIL() << "a message without contents"; }
  void PostSlice(const FlowPost& post, const MessageSlice& slice) override {
    EXPECT_GE(post.size, slice.bytes);
    due_.push_back({post, slice, {}});
  }
  void WakeAt(Time) override { FAIL() << "nothing to wake for"; }

 private:
  struct Message {
    FlowPost post;
    MessageSlice slice;
    std::vector<char> payload;
  };

  /// What agents post is sent when they have returned.
  void SendAll() {
    while (!due_.empty()) {
      Message message = std::move(due_.front());
      due_.pop_front();
      Send(std::move(message));
    }
  }

  void Send(Message message) {
    const FlowCookie cookie = message.post.cookie;
    OutgoingBytes bytes = contents_.Outgoing(cookie, message.slice, message.post.size);
    message.payload.assign(bytes.bytes, bytes.bytes + message.post.size);
    contents_.Left(cookie, message.slice, message.post.size, std::move(bytes));
    if (spoil_) spoil_(count_, &message.payload);
    ++count_;
    open_.push_back(std::move(message));
    agent_->Sent(cookie, now_);
  }

  MessageContents& contents_;
  std::mt19937_64 random_;
  Spoil spoil_;
  FlowAgent* agent_ = nullptr;
  std::deque<Message> due_;
  std::vector<Message> open_;
  std::int64_t count_ = 0;
  Time now_;
};

struct Case {
  std::string workload;
  CollectiveOptions options = {};
};

std::string Micro(const std::string& operation, std::int64_t bytes) {
  return "MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 " + operation + " " + std::to_string(bytes) +
         " 0\n";
}

std::int64_t Play(const Graph& graph, const Case& of, std::uint64_t seed,
                  const MemoryCarrier::Spoil& spoil = nullptr) {
  const std::vector<Job> jobs = {MakeJob(graph, of.workload, {}, {}, /*passes=*/2)};
  FlowCoordinator coordinator(graph, jobs, of.options, /*timeline=*/false);
  coordinator.KeepContents(ResultChecks::kAll);
  MemoryCarrier carrier(graph, &coordinator, seed, spoil);
  carrier.Run();
  EXPECT_EQ(coordinator.finished(), graph.gpu_count()) << of.workload;
  EXPECT_GT(coordinator.contents()->checked().bytes, 0);
  return coordinator.contents()->checked().results;
}

CollectiveOptions With(const std::function<void(CollectiveOptions*)>& set) {
  CollectiveOptions options;
  set(&options);
  return options;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const std::int64_t bytes : {1, 3, 64, 4096, 100'000, 100'003, 1'000'000}) {
    for (const char* operation : {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"})
      cases.push_back({Micro(operation, bytes)});
    for (const char* algorithm : {"ring", "tree"}) {
      cases.push_back({Micro("ALLREDUCE", bytes), With([&](CollectiveOptions* o) {
                         o->allreduce = algorithm;
                         o->chunk_bytes = 20'000;
                         o->latency = CollectiveOptions::Latency::kNccl;
                       })});
      cases.push_back({Micro("ALLREDUCE", bytes), With([&](CollectiveOptions* o) {
                         o->allreduce = algorithm;
                         o->protocol = CollectiveOptions::Protocols::kLl;
                         o->pxn = true;
                       })});
    }
    for (const char* operation : {"ALLGATHER", "REDUCESCATTER"}) {
      for (const std::int64_t chunk : {20'000, 524'288}) {
        cases.push_back({Micro(operation, bytes), With([&](CollectiveOptions* o) {
                           o->allgather = o->reducescatter = "pat";
                           o->pat_forced = true;
                           o->chunk_bytes = chunk;
                         })});
      }
    }
    cases.push_back({Micro("ALLTOALL", bytes), With([](CollectiveOptions* o) { o->pxn = true; })});
  }
  return cases;
}

TEST(MessageContents, AreWhatEveryOperationDefines) {
  for (const auto& [servers, each] : {std::pair(2U, 4U), std::pair(3U, 2U), std::pair(1U, 8U)}) {
    const Graph graph = Servers(servers, each);
    for (const Case& of : Cases()) {
      SCOPED_TRACE(of.workload);
      EXPECT_EQ(Play(graph, of, servers), std::int64_t{2} * servers * each);
    }
  }
}

TEST(MessageContents, AreAddedInNvSwitches) {
  const Graph graph = Servers(1, 8);
  using NvlsForm = CollectiveOptions::NvlsForm;
  for (const NvlsForm form : {NvlsForm::kSimai, NvlsForm::kMultimem})
    for (const char* operation : {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER"}) {
      const std::string head =
          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
          "all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n1\nlayer -1 1000 ";
      const auto nvls = With([&](CollectiveOptions* o) {
        o->nvls = true;
        o->nvls_form = form;
      });
      EXPECT_EQ(Play(graph, {head + operation + " 100003 0 NONE 0 0 NONE 0 0\n", nvls}, 5), 16);
    }
}

TEST(MessageContents, CrossAThirdRankBetweenTwo) {
  const Graph graph = Servers(2, 2);
  const std::string step =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 4 vpp: 1 ga: 2 "
      "all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 65537\n"
      "2\na -1 40 NONE 0 30 NONE 0 20 NONE 0 1\nb -1 50 NONE 0 30 NONE 0 25 NONE 0 1\n";
  for (const bool pxn : {false, true})
    EXPECT_GT(Play(graph, {step, With([&](CollectiveOptions* o) { o->pxn = pxn; })}, 7), 0);
}

TEST(MessageContents, AWrongByteIsFound) {
  const Graph graph = Servers(2, 4);
  for (const Case& of :
       {Case{Micro("ALLREDUCE", 100'000)}, Case{Micro("ALLTOALL", 100'000)},
        Case{Micro("ALLGATHER", 100'000)},
        Case{Micro("ALLTOALL", 100'000), With([](CollectiveOptions* o) { o->pxn = true; })},
        Case{Micro("ALLGATHER", 100'000), With([](CollectiveOptions* o) {
               o->allgather = "pat";
               o->pat_forced = true;
             })}}) {
    for (const std::int64_t bad : {0, 7, 20}) {
      const auto spoil = [&](std::int64_t message, std::vector<char>* payload) {
        if (message == bad) (*payload)[payload->size() / 2 / 4 * 4 + 3] ^= 1;
      };
      try {
        Play(graph, of, 1, spoil);
        ADD_FAILURE() << "message " << bad << " of " << of.workload << " was changed";
      } catch (const InvariantError& error) {
        EXPECT_NE(std::string(error.what()).find("has a wrong result of job 0, pass 0, layer 0"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(MessageContents, AMessageOfAnotherPassIsFound) {
  const Graph graph = Servers(2, 4);
  std::vector<char> first;
  const auto swap = [&](std::int64_t message, std::vector<char>* payload) {
    if (message == 3) first = *payload;
    if (message == 3 + 56 && payload->size() == first.size()) *payload = first;
  };
  EXPECT_THROW(Play(graph, {Micro("ALLTOALL", 100'000)}, 1, swap), InvariantError);
}

}  // namespace
}  // namespace heddle::testing
