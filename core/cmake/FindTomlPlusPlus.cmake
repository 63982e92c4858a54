# SPDX-License-Identifier: GPL-2.0-only
# toml++ (headers only) as a target TomlPlusPlus::headers.
find_path(TomlPlusPlus_INCLUDE_DIR toml++/toml.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TomlPlusPlus_INCLUDE_DIR)
if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::headers)
  add_library(TomlPlusPlus::headers INTERFACE IMPORTED)
  set_target_properties(TomlPlusPlus::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TomlPlusPlus_INCLUDE_DIR}")
endif()
