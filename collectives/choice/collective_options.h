// SPDX-License-Identifier: GPL-2.0-only
/// Options of the collectives: algorithm, protocol, and latency of a message before it starts.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "collectives/experts/expert_options.h"
#include "collectives/hardware/hardware_options.h"
#include "collectives/phased/phased_options.h"
#include "collectives/pipeline/pipeline_options.h"
#include "collectives/schedule/chunk_options.h"
#include "core/base/units.h"
#include "core/chakra/chakra_options.h"
#include "core/options/simai_version.h"
#include "core/traffic/workload.h"

namespace heddle {

class OptionSet;

struct CollectiveOptions : ChunkOptions {
  /// kSimccl: by GPU type, kind of group and size of group; kNccl: by NCCL's tuner.
  enum class Choice : std::uint8_t { kSimccl, kNccl };
  friend constexpr auto WordsOf(Choice /*type*/) { return std::array{"simccl", "nccl"}; }
  /// Protocols of NCCL's among which the fastest is taken; kNone: none of them.
  enum class Protocols : std::uint8_t {
    kAuto,
    kNone,
    kLl,
    kLl128,
    kSimple,
    kLlOrLl128,
    kLlOrSimple,
    kLl128OrSimple
  };
  friend constexpr auto WordsOf(Protocols /*type*/) {
    return std::array{"auto",   "none",     "ll",        "ll128",
                      "simple", "ll+ll128", "ll+simple", "ll128+simple"};
  }
  /// kSendLat: AS_SEND_LAT before every message; kNccl: the base and hardware latencies of NCCL's
  /// tuner; kHardware: those of the GPUs and NICs (kernel_times.h).
  enum class Latency : std::uint8_t { kSendLat, kNccl, kHardware };
  friend constexpr auto WordsOf(Latency /*type*/) {
    return std::array{"send_lat", "nccl", "hardware"};
  }
  /// kMessage: one for each message; kLasting: one for each channel, peer and communicator.
  enum class Connections : std::uint8_t { kMessage, kLasting };
  friend constexpr auto WordsOf(Connections /*type*/) { return std::array{"message", "lasting"}; }
  /// NVLS within a server.
  enum class NvlsForm : std::uint8_t { kSimai, kMultimem };
  friend constexpr auto WordsOf(NvlsForm /*type*/) { return std::array{"simai", "multimem"}; }

  Choice choice = Choice::kSimccl;
  /// auto, fastest, names of algorithms for the operation, or a file (algorithm_list.h); of
  /// AllToAll auto or a file.
  std::string allreduce = "auto", allgather = "auto", reducescatter = "auto", alltoall = "auto";
  Protocols protocol = Protocols::kAuto;
  Latency latency = Latency::kSendLat;
  HardwareOptions hardware;
  Connections connections = Connections::kMessage;
  bool nvls = false;  ///< AS_NVLS_ENABLE
  NvlsForm nvls_form = NvlsForm::kSimai;
  bool pxn = false;      ///< AS_PXN_ENABLE
  bool pat = true;       ///< automatic choices may take PAT (NCCL_PAT_ENABLE other than 0)
  bool collnet = false;  ///< NCCL's tuner knows CollNet (NCCL_COLLNET_ENABLE)
  std::int64_t collnet_servers = 2;  ///< fewest servers for CollNet (NCCL_COLLNET_NODE_THRESHOLD)
  /// Collectives that differ from the one before them begin at multiples of it; 0: at any time.
  Time window;
  PhasedOptions phased;
  PipelineOptions pipeline;
  ChakraOptions chakra;
  ExpertOptions experts;
  /// AS_SEND_LAT; follows the transport's option flow.send_latency.
  Time send_latency = MicroSeconds(6);
  bool send_latency_given = false;          ///< by the user
  SimaiVersion simai = SimaiVersion::k1_6;  ///< follows the transport's option compat.simai

  /// Returns a copy with what follows from other options: in phases over logical dimensions, a
  /// library's latency is added to what endpoints need. Not to be called on such a copy.
  CollectiveOptions Resolved() const;
  /// The value of algorithm.* for an operation; auto for those without such an option.
  const std::string& AlgorithmOf(Operation operation) const;
  bool as_nccl() const { return choice == Choice::kNccl; }  ///< NCCL's tuner chooses
  /// Whether messages wait for AS_SEND_LAT.
  bool by_send_latency() const { return latency == Latency::kSendLat; }
  bool by_hardware() const { return latency == Latency::kHardware; }  ///< kernel_times.h
  /// Rate of a GPU's NICs that NCCL's tuner assumes [byte/s]; 0: its own, not the fabric's.
  double nic_rate() const { return by_hardware() ? hardware.figures().nics : 0; }
  /// Whether messages wait for the latencies of SimAI 1.7's table.
  bool by_simai_table() const {
    return by_send_latency() && simai == SimaiVersion::k1_7 && !send_latency_given;
  }
  /// Whether messages have no protocol of NCCL's, whatever the algorithm.
  bool plain() const {
    return protocol == Protocols::kNone || (protocol == Protocols::kAuto && by_send_latency());
  }
  /// Whether connections outlive their messages.
  bool lasting() const { return connections == Connections::kLasting; }

  /// Declares the keys of collectives and of the parts; `options` writes to this, which must
  /// outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
