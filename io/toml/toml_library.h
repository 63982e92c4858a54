// SPDX-License-Identifier: GPL-2.0-only
/// toml++, without an assumption of its that files can violate.
#pragma once

#include <toml++/impl/preprocessor.h>
// A table that begins with "[" and a line end violates an assumption of toml++: debug builds would
// abort, and clang's optimised builds have undefined behaviour. Without the assertion toml++
// reports the mistake itself.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_ASSERT_ASSUME(condition) static_assert(true)
#include <toml++/toml.h>
