# SPDX-License-Identifier: GPL-2.0-only
# What CPack runs between the installation into a folder of its own and the packing of that folder: stage.py arranges it as Debian wants it.
# Times in the package are those of the commit, or SOURCE_DATE_EPOCH, so that the same build gives the same files.
if(CPACK_HEDDLE_REFUSED)
  message(FATAL_ERROR "${CPACK_HEDDLE_REFUSED}")
endif()
if(NOT CPACK_HEDDLE_PYTHON)
  message(FATAL_ERROR "a package is arranged by python3, which CMake did not find")
endif()
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -c safe.directory=* -C ${CPACK_HEDDLE_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE time ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT time MATCHES "^[0-9]+$")
    string(TIMESTAMP time "%s")
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
# Debian's loader finds MPI and HDF5 by itself; only ns-3's libraries are the package's own.
if(NOT CPACK_HEDDLE_RUN_PATH MATCHES "^([$]ORIGIN/[^:;]*)")
  message(FATAL_ERROR "the run path does not begin with $ORIGIN: ${CPACK_HEDDLE_RUN_PATH}")
endif()
set(own_libraries "${CMAKE_MATCH_1}")
string(REPLACE ";" ":" run_path "${CPACK_HEDDLE_RUN_PATH}")
file(RPATH_CHANGE FILE ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/bin/heddle OLD_RPATH "${run_path}" NEW_RPATH "${own_libraries}")
execute_process(COMMAND ${CPACK_HEDDLE_PYTHON} ${CPACK_HEDDLE_SOURCE}/packaging/deb/stage.py ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
    --version ${CPACK_PACKAGE_VERSION} --contact "${CPACK_PACKAGE_CONTACT}"
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the package's files were not arranged (${code})")
endif()
