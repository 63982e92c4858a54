// SPDX-License-Identifier: GPL-2.0-only
/// Programs from the short text of traces, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/chakra/chakra_program.h"
#include "collectives/job/job.h"
#include "io/chakra/chakra_reader.h"
#include "tests/support/chakra/chakra_text.h"

namespace heddle::testing {

/// A trace of files a.0.et, a.1.et, ...; `groups`: JSON, or empty; `window`: ChakraReading's.
inline ChakraTrace TraceOfText(const std::string& text, const std::string& groups = "",
                               std::uint64_t window = 0) {
  const std::vector<std::string> files = ChakraFilesOf(text);
  ChakraTrace trace;
  trace.name = "a";
  ChakraReader reader(&trace, static_cast<std::uint32_t>(files.size()), true, window);
  if (!groups.empty()) reader.ReadGroups(groups, "groups.json");
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const std::string name = "a." + std::to_string(rank) + ".et";
    reader.ReadRank(OpenBytes(files[rank], name), name);
  }
  return trace;
}

/// The job of a trace on GPUs 0, 1, ...; `algorithms`: of its collectives.
inline Job TraceJob(const std::string& text, const ChakraOptions& options = {},
                    const std::string& groups = "", const ChakraFabric& fabric = {},
                    std::uint64_t window = 0, const ChakraAlgorithms& algorithms = {}) {
  const ChakraTrace trace = TraceOfText(text, groups, window);
  const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
  std::vector<std::string> warnings;
  Job job{"a", MakeChakraWorkload(trace), ParallelGroups({}, ranks, "a"), {}, {}, {}};
  job.program = MakeChakraProgram(trace, options, fabric, &warnings, algorithms);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) job.gpus.push_back(NodeId(rank));
  return job;
}

inline ChakraOptions AsAstraSim() {
  ChakraOptions options;
  options.slots = ChakraOptions::Slots::kAstraSim;
  return options;
}

}  // namespace heddle::testing
