// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/parse_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/options/nccl_names.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

/// The value in `values` whose name (by ToText) is `text`, ignoring case. Throws UserError with the
/// nearest name.
template <class Value>
Value ByName(const std::string& what, const std::string& text, const std::vector<Value>& values) {
  const auto lower = [](std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
  };
  std::vector<std::string> names;
  for (const Value value : values) {
    names.push_back(lower(ToText(value)));
    if (names.back() == lower(text)) return value;
  }
  throw UsageError(fmt::format("{}: unknown name '{}'.{} Expected: {}", what, Printable(text),
                               DidYouMean(lower(text), names), fmt::join(names, ", ")));
}

}  // namespace

Operation ParseOperation(const std::string& what, const std::string& text) {
  return ByName<Operation>(
      what, PlainOperation(text),
      {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
       Operation::kAllToAll, Operation::kBroadcast, Operation::kReduce, Operation::kSendRecv});
}

GroupType ParseGroupType(const std::string& what, const std::string& text) {
  return ByName<GroupType>(what, text,
                           {GroupType::kTensor, GroupType::kData, GroupType::kPipeline,
                            GroupType::kExpert, GroupType::kDataExpert, GroupType::kAll});
}

}  // namespace heddle
