// SPDX-License-Identifier: GPL-2.0-only
/// Which letters a TOML file may have where, before toml++ reads it.
#ifndef HEDDLE_CORE_APP_SWEEP_TOML_CHECK_H_
#define HEDDLE_CORE_APP_SWEEP_TOML_CHECK_H_

#include <string>
#include <string_view>

namespace heddle {

/// Where toml++ 3.3 looks for a word, some letters beyond ASCII lead it to undefined behaviour. So
/// these are for comments and for strings of one line, and none of them may be a line break. Throws
/// UserError with `path` and the line otherwise.
void CheckTomlLetters(std::string_view text, const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_TOML_CHECK_H_
