# SPDX-License-Identifier: GPL-2.0-only
# What makes a build from nothing quick (docs/performance.md, "Build time"): half of a unit's time is parsing the headers of others.

# heddle_build_fast(TARGET): with HEDDLE_UNITY, each folder of its sources is one unit, so names in anonymous namespaces must differ
# within a folder.
function(heddle_build_fast target)
  if(NOT HEDDLE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(top ${target} SOURCE_DIR)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${top})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
