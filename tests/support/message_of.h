// SPDX-License-Identifier: GPL-2.0-only
/// Returns the messages of errors, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {

/// The message of the Error that `action` throws; fails the test if it throws none with `code`.
template <class Action>
std::string MessageOf(Action action, ExitCode code = ExitCode::kBadInput) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace heddle
