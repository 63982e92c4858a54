// SPDX-License-Identifier: GPL-2.0-only
/// One line of what NCCL writes with NCCL_DEBUG=INFO: calls of collectives (subsystem COLL),
/// communicators that begin and end (subsystem INIT).
///
/// Source: logs of NCCL 2.4 to 2.27 and RCCL, and the format strings of its sources
/// (docs/formats/nccl-log.md). What stands before "HOST:PID:TID [DEVICE] NCCL INFO" is a launcher's
/// and is skipped, as is what stands behind the fields.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

/// Views point into the line.
struct NcclLine {
  enum class Kind : std::uint8_t {
    kOther,    ///< says nothing that is read
    kCall,     ///< name, op_count, count, datatype, root, comm, ranks, stream
    kBegin,    ///< of a communicator: comm, rank, ranks, device_of, and what there is of the rest
    kEnd,      ///< comm is destroyed or aborted
    kVersion,  ///< name: the version's text
    kBroken,   ///< begins as a call, and goes on otherwise
  };

  Kind kind = Kind::kOther;
  std::string_view process;  ///< "HOST:PID"
  std::string_view name;     ///< "AllReduce"
  std::uint64_t op_count = 0, comm = 0, stream = 0, parent = 0;
  std::int64_t count = 0;  ///< elements, >= 0
  std::int64_t color = 0;
  std::uint32_t device = 0;     ///< in brackets
  std::uint32_t device_of = 0;  ///< cudaDev
  std::uint32_t rank = 0, ranks = 0, root = 0, datatype = 0;
  std::string_view comm_id;      ///< "0x5a16c3838ce6f1f8"; empty: the version does not write it
  std::string_view split;        ///< splitCount; empty: likewise
  std::string_view global_rank;  ///< RCCL's; empty: likewise
  bool has_parent = false;
};

/// Reads a line. Requires no line end in it.
NcclLine ParseNcclLine(std::string_view line);

}  // namespace heddle
