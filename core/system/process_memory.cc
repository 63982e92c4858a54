// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/process_memory.h"

#include <malloc.h>

#include <fstream>
#include <sstream>

namespace heddle {

ProcessMemory ReadProcessMemory(const std::string& status) {
  ProcessMemory memory;
  const struct {
    const char* name;
    std::int64_t* value;
  } fields[] = {{"VmRSS:", &memory.resident}, {"RssAnon:", &memory.anonymous},
                {"RssFile:", &memory.file},   {"RssShmem:", &memory.shared},
                {"VmHWM:", &memory.peak},     {"VmSize:", &memory.address_space},
                {"VmData:", &memory.data}};
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kib = 0;
    words >> name >> kib;
    for (const auto& field : fields) {
      if (name == field.name) *field.value = kib * 1024;
    }
  }
  const struct mallinfo2 heap = mallinfo2();
  memory.heap_used = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  memory.heap_free = static_cast<std::int64_t>(heap.fordblks);
  return memory;
}

}  // namespace heddle
