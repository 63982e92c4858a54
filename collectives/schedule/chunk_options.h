// SPDX-License-Identifier: GPL-2.0-only
/// Options of schedules: the number of pieces of a buffer, and what PAT sends together.
#pragma once

#include <cstdint>
#include <memory>

namespace heddle {

class CustomLibrary;

/// A subset of CollectiveOptions, which declares the keys.
struct ChunkOptions {
  std::int64_t nvls_chunks = 4;  ///< pieces of an NVLS collective (SimAI: 4)
  /// Size of pieces of trees and chains, and of messages of PAT, at most: NCCL_BUFFSIZE 4 MiB / 8
  /// steps.
  std::int64_t chunk_bytes = std::int64_t{512} * 1024;
  std::int64_t chunks_in_flight = 2;  ///< pieces in flight from a sender to a peer
  std::int64_t pat_slots = 8;         ///< PAT: messages of a round, at most (NCCL_STEPS)
  /// Largest piece of NVLS with multimem: NVLS_CHUNKSIZE.
  std::int64_t multimem_bytes = std::int64_t{128} * 1024;
  /// Pieces of NVLS with multimem that a GPU has in flight, a channel each: 16 on Hopper.
  std::int64_t multimem_channels = 16;
  /// Pieces of each channel that NVLS-Tree with multimem has in flight (NCCL_STEPS).
  std::int64_t multimem_slots = 8;
  /// Channels of CollNet, which share the pieces of its slices.
  std::int64_t collnet_channels = 16;
  /// What a proxy posts at once of a message to another server in AllToAll, and in send and
  /// receive, and the channels to each such peer (NCCL_P2P_NET_CHUNKSIZE,
  /// NCCL_NCHANNELS_PER_NET_PEER).
  std::int64_t p2p_chunk = kP2pChunk, p2p_channels = kP2pChannels;
  static constexpr std::int64_t kP2pChunk = std::int64_t{128} * 1024, kP2pChannels = 2;
  /// Pieces of what a rank has for a server over two hops, at most (experts.chunks).
  std::int64_t expert_chunks = 8;
  /// Trees with LL128 cut NCCL's smaller pieces (collective.latency=hardware).
  bool small_pieces = false;
  bool pat_forced = false;  ///< PAT also for several GPUs in a server (NCCL_PAT_ENABLE=1)
  /// Algorithms of files (collectives/custom/custom_library.h); null: there are none. Of the whole
  /// run.
  std::shared_ptr<const CustomLibrary> custom;
};

}  // namespace heddle
