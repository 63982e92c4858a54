// SPDX-License-Identifier: GPL-2.0-only
/// What determines the results of a run: two runs with the same identity have the same results.
///
/// A checkpoint has the identity, and a run continues from its own only. A result has its digest
/// (`/run/identity`), so that a command that is given again knows its own result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/table.h"

namespace heddle {

/// Names and values, in a fixed order. File names are left out; the digests of the files are
/// included.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

/// `inputs`: InputAttributes() of the run.
RunIdentity IdentityOf(const RunArguments& arguments, const RunInput& input,
                       const std::vector<Attribute>& inputs);

/// 16 hexadecimal digits.
std::string IdentityDigest(const RunIdentity& identity);

/// The attribute of /run that has the digest.
inline constexpr const char* kIdentityAttribute = "identity";

}  // namespace heddle
