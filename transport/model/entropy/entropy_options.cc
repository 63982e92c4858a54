// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/entropy_options.h"

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr char kHtsim[] = "uet-htsim";
constexpr char kReps[] = "REPS, arXiv 2407.21625";
constexpr char kPlb[] = "PLB in Linux";
constexpr char kMrc[] = "OCP MRC 1.0";
constexpr Time kHour = MicroSeconds(3'600'000'000);

void DeclareBitmap(EntropyOptions* own, OptionSet* options) {
  const std::int64_t most = EntropyOptions::kMostPenalty;
  const std::string unit = "turns";
  options->Add({"entropy.bitmap_marked", "",
                "bitmap and mixed: turns that an entropy loses by an ECN mark", unit, kHtsim},
               &own->bitmap_marked, 0, most);
  options->Add({"entropy.bitmap_trimmed", "",
                "bitmap and mixed: turns that an entropy loses by a trimmed packet", unit, kHtsim},
               &own->bitmap_trimmed, 0, most);
  options->Add({"entropy.bitmap_lost", "",
                "bitmap and mixed: turns that an entropy loses by a lost packet", unit, kHtsim},
               &own->bitmap_lost, 0, most);
  options->Add({"entropy.bitmap_saturation", "",
                "bitmap and mixed: when more than this share of the entropies has lost turns, none "
                "is skipped; 1: never (the specification of Ultra Ethernet: 0.5)",
                "", kHtsim},
               &own->bitmap_saturation, 0.0, 1.0);
}

void DeclareReps(EntropyOptions* own, OptionSet* options) {
  options->Add(
      {"entropy.reps_ring", "", "reps: good entropies that are remembered", "entropies", kReps},
      &own->reps_ring, 1, EntropyOptions::kMostRing);
  options->Add(
      {"entropy.reps_freeze", "",
       "reps: after a loss only remembered entropies are used for this time", "us", kHtsim},
      &own->reps_freeze, Time{0}, kHour, "us");
  options->Add({"entropy.reps_thaw", "",
                "reps: how it explores after that: every eighth packet at random, or all packets "
                "with an empty ring",
                "", kHtsim},
               &own->reps_thaw);
  options->Add({"entropy.reps_explore", "",
                "reps: for how many packets it explores then; 0: 128 (paper, about a "
                "bandwidth-delay product), 16 (uet-htsim)",
                "packets", kHtsim},
               &own->reps_explore, 0, 1'000'000);
}

void DeclarePlb(EntropyOptions* own, OptionSet* options) {
  options->Add({"entropy.plb_share", "",
                "plb: share of marked packets from which on a round is congested", "", kPlb},
               &own->plb_share, 1e-6, 1.0);
  options->Add({"entropy.plb_idle_rounds", "",
                "plb: congested rounds in a row after which a new path is taken when nothing is in "
                "flight",
                "rounds", kPlb},
               &own->plb_idle_rounds, 1, 1'000'000);
  options->Add({"entropy.plb_rounds", "",
                "plb: congested rounds in a row after which a new path is taken in any case",
                "rounds", kPlb},
               &own->plb_rounds, 1, 1'000'000);
  options->Add({"entropy.plb_suspend", "",
                "plb: after a loss congestion changes no path for this time, up to twice as long",
                "us", kPlb},
               &own->plb_suspend, Time{0}, kHour, "us");
}

void DeclareMrc(EntropyOptions* own, OptionSet* options) {
  options->AddTimeOrAuto(
      {"entropy.mrc_skip", "",
       "mrc: how long a marked entropy is not used; auto: the base round trip", "us", kMrc},
      &own->mrc_skip, NanoSeconds(1), kHour, "us");
  options->Add({"entropy.mrc_probe_interval", "",
                "mrc: time between two probes of a queue pair's retired entropies", "us",
                "heddle; MRC leaves it to the implementer, about a retransmission timeout"},
               &own->mrc_probe_interval, NanoSeconds(1), kHour, "us");
  options->Add({"entropy.mrc_probes", "",
                "mrc: probes in a row that must arrive before a retired entropy is used again",
                "probes", "heddle; MRC leaves it to the implementer"},
               &own->mrc_probes, 1, 1'000'000);
  options->Add({"entropy.mrc_least", "",
                "mrc: share of the entropies that always stays in use, at least one", "", kMrc},
               &own->mrc_least, 0.0, 1.0);
}

}  // namespace

void EntropyOptions::Declare(OptionSet* options) {
  options->AddGroup({"entropy", "the path of each packet, chosen by the sending NIC",
                     "docs/models/entropies.md"});
  options->Add({"entropy.scheme", "",
                "how a queue pair chooses the entropy (the UDP source port that switches hash) of "
                "each packet; flow: one for all; auto: flow with RoCE, mixed with Ultra Ethernet",
                "", "heddle; uet-htsim: mixed"},
               &scheme);
  options->Add({"entropy.paths", "", "entropies of a queue pair, unless the scheme is flow",
                "entropies", kHtsim},
               &paths, 1, kMostPaths);
  DeclareBitmap(this, options);
  DeclareReps(this, options);
  DeclarePlb(this, options);
  DeclareMrc(this, options);
}

}  // namespace heddle
