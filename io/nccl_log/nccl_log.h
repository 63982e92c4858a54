// SPDX-License-Identifier: GPL-2.0-only
/// Logs of NCCL as a trace: which collectives and messages each GPU has issued, in which order.
///
/// What computes is not in a log. The calls of a stream follow each other; calls of a communicator
/// with one opCount are one launch (ncclGroupStart), whose parts begin together
/// (docs/formats/nccl-log.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/chakra/chakra_trace.h"
#include "io/nccl_log/nccl_line.h"

namespace heddle {

/// A trace, and what is odd about its logs.
struct NcclTrace {
  ChakraTrace trace;
  std::vector<std::string> odd;  ///< sentences about what a run gets along with
  std::string why_not;           ///< why it cannot run: what is missing; empty: it can
};

/// For one log after the other.
class NcclLogReader {
 public:
  /// Reads a log, or a part of one. `file`: its name for messages, printable. Throws UserError for
  /// a GPU whose lines are in two logs, and more than kMaxNodes GPUs.
  void Read(std::string_view text, const std::string& file);
  /// Returns the trace; `name`: its name, printable. Throws UserError if no log has a call.
  NcclTrace Take(const std::string& name);

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct Call {
    std::uint64_t line = 0;
    std::uint64_t op_count = 0, stream = 0;
    std::int64_t count = 0;
    std::uint32_t comm = 0, root = 0;
    std::uint8_t kind = 0, element = 0;  ///< index of the table of names; size [byte]
  };
  struct Gpu {
    std::string process, file;
    std::uint32_t device = 0;
    std::vector<Call> calls;
    std::uint32_t global_rank = kNone;               ///< RCCL's
    std::map<std::uint32_t, std::uint32_t> of_size;  ///< communicators without an id, by ranks
  };
  /// One GPU's side of a communicator.
  struct Comm {
    std::uint32_t gpu = 0, rank = kNone, ranks = 0;
    std::uint32_t group = kNone;
    std::string key;        ///< equal on all its sides
    bool by_order = false;  ///< the key is no more than the order of communicators of its size
    bool called = false;
    std::string where;  ///< "line 3 of log.1"
  };
  struct Group {
    std::string name;
    std::uint32_t ranks = 0;
    std::vector<std::uint32_t> sides;  ///< comms
    bool by_order = false;
  };

  std::uint32_t GpuOf(std::string_view process, std::uint32_t device);
  /// Returns the side that a call names; a new one if no line said that it begins.
  std::uint32_t CommOf(const NcclLine& line);
  std::uint32_t AddComm(const NcclLine& line, std::uint32_t device);
  /// Sets what Init lines say; START and COMPLETE of one communicator are one.
  void Begin(const NcclLine& line);
  void AddCall(const NcclLine& line);
  /// Counts a line that is odd.
  void Count(const char* what);

  /// Sides of one key make a group.
  void FindGroups();
  /// Finds the numbers of GPUs: ranks of a communicator of all, RCCL's, or the order of the logs.
  void NumberGpus(NcclTrace* to);
  /// Ranks in a communicator and numbers of GPUs.
  using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  /// Returns the sides of a group by rank; where no line says the ranks, by the GPUs' numbers.
  Places PlacesIn(const Group& group) const;
  /// Says which sides of a group with calls are missing or too many; empty: none.
  std::string WhyIncomplete(const Group& group, const Places& places) const;
  /// Makes the trace's groups.
  void MakeGroups(NcclTrace* to);
  void MakeRanks(NcclTrace* to);
  ChakraRank MakeRank(std::uint32_t number, const Gpu& gpu, ChakraTrace* trace);
  ChakraNode NodeOf(const Call& call, std::uint32_t number) const;

  std::vector<Gpu> gpus_;
  std::vector<Comm> comms_;
  std::vector<Group> groups_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> gpu_of_;   ///< process, device
  std::map<std::pair<std::string, std::uint64_t>, std::uint32_t> comm_of_;  ///< process, pointer
  std::vector<std::uint32_t> numbers_;                                      ///< of GPUs
  std::vector<std::vector<std::uint32_t>> members_;  ///< numbers, by group and rank
  std::vector<std::uint32_t> group_of_;              ///< by group: of the trace
  std::string version_, file_;
  std::uint64_t line_ = 0;
  struct Odd {
    std::uint64_t count = 0;
    std::string first;
  };
  std::map<std::string, Odd> odd_;
};

}  // namespace heddle
