// SPDX-License-Identifier: GPL-2.0-only
/// A line that says what a command is at, for commands that may take seconds.
#pragma once

#include <string>

namespace heddle {

/// On a terminal that can rewrite a line, to standard error; nothing elsewhere.
class StepLine {
 public:
  /// Looks whether standard error is a terminal; prints nothing yet.
  StepLine();
  /// Takes the line away.
  ~StepLine();
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  /// Shows the step that begins now, cut to the width of the terminal: "finds the routes".
  void Show(const std::string& step);

 private:
  bool shown_;
  bool printed_ = false;
};

}  // namespace heddle
