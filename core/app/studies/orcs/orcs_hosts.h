// SPDX-License-Identifier: GPL-2.0-only
/// Which hosts take part in ORCS, and how it deals ranks to them: --subset, --part_subset,
/// --node_ordering_file, --shuffle, --mappings.
#pragma once

#include <memory>

#include "core/app/studies/orcs/orcs_arguments.h"
#include "core/app/studies/static_study/host_choice.h"
#include "topology/files/orcs_dot.h"

namespace heddle {

/// Reads the files that the arguments name. Throws UserError.
std::shared_ptr<const HostChoice> ChooseOrcsHosts(const OrcsArguments& given, const OrcsDot& dot);

}  // namespace heddle
