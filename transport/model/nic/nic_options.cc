// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/nic_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMaxWeight = 1000;
// Each takes a source port of its pair of GPUs, which has 55,536.
constexpr std::int64_t kMaxQueuePairs = 1024;

void ReadWeights(std::string_view text, std::int64_t* weights) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto fail = [](const std::string& found) {
    throw UserError(fmt::format("{} integers from 1 to {}, one for each priority from 0 to {}; {}",
                                kPriorities, kMaxWeight, kPriorities - 1, found));
  };
  std::int64_t read[kPriorities];
  int count = 0;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    std::int64_t weight = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, weight);
    if (error != std::errc() || stop != text.data() + end || weight < 1 || weight > kMaxWeight) {
      fail(fmt::format("'{}' is none", text.substr(at, end - at)));
    }
    if (count < kPriorities) read[count] = weight;
    ++count;
    at = end;
  }
  if (count != kPriorities) fail(fmt::format("here are {}", count));
  std::copy(std::begin(read), std::end(read), weights);
}

}  // namespace

void NicOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"nic", "queue pairs and how a NIC takes turns among them", "docs/models/nic.md"});
  options->Add({"nic.qps_per_connection",
                "_QPS_PER_CONNECTION_",
                "queue pairs that share the bytes of a flow, each with a source port and so a path "
                "of its own",
                "",
                "SimAI's entry.h, a constant there",
                {"NCCL_IB_QPS_PER_CONNECTION"}},
               &qps_per_connection, 1, kMaxQueuePairs);
  options->Add(
      {"nic.source_ports", "",
       "UDP source ports of queue pairs, which switches hash: sequential, 10000, 10001, ... "
       "for each destination; random: drawn by --seed, so that other seeds collide elsewhere. "
       "The central controller chooses its own",
       "", "SimAI: sequential; InfiniBand specification, annex A17: 49152 to 65535"},
      &source_ports);
  options->Add({"nic.ack_high_priority", "ACK_HIGH_PRIO",
                "ACKs travel in priority 0, in NICs and switches, and no pause holds them (SimAI: "
                "in the NIC only)",
                "", "SimAI.conf"},
               &ack_high_priority);
  options->Add({"nic.ports", "",
                "how a queue pair chooses among several ports of its GPU: hash, of addresses and "
                "ports; round-robin: those of one pair of GPUs take turns",
                "", "SimAI: hash"},
               &ports);
  Option option;
  option.key = "nic.weights";
  option.help = "packets that a queue pair may send in its turn, for each of the eight priorities";
  option.unit = "packet";
  option.range = fmt::format("eight integers 1..{}", kMaxWeight);
  option.source = "heddle; SimAI sends one packet a turn";
  option.set = [this](std::string_view text) { ReadWeights(text, weights); };
  option.get = [this] {
    return fmt::format("{}", fmt::join(std::begin(weights), std::end(weights), " "));
  };
  options->Add(std::move(option));
}

}  // namespace heddle
