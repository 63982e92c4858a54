// SPDX-License-Identifier: GPL-2.0-only
/// The files of a trace: PREFIX.RANK.et, of each rank one, plain or packed by gzip.
#pragma once

#include <string>
#include <vector>

#include "core/chakra/chakra_trace.h"
#include "io/chakra/chakra_reader.h"

namespace heddle {

/// Returns the files by rank. `prefix` may also be one of them, or a single file of another name.
/// Throws UserError if there are none, or some ranks have none or two.
std::vector<std::string> FindChakraFiles(const std::string& prefix);

/// Whether FindChakraFiles() would look for files of this prefix: a path is one of them, begins as
/// one, or is none itself.
bool IsChakraPrefix(const std::string& path);

/// Whether there is a trace of this prefix: its first file is there, or the path is a file of one.
bool IsChakraTrace(const std::string& path);

/// Reads the trace. Throws UserError.
ChakraTrace ReadChakra(const std::string& prefix, const ChakraReading& how);

/// Returns a sentence for each kind of thing that is odd about a trace and that a run gets along
/// with.
std::vector<std::string> WarnOfChakra(const ChakraTrace& trace);

}  // namespace heddle
