// SPDX-License-Identifier: GPL-2.0-only
/// What the readers of request traces share: values with their checks, and the list that they fill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "io/serving/request_file.h"

namespace heddle {

/// Collects the requests of a trace, in the order of its lines. Functions throw UserError.
class RequestRows {
 public:
  explicit RequestRows(std::string format) { file_.format = std::move(format); }

  /// Adds a request at `time` of the file's clock; the first one is time 0 of the run. One without
  /// tokens is left out. `where`: its line.
  /// `blocks`: numbers of the prompt's blocks (ServingRequest::blocks).
  void Add(Time time, std::int64_t input, std::int64_t output, const SourceLine& where,
           std::vector<std::uint32_t> blocks = {});
  /// Returns all of them. `whole`: the file, for the message if there are none.
  RequestFile Finish(const SourceLine& whole);

 private:
  RequestFile file_;
  bool any_ = false;
  Time first_, previous_;
  std::int64_t empty_ = 0;
};

/// Reads a number of tokens, 0 or more; `column` is its name.
std::int64_t ReadTokens(std::string_view field, std::string_view column, const SourceLine& where);
/// Throws UserError unless a number of tokens is in range.
std::int64_t CheckTokens(std::int64_t tokens, std::string_view column, const SourceLine& where);

}  // namespace heddle
