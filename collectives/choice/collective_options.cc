// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/collective_options.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/choice/algorithm_list.h"
#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostPieces = 1024;
constexpr std::int64_t kMostChunkBytes = std::int64_t{1} << 40;

constexpr Time kLongestWindow = MicroSeconds(1'000'000'000);
constexpr std::int64_t kMostServers = 1'000'000;

void DeclareAlgorithms(CollectiveOptions* values, OptionSet* options) {
  options->Add({"algorithm.choice", "",
                "who chooses: simccl: SimCCL, by GPU type, kind of group and size of group; nccl: "
                "NCCL's tuner, by predicted time of each algorithm and protocol, NVLS included "
                "unless collective.nvls=false",
                "", "SimAI: simccl"},
               &values->choice);
  const std::string list =
      "; several: among these, where algorithm.choice=nccl, else the ring if it is one of them";
  const std::string source = "SimAI's choice by GPU type, group and size; NCCL_ALGO";
  AddAlgorithmOption(
      options, Operation::kAllReduce,
      {"algorithm.allreduce",
       "",
       "algorithm of AllReduce; auto: by algorithm.choice; fastest: the same, but the faster of "
       "ring and tree by NCCL's prediction instead of SimCCL's ring" +
           list,
       "",
       source,
       {"NCCL_ALGO"}},
      &values->allreduce);
  AddAlgorithmOption(
      options, Operation::kAllGather,
      {"algorithm.allgather",
       "",
       "algorithm of AllGather; auto: by algorithm.choice; fastest: the same, but the faster of "
       "ring and PAT by NCCL's prediction instead of SimCCL's ring, where there is PAT" +
           list,
       "",
       source,
       {"NCCL_ALGO"}},
      &values->allgather);
  AddAlgorithmOption(
      options, Operation::kReduceScatter,
      {"algorithm.reducescatter",
       "",
       "algorithm of ReduceScatter; auto: by algorithm.choice; fastest: the same, but the faster "
       "of ring and PAT by NCCL's prediction instead of SimCCL's ring, where there is PAT" +
           list,
       "",
       source,
       {"NCCL_ALGO"}},
      &values->reducescatter);
  Option direct;
  direct.key = "algorithm.alltoall";
  direct.help = "algorithm of AllToAll; auto: each rank sends to each other one";
  direct.source = "NCCL: send and receive; MSCCL's files";
  direct.range = fmt::format("{}, or {}NAME.xml", kAutoAlgorithm, kAlgorithmFile);
  direct.set = [values](std::string_view text) {
    const std::string value(text);
    if (value != kAutoAlgorithm && AlgorithmFileOf(value).empty())
      throw UserError(fmt::format("expected {}, or {}NAME.xml", kAutoAlgorithm, kAlgorithmFile));
    values->alltoall = value;
  };
  direct.get = [values] { return values->alltoall; };
  options->Add(std::move(direct));
}

/// Declares what NCCL's tuner assumes of PAT and of CollNet.
void DeclareTuner(CollectiveOptions* values, OptionSet* options) {
  options->Add({"collective.pat",
                "",
                "algorithm.choice=nccl and fastest may come to PAT",
                "",
                "NCCL: NCCL_PAT_ENABLE",
                {"NCCL_PAT_ENABLE"}},
               &values->pat);
  options->Add(
      {"collective.collnet",
       "",
       "NCCL's tuner knows CollNet; runs take it where switches add (aggregation.switches)",
       "",
       "NCCL: off",
       {"NCCL_COLLNET_ENABLE"}},
      &values->collnet);
  options->Add({"collective.collnet_servers",
                "",
                "servers of a group for which NCCL's tuner knows CollNet, at least",
                "",
                "NCCL: NCCL_COLLNET_NODE_THRESHOLD, 2",
                {"NCCL_COLLNET_NODE_THRESHOLD"}},
               &values->collnet_servers, 1, kMostServers);
}

}  // namespace

CollectiveOptions CollectiveOptions::Resolved() const {
  CollectiveOptions options = *this;
  if (!phased.on() || !phased.is_logical()) return options;
  // Elsewhere NPUs' endpoints are hardware; here they are a library's.
  options.phased.endpoint_delay += send_latency;
  options.phased.local_endpoint_delay += send_latency;
  return options;
}

const std::string& CollectiveOptions::AlgorithmOf(Operation operation) const {
  static const std::string automatic = kAutoAlgorithm;
  if (operation == Operation::kAllReduce) return allreduce;
  if (operation == Operation::kAllGather) return allgather;
  if (operation == Operation::kReduceScatter) return reducescatter;
  if (operation == Operation::kAllToAll) return alltoall;
  return automatic;
}

void CollectiveOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"algorithm", "how collectives are made of messages", "docs/models/collectives.md"});
  options->AddGroup({"collective", "protocols, latencies and pieces of collectives",
                     "docs/models/collectives.md"});
  DeclareAlgorithms(this, options);
  options->Add(
      {"algorithm.nvls", "",
       "form of NVLS within a server, and of AllReduce by NVLS-Tree; simai: every GPU sends "
       "all its data to the NVSwitch and receives the sum; multimem: a GPU fetches the sum "
       "of its slice from the NVSwitch, and stores it through the NVSwitch to all",
       "", "SimAI: simai; NCCL: multimem"},
      &nvls_form);
  options->Add({"collective.protocol",
                "",
                "NCCL's protocol: LL and LL128 send more bytes with less latency; none: SimAI "
                "1.6's plain messages; auto: the tuner's with algorithm.choice=nccl, none with "
                "collective.latency=send_lat, else the fastest by NCCL's latencies; ll+simple: the "
                "fastest of these",
                "",
                "NCCL_PROTO; SimAI 1.6: none",
                {"NCCL_PROTO"}},
               &protocol);
  options->Add(
      {"collective.latency", "",
       "what a message waits before it starts: send_lat: flow.send_latency; nccl: the base "
       "and hardware latencies of NCCL's tuner; hardware: what NCCL's kernels need on this "
       "generation of GPUs and kind of NICs (gpu.*, nic.*)",
       "", "SimAI 1.6: AS_SEND_LAT"},
      &latency);
  hardware.Declare(options);
  options->Add({"collective.connections", "",
                "message: each message is a flow of its own, with its own source ports; lasting: "
                "messages of one source, destination, channel and communicator use the same source "
                "ports and send one after the other",
                "", "SimAI: message; NCCL: lasting"},
               &connections);
  options->Add(
      {"collective.window", "",
       "a job's collectives that differ from the one before begin on all GPUs at the next multiple "
       "of this time, so that they find an idle fabric; 0: when their GPUs come to them",
       "s", "T. Hoefler et al., Accurately Measuring Collective Operations at Massive Scale, 2008"},
      &window, Time{}, kLongestWindow, "");
  options->Add({"collective.nvls",
                "AS_NVLS_ENABLE",
                "tensor parallel groups of 8 and more GPUs of type H100, H800, B200 or GB200 use "
                "their NVSwitches; algorithm.choice=nccl: any group, and true unless it is set",
                "",
                "SimAI: off",
                {"AS_NVLS_ENABLE", "NCCL_NVLS_ENABLE"}},
               &nvls);
  options->Add({"collective.pxn",
                "AS_PXN_ENABLE",
                "messages to another rail of another server cross over to it by NVLink before they "
                "leave the server",
                "",
                "SimAI: off",
                {"AS_PXN_ENABLE", "NCCL_PXN_DISABLE"}},
               &pxn);
  options->Add(
      {"collective.nvls_chunks", "", "pieces that NVLS collectives are cut into", "", "SimAI: 4"},
      &nvls_chunks, 1, kMostPieces);
  options->Add({"collective.multimem_bytes", "",
                "largest piece of NVLS with algorithm.nvls=multimem, which takes less for small "
                "buffers",
                "byte", "NCCL: NVLS_CHUNKSIZE, 128 KiB"},
               &multimem_bytes, 1, kMostChunkBytes);
  options->Add({"collective.multimem_channels", "",
                "pieces that a GPU has under way with algorithm.nvls=multimem", "",
                "NCCL: 16 on Hopper, 24 on Blackwell"},
               &multimem_channels, 1, kMostPieces);
  options->Add({"collective.multimem_slots", "",
                "pieces of each channel that a GPU has under way by NVLS-Tree with "
                "algorithm.nvls=multimem",
                "", "NCCL: NCCL_STEPS, 8"},
               &multimem_slots, 1, kMostPieces);
  options->Add(
      {"collective.collnet_channels", "",
       "channels of CollNet: they set how large its pieces are, and how many of them a GPU "
       "has under way",
       "", "NCCL: twice its rings, 16 on a server with 8 NICs"},
      &collnet_channels, 1, kMostPieces);
  options->Add(
      {"collective.chunk_bytes", "",
       "largest piece of trees and chains, and largest message of PAT, which takes less for "
       "small buffers",
       "byte", "NCCL: NCCL_BUFFSIZE of 4 MiB in 8 steps"},
      &chunk_bytes, 1, kMostChunkBytes);
  options->Add({"collective.p2p_chunk",
                "",
                "what a proxy posts at once of AllToAll, of send and receive; nic.relayed_rate is "
                "that of 128 KiB, and in proportion",
                "byte",
                "NCCL: NCCL_P2P_NET_CHUNKSIZE, 128 KiB",
                {"NCCL_P2P_NET_CHUNKSIZE"}},
               &p2p_chunk, 1, kMostChunkBytes);
  options->Add({"collective.p2p_channels",
                "",
                "channels to each GPU of another server in AllToAll, in send and receive; "
                "nic.relayed_rate is that of 2, and in proportion",
                "",
                "NCCL: NCCL_NCHANNELS_PER_NET_PEER, 2",
                {"NCCL_NCHANNELS_PER_NET_PEER"}},
               &p2p_channels, 1, kMostPieces);
  options->Add({"collective.chunks_in_flight", "",
                "pieces of trees and chains that a sender has under way to a peer", "", "heddle"},
               &chunks_in_flight, 1, kMostPieces);
  options->Add({"collective.pat_slots", "",
                "messages that PAT sends to a peer in a round, at most; the power of two below", "",
                "NCCL: NCCL_STEPS, 8"},
               &pat_slots, 1, kMostPieces);
  options->Add({"collective.pat_forced",
                "",
                "PAT also serves groups with several GPUs in a server",
                "",
                "NCCL: one GPU in each server, unless NCCL_PAT_ENABLE=1",
                {"NCCL_PAT_ENABLE"}},
               &pat_forced);
  DeclareTuner(this, options);
  options->WhenSet("algorithm.choice", [this, options] {
    options->Preset("collective.nvls", as_nccl() ? "true" : "false");
  });
  phased.Declare(options);
  pipeline.Declare(options);
  chakra.Declare(options);
  experts.Declare(options);
  options->Add({"experts.chunks", "",
                "pieces of what a rank has for a server with experts.form=server, at most: the "
                "second hop follows the first by one of them",
                "", "DeepEP: pieces of 8 tokens; fewer are faster to simulate"},
               &expert_chunks, 1, kMostPieces);
}

}  // namespace heddle
