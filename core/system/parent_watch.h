// SPDX-License-Identifier: GPL-2.0-only
/// Ends this process when the process that started it has ended (core/system/child_process.h).
#pragma once

namespace heddle {

/// Watches standard input, if the environment asks for it and it is a pipe, from a thread of its
/// own until this process ends. At the pipe's end says so on standard error, and kills this process
/// with SIGKILL, as the parent may have been: nothing is saved, and what was written stays for a
/// restart or heddle recover. A pipe that ends without a token, as a launcher may give it, means
/// nothing. To be called before anything else that takes long. Without threads left, a warning says
/// that this process may stay.
void WatchParent();

}  // namespace heddle
