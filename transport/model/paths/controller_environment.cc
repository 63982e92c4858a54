// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/controller_environment.h"

namespace heddle {

EnvironmentFamily ControllerVariables() {
  EnvironmentVariable log;
  log.name = "CC_LOG_FILE";
  log.keys = {"controller.log"};
  log.is_path = true;
  EnvironmentFamily family;
  family.owner = "the controller";
  family.empty_is_unset = true;
  family.variables = {{"CC_ENABLE", {"controller.enable"}}, log};
  return family;
}

}  // namespace heddle
