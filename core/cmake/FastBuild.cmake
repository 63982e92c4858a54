# SPDX-License-Identifier: GPL-2.0-only
# What makes a build quick (docs/performance.md, "Build time"): half of a unit's time is parsing the headers of others.

# ccache is used where it is installed. Its settings here let work trees beside each other share objects, precompiled headers too.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEDDLE_CCACHE ccache)
  mark_as_advanced(HEDDLE_CCACHE)
  if(HEDDLE_CCACHE)
    cmake_path(GET CMAKE_SOURCE_DIR PARENT_PATH parent)
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${parent} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${HEDDLE_CCACHE})
  endif()
endif()

# What most sources include of the standard library and of fmt.
set(common_headers <algorithm> <array> <cmath> <cstddef> <cstdint> <cstring> <deque> <functional> <limits> <map> <memory> <optional>
  <sstream> <stdexcept> <string> <string_view> <tuple> <type_traits> <utility> <variant> <vector> <fmt/format.h>)

# heddle_precompile_for(KIND FLAGS flag... [HEADERS header...]): the common headers, and these, parsed once for the targets of a kind,
# which have the same flags.
function(heddle_precompile_for kind)
  if(NOT HEDDLE_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 precompile "" "" "FLAGS;HEADERS")
  set(owner heddle_precompiled_${kind})
  set(empty ${CMAKE_BINARY_DIR}/precompiled/${kind}.cc)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// A target needs a source.\n")
  add_library(${owner} OBJECT ${empty})
  target_link_libraries(${owner} PRIVATE heddle_flags)
  target_compile_options(${owner} PRIVATE -fpch-preprocess ${precompile_FLAGS})
  target_precompile_headers(${owner} PRIVATE ${common_headers} ${precompile_HEADERS})
endfunction()

function(heddle_precompile target kind)
  if(NOT HEDDLE_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM heddle_precompiled_${kind})
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # as ccache asks
endfunction()

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
