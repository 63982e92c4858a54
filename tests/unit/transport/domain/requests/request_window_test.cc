// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/requests/request_window.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RequestWindow, SlotsAreFreeInTheirOrder) {
  RequestWindow window;
  const std::uint64_t first = window.Open(2), second = window.Open(1), third = window.Open(1);
  EXPECT_EQ(window.size(), 3u);
  window.Complete(second);
  window.Complete(first);
  EXPECT_EQ(window.size(), 3u) << "one share of the oldest is missing";
  window.Complete(first);
  EXPECT_EQ(window.size(), 1u) << "the second was complete before";
  const std::uint64_t fourth = window.Open(1);
  EXPECT_EQ(fourth, third + 1);
  window.Complete(third);
  window.Complete(fourth);
  EXPECT_EQ(window.size(), 0u);
}

TEST(RequestWindow, ClaimsFindSharesOfNoRequest) {
  RequestWindow window;
  window.Complete(window.Open(1));
  const std::uint64_t request = window.Open(2);
  RequestWindow::Claims claims(window);
  claims.Claim(request);
  claims.Claim(request);
  EXPECT_THROW(claims.Claim(request), UserError) << "a third share of two";
  EXPECT_THROW(claims.Claim(request + 1), UserError) << "not posted yet";
  EXPECT_THROW(claims.Claim(request - 1), UserError) << "over";
}

}  // namespace
}  // namespace heddle
