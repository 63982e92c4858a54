// SPDX-License-Identifier: GPL-2.0-only
/// Files of a fuzzer, for readers that take a path.
#ifndef HEDDLE_TESTS_FUZZ_SCRATCH_H_
#define HEDDLE_TESTS_FUZZ_SCRATCH_H_

#include <string>
#include <string_view>

namespace heddle {

/// A folder of this process, gone when it ends. In memory where the system has such a place.
const std::string& ScratchFolder();
/// Replaces a file.
void PutBytes(const std::string& path, std::string_view bytes);
std::string BytesOf(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_SCRATCH_H_
