// SPDX-License-Identifier: GPL-2.0-only
/// A child process with limits, for work that may crash or not end: reading a file that nothing
/// vouches for with a library that trusts its input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

struct ChildLimits {
  unsigned cpu_seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space beyond the parent's
};

struct ChildEnd {
  int exit_code = 0;
  std::string failure;  ///< "ended by signal 11 (Segmentation fault)"; empty if it exited
};

/// Calls `work`, which must not throw, in a fork of this process, and waits for its end; the child
/// exits with its value, without destructors. It ends with this process where the system has a
/// signal for that. Throws FileError if there can be no child.
ChildEnd RunInChild(const ChildLimits& limits, const std::function<int()>& work);

}  // namespace heddle
