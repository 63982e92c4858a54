// SPDX-License-Identifier: GPL-2.0-only
/// Which scheme options choose, and that senders and receivers of a domain have it.
#include "transport/model/reliability/reliability_schemes.h"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "transport/model/reliability/receive_reliability.h"
#include "transport/model/reliability/send_reliability.h"

namespace heddle {
namespace {

DeliveryRules SchemeRules(bool selective, std::int64_t reorder = 0) {
  DeliveryRules rules;
  rules.options.selective_repeat = selective;
  rules.options.reorder = reorder;
  rules.payload = 1000;
  return rules;
}

template <class... Scheme>
int Chosen(const std::variant<Scheme...>* /*list*/, const ReliabilityOptions& options) {
  return (0 + ... + (Scheme::IsChosen(options) ? 1 : 0));
}

TEST(ReliabilitySchemes, ExactlyOneIsChosen) {
  for (const bool selective : {false, true}) {
    for (const std::int64_t reorder : {0, 1, 64}) {
      const ReliabilityOptions options = SchemeRules(selective, reorder).options;
      EXPECT_EQ(Chosen(static_cast<const ReliabilitySchemes*>(nullptr), options), 1);
    }
  }
}

TEST(ReliabilitySchemes, WhatTheyDeclare) {
  const auto traits = [](bool selective, std::int64_t reorder) {
    const SchemeTraits of = TraitsOf(SchemeRules(selective, reorder).options);
    return std::string(of.name) + (of.keeps ? ", keeps" : "");
  };
  EXPECT_EQ(traits(false, 0), "go-back-N");
  EXPECT_EQ(traits(false, 8), "go-back-N, keeps");
  EXPECT_EQ(traits(true, 0), "selective repeat, keeps");
  EXPECT_EQ(traits(true, 8), "selective repeat, keeps");
}

/// What a sender sends again after a NACK of packet 0 that says that packet 2 has arrived.
std::string AfterNack(bool selective) {
  SendReliability reliability(SchemeRules(selective));
  reliability.Start(7);
  QueuePair pair;
  pair.size = pair.next = pair.highest = 5000;
  Packet nack{};
  nack.kind = PacketKind::kNack;
  nack.note = 2;
  reliability.OnAnswer(7, &pair, nack);
  reliability.OnNack(7, &pair, nack);
  EXPECT_NO_THROW(reliability.Check(7, pair));
  std::string all;
  while (pair.resend != 0) all += std::to_string(reliability.NextResend(7, &pair)) + " ";
  return all + "then " + std::to_string(pair.next);
}

TEST(SendReliability, HasTheChosenScheme) {
  EXPECT_EQ(AfterNack(false), "then 0");
  EXPECT_EQ(AfterNack(true), "0 1000 then 5000");
}

TEST(SendReliability, KeepsWhatItsSchemeDoes) {
  SendReliability plain(SchemeRules(false)), selective(SchemeRules(true));
  EXPECT_TRUE(plain.Covers(9));
  EXPECT_FALSE(selective.Covers(1));
  plain.Start(8);
  selective.Start(8);
  EXPECT_TRUE(selective.Covers(9));
  EXPECT_EQ(plain.memory(), 0u);
  EXPECT_GE(selective.memory(), 9 * sizeof(SelectiveSender));
}

TEST(SendReliability, IsSavedAndLoaded) {
  SendReliability selective(SchemeRules(true)), other(SchemeRules(true)), plain(SchemeRules(false));
  selective.Start(0);
  QueuePair pair;
  pair.size = pair.next = pair.highest = 5000;
  selective.OnTimeout(0, &pair);
  StateWriter writer;
  writer << selective;
  StateReader reader(writer.bytes());
  reader >> other;
  EXPECT_NO_THROW(reader.ExpectEnd());
  EXPECT_NO_THROW(other.Check(0, pair));  // it knows that there is a packet to send again
  StateReader again(writer.bytes());
  EXPECT_THROW(again >> plain, UserError);
}

/// The answers to packets 0, 2, and 8.
std::vector<DataAnswer> Answers(bool selective, std::int64_t reorder) {
  ReceiveReliability reliability(SchemeRules(selective, reorder));
  reliability.Start(3);
  ReceiveQueuePair receiver;
  DomainBooks books;
  std::vector<DataAnswer> answers;
  for (const std::int64_t number : {0, 2, 8}) {
    const DataArrival data{{}, number * 1000, number * 1000 + 1000, false};
    answers.push_back(reliability.Receive(3, &receiver, data, &books).answer);
  }
  EXPECT_EQ(reliability.memory() > 0, selective || reorder > 0);
  EXPECT_TRUE(reliability.Covers(4));
  return answers;
}

TEST(ReceiveReliability, HasTheChosenScheme) {
  EXPECT_EQ(Answers(false, 0), (std::vector<DataAnswer>{DataAnswer::kWhenDue, DataAnswer::kNack,
                                                        DataAnswer::kNothing}));
  EXPECT_EQ(Answers(false, 2), (std::vector<DataAnswer>{DataAnswer::kWhenDue, DataAnswer::kNothing,
                                                        DataAnswer::kNack}));
  EXPECT_EQ(Answers(true, 0),
            (std::vector<DataAnswer>{DataAnswer::kWhenDue, DataAnswer::kNack, DataAnswer::kNack}));
}

}  // namespace
}  // namespace heddle
