// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/infiniband_labels.h"

#include <map>

#include "core/base/check.h"

namespace heddle {

std::vector<std::string> InfinibandLabels(const std::vector<std::string>& names,
                                          const std::vector<std::string>& descriptions) {
  HEDDLE_EXPECT(names.size() == descriptions.size());
  std::map<std::string, int> nodes;  // by description
  for (const std::string& description : descriptions) ++nodes[description];
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& description = descriptions[i];
    const bool blank = description.find_first_not_of(' ') == std::string::npos;
    labels.push_back(blank                     ? names[i]
                     : nodes[description] == 1 ? Printable(description)
                                               : Printable(description) + " (" + names[i] + ")");
  }
  return labels;
}

}  // namespace heddle
