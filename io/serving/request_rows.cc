// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/request_rows.h"

#include <fmt/format.h>

#include <utility>

#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// Times of a run end after 106 days.
constexpr Time kLatest = MicroSeconds(100LL * 86'400 * 1'000'000);

}  // namespace

void RequestRows::Add(Time time, std::int64_t input, std::int64_t output, const SourceLine& where,
                      std::vector<std::uint32_t> blocks) {
  if (!any_) first_ = previous_ = time;
  any_ = true;
  if (time < previous_)
    FailInput(where,
              fmt::format("time goes backwards: {} s after {} s from the first request",
                          (time - first_).seconds(), (previous_ - first_).seconds()),
              "requests in the order of time");
  if (time - first_ > kLatest)
    FailInput(where, "a request more than 100 days after the first", "a shorter trace");
  previous_ = time;
  if (input == 0 || output == 0) {
    ++empty_;
    return;
  }
  file_.requests.push_back({time - first_, static_cast<std::uint32_t>(input),
                            static_cast<std::uint32_t>(output), std::move(blocks)});
}

RequestFile RequestRows::Finish(const SourceLine& whole) {
  if (file_.requests.empty())
    FailInput(whole, "no request with a prompt and an answer", "at least one");
  if (empty_ > 0)
    file_.warnings.push_back(fmt::format(
        "{}: {} request{} without a prompt or an answer {} left out", Printable(whole.file), empty_,
        empty_ == 1 ? "" : "s", empty_ == 1 ? "is" : "are"));
  return std::move(file_);
}

std::int64_t CheckTokens(std::int64_t tokens, std::string_view column, const SourceLine& where) {
  if (tokens >= 0 && tokens <= kMostTokens) return tokens;
  FailInput(where, fmt::format("{} {}", column, tokens),
            fmt::format("a number of tokens from 0 to {}", kMostTokens));
}

std::int64_t ReadTokens(std::string_view field, std::string_view column, const SourceLine& where) {
  const auto tokens = ReadNumber<std::int64_t>(field);
  if (!tokens)
    FailInput(where, fmt::format("{} {}", column, Quote(field)),
              fmt::format("a number of tokens from 0 to {}", kMostTokens));
  return CheckTokens(*tokens, column, where);
}

}  // namespace heddle
