// SPDX-License-Identifier: GPL-2.0-only
/// Which file of another program a text or a binary is, by its beginning: traces, topologies,
/// algorithms and logs of the field, most of which heddle does not read.
///
/// Sources: Chakra's protobuf schema (mlcommons/chakra), LogGOPSim's GOAL, htsim's connection
/// matrices and topologies, MSCCL's and NCCL's XML, hwloc's XML, Slurm's topology.conf, InfraGraph,
/// PyTorch's profiler, nccl-tests.
#pragma once

#include <string_view>

#include "io/input/known_kinds.h"

namespace heddle {

/// Returns the kind of a binary file that begins like this; kUnknown if it is none of those above.
FileKind ForeignBinaryKind(std::string_view beginning);

/// Returns the kind of a text, without its byte-order mark, that begins like this; kUnknown as
/// above.
FileKind ForeignTextKind(std::string_view beginning);

/// Returns the kind of a gzip file by the name of what is in it, or by its own name: a Chakra trace
/// if that ends in ".et", else kGzip.
FileKind GzipKind(std::string_view beginning, std::string_view path);

/// What a file of this kind is, and what heddle can do with it: "a schedule in GOAL: heddle does
/// not read it yet". Empty for kinds of which this header knows nothing.
const char* DescribeForeign(FileKind kind);

}  // namespace heddle
