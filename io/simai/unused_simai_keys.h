// SPDX-License-Identifier: GPL-2.0-only
/// Keys of SimAI.conf that name files, or that SimAI itself reads and then ignores.
#ifndef HEDDLE_IO_SIMAI_UNUSED_SIMAI_KEYS_H_
#define HEDDLE_IO_SIMAI_UNUSED_SIMAI_KEYS_H_

#include "core/options/options.h"

namespace heddle {

/// Declares the keys, each with the reason why it has no effect.
void DeclareUnusedSimaiKeys(OptionSet* options);

}  // namespace heddle

#endif  // HEDDLE_IO_SIMAI_UNUSED_SIMAI_KEYS_H_
