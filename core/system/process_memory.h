// SPDX-License-Identifier: GPL-2.0-only
/// This process's memory as reported by the system and the allocator. Linux and glibc.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// All in bytes. Unknown values are 0.
struct ProcessMemory {
  std::int64_t resident = 0;   ///< anonymous + file + shared
  std::int64_t anonymous = 0;  ///< heap and stacks
  /// Resident code and data of the program and its libraries.
  std::int64_t file = 0;
  std::int64_t shared = 0;                   ///< segments shared between processes: MPI's
  std::int64_t peak = 0;                     ///< largest resident value so far
  std::int64_t address_space = 0, data = 0;  ///< bounded by RLIMIT_AS and RLIMIT_DATA
  std::int64_t heap_used = 0;  ///< allocated by the program, including headers of blocks
  std::int64_t heap_free = 0;  ///< freed by the program but kept by the allocator
};

/// Reads the memory of this process now. `status`: for tests, a file other than /proc/self/status.
ProcessMemory ReadProcessMemory(const std::string& status = "/proc/self/status");

}  // namespace heddle
