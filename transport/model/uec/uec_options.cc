// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/uec_options.h"

#include "core/options/options.h"

namespace heddle {
namespace {

const char kHtsim[] = "uet-htsim";
const char kSpec[] = "Ultra Ethernet Specification 1.0, 3.6.13; uet-htsim";

void DeclareWire(UecOptions* o, OptionSet* options) {
  options->Add({"uec.mtu", "", "a full packet on the wire, headers included", "byte", kHtsim},
               &o->mtu, 1024, 16384);
  options->Add({"uec.header", "", "of a data packet no payload", "byte", kHtsim}, &o->header, 32,
               512);
  options->Add(
      {"uec.control", "", "ACK, NACK, pull or request to send on the wire", "byte", kHtsim},
      &o->control, 32, 512);
  options->Add({"uec.trimming", "",
                "a full queue cuts a packet's payload off instead of dropping it", "", kHtsim},
               &o->trimming);
  options->Add({"uec.trimmed", "", "a trimmed packet on the wire", "byte", kHtsim}, &o->trimmed, 32,
               1024);
}

void DeclareQueues(UecOptions* o, OptionSet* options) {
  options->Add(
      {"uec.queue_limit", "",
       "data that a port holds, in bandwidth-delay products; 0: 1 with trimming, 5 without", "BDP",
       kHtsim},
      &o->queue_limit, 0.0, 1000.0);
  options->Add({"uec.last_hop_limit", "",
                "the same of a port to a host, as a multiple (the specification recommends 1.5)",
                "", kHtsim},
               &o->last_hop_limit, 0.1, 100.0);
  options->Add({"uec.kmin", "", "below this queue no packet is marked", "BDP",
                "Ultra Ethernet Specification 1.0; uet-htsim"},
               &o->kmin, 0.0, 1000.0);
  options->Add({"uec.kmax", "", "above this queue every packet is marked", "BDP",
                "Ultra Ethernet Specification 1.0; uet-htsim"},
               &o->kmax, 0.0, 1000.0);
}

void DeclareReliability(UecOptions* o, OptionSet* options) {
  options->Add({"uec.mode", "",
                "rud: any order, lost packets alone are sent again; rod: in order, one path, all "
                "from the lost packet on are sent again",
                "", "Ultra Ethernet Specification 1.0, 3.5"},
               &o->mode);
  options->Add({"uec.ack_threshold", "", "bytes on the wire from one ACK to the next", "byte",
                "Ultra Ethernet Specification 1.0, ACK_Gen_Trigger; uet-htsim"},
               &o->ack_threshold, 1, std::int64_t{1} << 30);
  options->AddTimeOrAuto({"uec.min_rto", "",
                          "retransmission timeout; auto: 15 us and the time in which six full "
                          "queues drain",
                          "us", kHtsim},
                         &o->min_rto, MicroSeconds(1), MicroSeconds(10'000'000), "us");
  options->Add(
      {"uec.retries", "",
       "a flow is given up after so many timeouts in a row without any news; uet-htsim never "
       "gives up, the specification names 5 with doubled times",
       "", "heddle"},
      &o->retries, 1, 255);
  options->Add({"uec.sleek", "",
                "without trimming: a sender takes packets for lost when much arrived above a hole, "
                "and probes",
                "", "Le et al., STrack, 2024; uet-htsim"},
               &o->sleek);
}

void DeclareWindow(UecOptions* o, OptionSet* options) {
  options->Add({"uec.max_window", "", "the largest window, and the most credit a sender keeps",
                "BDP", kSpec},
               &o->max_window, 0.01, 1000.0);
  options->Add({"uec.initial_window", "", "first window; 0: the largest", "packet", kHtsim},
               &o->initial_window, 0, 1'000'000);
  options->AddTimeOrAuto({"uec.target_delay", "",
                          "queueing delay that NSCC aims at; auto: the network's base round trip, "
                          "three quarters of it with trimming",
                          "us", kSpec},
                         &o->target_delay, NanoSeconds(1), MicroSeconds(1'000'000), "us");
  options->Add({"uec.gamma", "", "weight of the average delay's excess in a decrease", "", kSpec},
               &o->gamma, 0.0, 1.0);
  options->Add(
      {"uec.max_decrease", "", "share of the window that one decrease takes at most", "", kSpec},
      &o->max_decrease, 0.0, 1.0);
  options->Add(
      {"uec.eta", "", "payloads by which a window grows each base round trip, scaled", "", kSpec},
      &o->eta, 0.0, 1000.0);
  options->Add({"uec.fair_increase", "",
                "payloads by which a window grows each time it is acknowledged while the delay is "
                "large, scaled",
                "", kSpec},
               &o->fair_increase, 0.0, 1000.0);
  options->Add({"uec.proportional", "",
                "the same while the delay is small, scaled, as the delay goes to zero", "", kSpec},
               &o->proportional, 0.0, 1000.0);
  options->Add(
      {"uec.fast_scale", "",
       "share of the bytes acknowledged by which a window grows while the network is empty,"
       " scaled",
       "", kSpec},
      &o->fast_scale, 0.0, 1000.0);
  options->Add({"uec.fast_delay", "", "a delay below it counts as an empty network", "us", kHtsim},
               &o->fast_delay, Time{0}, MicroSeconds(1'000'000), "us");
}

void DeclareAdaptation(UecOptions* o, OptionSet* options) {
  options->Add(
      {"uec.quick_adapt_gate", "",
       "a window adapts at once if less than 2^-gate of the largest window arrived", "", kSpec},
      &o->quick_adapt_gate, 0, 30);
  options->Add(
      {"uec.quick_adapt_delay", "", "and this many target delays were exceeded", "", kSpec},
      &o->quick_adapt_delay, 0.0, 1000.0);
  options->Add({"uec.delay_gain", "", "weight of a new delay in the average", "", kHtsim},
               &o->delay_gain, 1e-6, 1.0);
  options->Add({"uec.adjust_packets", "",
                "a window takes its increases after so many packets' bytes", "packet", kSpec},
               &o->adjust_packets, 0, 1'000'000);
  options->Add({"uec.nack_lowers_rtt", "",
                "the round trip of a NACK may become a flow's base round trip", "", kHtsim},
               &o->nack_lowers_rtt);
}

void DeclareSpec(UecOptions* o, OptionSet* options) {
  const std::string spec = "Ultra Ethernet Specification 1.0; off in uet-htsim";
  options->Add(
      {"uec.spec_full_mtu", "",
       "a packet may be sent if a full one fits the window, not only its own size", "", spec},
      &o->spec_full_mtu);
  options->Add({"uec.spec_needs_sample", "",
                "an ACK without a valid round trip leaves the window alone", "", spec},
               &o->spec_needs_sample);
  options->Add(
      {"uec.spec_quick_adapt", "",
       "a quick adaptation may come at the end of its period, not only after it", "", spec},
      &o->spec_quick_adapt);
  options->Add({"uec.spec_ack_request", "",
                "a sender asks for an ACK if less than a full packet fits, or if the window is "
                "below the bytes of an ACK",
                "", spec},
               &o->spec_ack_request);
}

void DeclareCredit(UecOptions* o, OptionSet* options) {
  options->Add(
      {"uec.pull", "", "credit of one pull, in units of 256 bytes, rounded down", "byte", kHtsim},
      &o->pull, 256, 1 << 24);
  options->Add({"uec.pull_rate", "", "share of a NIC's rate that its credit allows", "", kHtsim},
               &o->pull_rate, 0.01, 1.0);
  options->Add({"uec.slow_pulls", "", "credit ahead of demand while no flow of a NIC has demand",
                "", kHtsim},
               &o->slow_pulls);
  options->Add({"uec.oversubscribed", "",
                "receivers adapt the rate of their credit to a narrow core; auto: with receiver "
                "credit alone, if leaves are oversubscribed",
                "", kHtsim},
               &o->oversubscribed);
}

}  // namespace

void UecOptions::Declare(OptionSet* options) {
  options->AddGroup({"uec", "Ultra Ethernet transport", "docs/models/ultra-ethernet.md"});
  options->Add({"uec.congestion", "",
                "nscc: the sender's window; rccc: the receiver's credit; both; none: a window that "
                "never changes",
                "", "Ultra Ethernet Specification 1.0, 3.6"},
               &congestion);
  DeclareWire(this, options);
  DeclareQueues(this, options);
  DeclareReliability(this, options);
  DeclareWindow(this, options);
  DeclareAdaptation(this, options);
  DeclareSpec(this, options);
  DeclareCredit(this, options);
}

}  // namespace heddle
