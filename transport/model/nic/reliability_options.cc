// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/reliability_options.h"

#include "core/options/options.h"

namespace heddle {

void ReliabilityOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"reliability", "ACKs, NACKs, retransmission timeouts", "docs/models/reliability.md"});
  options->AddGroup({"link", "errors of links", "docs/models/reliability.md"});
  const std::string conf = "SimAI.conf";
  options->Add({"reliability.ack_interval", "L2_ACK_INTERVAL",
                "payload bytes between two ACKs; 1 acknowledges each packet", "byte", conf},
               &ack_interval, 1, std::int64_t{1} << 30);
  options->Add({"reliability.chunk", "L2_CHUNK_SIZE",
                "with L2_BACK_TO_ZERO: the receiver goes back to a multiple of this", "byte", conf},
               &chunk, 1, std::int64_t{1} << 40);
  options->Add(
      {"reliability.back_to_zero", "L2_BACK_TO_ZERO",
       "after a loss start again at the chunk's first byte, not at the lost one", "", conf},
      &back_to_zero);
  options->Add(
      {"reliability.selective_repeat", "",
       "receivers keep what arrives out of order and only lost packets are sent again (IRN)", "",
       "Mittal et al., SIGCOMM 2018"},
      &selective_repeat);
  options->Add(
      {"reliability.reorder", "",
       "a receiver places packets up to so many behind the first missing one and waits for "
       "that; a NACK comes only beyond, where go-back-N drops the packet and selective "
       "repeat keeps it. 0: every gap is a loss",
       "packet", "heddle; NICs with direct data placement hold 64 to 512"},
      &reorder, 0, 1 << 20);
  options->Add({"reliability.nack_interval", "",
                "the same gap is reported at most so often (go-back-N)", "us", "SimAI: 500 us"},
               &nack_interval, Time{0}, MicroSeconds(1000000), "us");
  options->Add(
      {"reliability.timeout", "",
       "retransmission timeout, from the last progress of a queue pair; doubles with each in a row",
       "us", "InfiniBand: 4.096 us * 2^n, n = 10"},
      &timeout, MicroSeconds(1), MicroSeconds(100000000), "us");
  options->Add({"reliability.retry_limit", "",
                "timeouts in a row without progress after which a queue pair gives up", "",
                "InfiniBand: retry_cnt, 3 bits"},
               &retry_limit, 0, 100);
  options->Add(
      {"link.error_rate", "ERROR_RATE_PER_LINK",
       "probability that a packet is lost on a link, for links whose own in the topology is 0", "",
       conf},
      &error_rate, 0.0, 0.999999);
  options->Add({"compat.simai_acks", "",
                "ACKs as SimAI makes them: none before L2_ACK_INTERVAL bytes of the flow, then one "
                "for each packet, always one at multiples of L2_CHUNK_SIZE; a full window asks for "
                "none, a mark without an ACK of its own is lost",
                "", "heddle"},
               &simai_acks);
}

}  // namespace heddle
