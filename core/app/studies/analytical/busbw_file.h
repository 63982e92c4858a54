// SPDX-License-Identifier: GPL-2.0-only
/// Reads busbw.yaml of SimAI 1.0 to 1.5, as it does; the form is not YAML.
///
/// The first line is skipped. A line that ends with ':' opens a section (TP, DP, EP, PP). Others
/// are `key,: value`: a key allreduce, allgather, reducescatter or alltoall, of PP busbw; a
/// bandwidth [2^30 byte/s], or null. Lines that begin with '#', other keys and other sections are
/// skipped.
///
/// Source: SimAI at its commit d44c48bb, AstraParamParse.hh (parseYaml).
#pragma once

#include <string>

#include "collectives/simai_closed_form/simai_manual.h"

namespace heddle {

/// Sets the values of the file. `name`: the file's, for messages. Throws UserError with file and
/// line for a value that is no number, where SimAI crashes.
void ParseBusBandwidthFile(const std::string& text, const std::string& name,
                           BusBandwidthFile* bandwidths);

/// Returns the same file, checked: sections, keys and values must be known, values above 0 or null;
/// the first line may be a section. Throws UserError with file and line.
BusBandwidthFile CheckedBusBandwidthFile(const std::string& text, const std::string& name);

}  // namespace heddle
