// SPDX-License-Identifier: GPL-2.0-only
/// The files that a run reads: topology, traffic, and others that its flags name.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "topology/graph/graph.h"

namespace heddle {

/// An input file.
struct InputFile {
  std::string flag, path;  ///< of a trace of Chakra: its prefix
  /// Attribute with the digest of the file (docs/formats/result.md); empty: none, as the file does
  /// not change the simulation.
  std::string digest = {};
  std::vector<std::string> replaced = {};  ///< of a plan: keys with other values, "KEY=VALUE"
};

/// Returns the digest of the file's bytes (core/app/base/cli/file_digest.h); of a trace of Chakra,
/// of all its files; of a plan, of what replaces keys and of its table of times too. Throws
/// UserError if they cannot be read.
std::string DigestOf(const InputFile& file);

/// Returns the files that a command line names, in the order of a result's attributes. Throws
/// UsageError for a --job that cannot be parsed.
std::vector<InputFile> InputFiles(const RunArguments& run);

/// Reads the topology of a file (fabric_input.h), which routes by its own tables if it has any.
/// Throws UserError; the message says if the file looks like another kind.
Graph ReadTopology(const std::string& path);

/// Returns the flags whose value is an input file's name and nothing else.
std::vector<std::string> InputFileFlags();

}  // namespace heddle
