// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle analyze links` prints.
#pragma once

#include <string>

#include "io/links/link_study.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns a line a link, and one for its users. `at_time`: of flows at one moment (LinkWish::at).
std::string DescribeLinks(const LinkStudy& study, const LinkWish& wish);
/// Returns the object of --json: the same links. `result`: file.
OrderedJson LinksJson(const LinkStudy& study, const LinkWish& wish, const std::string& result);
/// Returns the same links as CSV; the first line names the columns.
std::string LinkLines(const LinkStudy& study);

}  // namespace heddle
