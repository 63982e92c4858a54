// SPDX-License-Identifier: GPL-2.0-only
/// What the system and the allocator say of this process's memory. Linux and glibc.
#ifndef HEDDLE_CORE_SYSTEM_PROCESS_MEMORY_H_
#define HEDDLE_CORE_SYSTEM_PROCESS_MEMORY_H_

#include <cstdint>
#include <string>

namespace heddle {

/// All in bytes. What cannot be found out is 0.
struct ProcessMemory {
  std::int64_t resident = 0;   ///< anonymous + file + shared
  std::int64_t anonymous = 0;  ///< heap and stacks
  std::int64_t file =
      0;  ///< code and data of the program and its libraries, as far as they were read
  std::int64_t shared = 0;                   ///< segments shared between processes: MPI's
  std::int64_t peak = 0;                     ///< most that was ever resident
  std::int64_t address_space = 0, data = 0;  ///< what RLIMIT_AS and RLIMIT_DATA bound
  std::int64_t heap_used = 0;  ///< handed out by the allocator, its own heads of blocks included
  std::int64_t heap_free = 0;  ///< given back to the allocator and kept by it
};

/// Of this process, now. `status`: for tests, another file than /proc/self/status.
ProcessMemory ReadProcessMemory(const std::string& status = "/proc/self/status");

}  // namespace heddle

#endif  // HEDDLE_CORE_SYSTEM_PROCESS_MEMORY_H_
