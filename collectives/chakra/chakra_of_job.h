// SPDX-License-Identifier: GPL-2.0-only
/// A trace of Chakra from the program of a job: what `heddle export --chakra` writes.
#pragma once

#include "collectives/job/job.h"
#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Makes a trace of the steps of all ranks in all passes: computing and pauses as computing of the
/// GPU, collectives, messages between stages as sends and receives, updates as computing of the
/// CPU. Groups are named by numbers from 1 on; groups of all ranks have no name. Throws UserError
/// for a job that is already a trace, and for collectives whose pairs differ.
ChakraTrace ChakraOfJob(const Job& job);

}  // namespace heddle
