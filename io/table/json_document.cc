// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/json_document.h"

namespace heddle {

OrderedJson JsonDocument(const std::string& command, int schema) {
  return {{"command", command}, {"schema", schema}};
}

std::string JsonText(const OrderedJson& document) {
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace heddle
