// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/steps/step_group.h"

#include <gtest/gtest.h>

#include <memory>

namespace heddle {
namespace {

constexpr std::int64_t kDelay = 1'000'000;  ///< of each message [ps]

/// All groups of one instance over a network in which a message takes 1 us and 1 ns a byte, whoever
/// else sends.
class IdealSteps final : StepNetwork {
 public:
  explicit IdealSteps(const StepProgram& program) : program_(program) {
    StepNetwork* network = this;
    for (std::uint32_t group = 0; group < program.layout().groups; ++group)
      groups_.push_back(std::make_unique<StepGroup>(program, 0, group, network));
  }
  /// Runs one step that other groups hear of `late` after the first one; returns its end.
  Time Run(const StepOrder& order, Time late) {
    StepOrder heard = order;
    heard.at += late;
    groups_[0]->Begin(order);
    for (std::size_t group = 1; group < groups_.size(); ++group) groups_[group]->Begin(heard);
    while (!events_.empty()) {
      // Equal and later times in turn: what came last is handed over first.
      const auto next =
          reversed_ ? std::prev(events_.upper_bound(events_.begin()->first)) : events_.begin();
      const auto [when, message] = *next;
      events_.erase(next);
      const std::uint32_t group = program_.layout().GroupOf(message.destination);
      groups_[group]->Received(message, when);
    }
    for (const auto& group : groups_) EXPECT_FALSE(group->busy());
    return end_;
  }
  void Reverse() { reversed_ = true; }
  std::int64_t sent() const { return sent_; }
  std::int64_t messages() const { return messages_; }

 private:
  void SendPart(const StepMessage& message, std::int64_t bytes, Time at) override {
    EXPECT_TRUE(
        program_.Sends(message.operation, message.round, message.source, message.destination));
    events_.emplace(at + Time{kDelay + 1000 * bytes}, message);
    sent_ += bytes;
    ++messages_;
  }
  void StepEnded(std::uint32_t, Time at) override { end_ = at; }

  const StepProgram& program_;
  std::vector<std::unique_ptr<StepGroup>> groups_;
  std::multimap<Time, StepMessage> events_;
  std::int64_t sent_ = 0, messages_ = 0;
  Time end_;
  bool reversed_ = false;
};

StepProgram ProgramOf(std::uint32_t top_k, const std::vector<std::uint32_t>& domains) {
  StepProgram::Shape shape;
  shape.layers = 3;
  shape.token_bytes = 12;
  shape.top_k = top_k;
  shape.dispatched_bytes = 12;
  StepProgram program(shape, LayOutStep(domains));
  program.near = {NanoSeconds(100), BitRate{8'000'000'000}};
  program.far = {Time{kDelay}, BitRate{8'000'000'000}};
  return program;
}

// Rings on an ideal network take what their closed form says, and the computing.
TEST(StepGroup, RingsTakeTheirClosedForm) {
  for (const std::vector<std::uint32_t>& domains :
       {std::vector<std::uint32_t>{0, 1}, {0, 0, 1, 1, 2, 2}, {0, 1, 2, 3, 4}, {0, 0, 1}}) {
    const StepProgram program = ProgramOf(0, domains);
    IdealSteps steps(program);
    const StepOrder order{0, 100, Time{1'000'003}, NanoSeconds(5)};
    EXPECT_EQ(steps.Run(order, {}), order.at + order.computing + program.TimeOf(100));
    const std::int64_t ranks = program.layout().ranks();
    const std::int64_t rounds = 2 * (std::int64_t{program.layout().groups} - 1);
    EXPECT_EQ(steps.messages(), 6 * rounds * ranks);
    EXPECT_EQ(steps.sent(), 6 * rounds * ranks * ((1200 + ranks - 1) / ranks));
  }
}

// All messages of an exchange arrive at once: each takes its delay and its bytes.
TEST(StepGroup, ExpertsApart) {
  const StepProgram program = ProgramOf(4, {0, 0, 1, 1});
  IdealSteps steps(program);
  const StepOrder order{0, 100, Time{9'000'000}, Time{}};
  // Within a group 600 bytes, between groups 300; 100 x 4 choices of 12 bytes over 16 pairs.
  const std::int64_t layer = 2 * (100 + 600 + 1000 + 300) + 2 * (1000 + 300);
  EXPECT_EQ(steps.Run(order, {}), order.computing + NanoSeconds(3 * layer));
  EXPECT_EQ(steps.messages(), 3 * (4 + 8 + 8 + 4));
}

// A group that hears late of its step delays the first collective, and no other.
TEST(StepGroup, ALateGroup) {
  const StepProgram program = ProgramOf(0, {0, 1});
  IdealSteps steps(program);
  const StepOrder order{0, 100, {}, {}};
  const Time late = MicroSeconds(50);
  EXPECT_EQ(steps.Run(order, late), late + program.TimeOf(100) - Time{kDelay + 600'000});
}

// Steps follow each other, and the order of calls at equal times does not matter.
TEST(StepGroup, StepsInAnyOrderOfCalls) {
  const StepProgram program = ProgramOf(4, {0, 0, 1, 1, 2, 2});
  Time ends[2];
  for (const bool reversed : {false, true}) {
    IdealSteps steps(program);
    if (reversed) steps.Reverse();
    Time at;
    for (std::uint32_t step = 0; step < 3; ++step)
      at = steps.Run({step, 10 + 7 * step, Time{77'777}, at}, MicroSeconds(2));
    ends[reversed ? 1 : 0] = at;
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_GT(ends[0], Time{});
}

}  // namespace
}  // namespace heddle
