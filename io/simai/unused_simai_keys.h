// SPDX-License-Identifier: GPL-2.0-only
/// Keys of SimAI.conf that name files, or that SimAI itself reads and then ignores.
#pragma once

#include "core/options/options.h"

namespace heddle {

/// Declares the keys, each with the reason why it has no effect.
void DeclareUnusedSimaiKeys(OptionSet* options);

}  // namespace heddle
