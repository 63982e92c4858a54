# SPDX-License-Identifier: GPL-2.0-only
# What an installation has beside the files of the build, and what `cpack -G DEB` makes of it: heddle_VERSION_ARCHITECTURE.deb.

# Manual pages are written when heddle is installed, from the helps of the program that is installed.
find_program(HEDDLE_PYTHON NAMES python3 HINTS /usr/bin DOC "Python, by which manual pages are written")
mark_as_advanced(HEDDLE_PYTHON)
if(HEDDLE_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    set(pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
    message(STATUS \"Writing manual pages: \${pages}\")
    execute_process(COMMAND \"${HEDDLE_PYTHON}\" \"${CMAKE_SOURCE_DIR}/packaging/make_man.py\" \"$<TARGET_FILE:heddle>\" -o \"\${pages}\"
        --plot \"${CMAKE_SOURCE_DIR}/io/plots/heddle-plot\" --exit-codes \"${CMAKE_SOURCE_DIR}/docs/exit-codes.md\"
      OUTPUT_VARIABLE pages RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR \"manual pages were not written (\${code})\")
    endif()
    string(STRIP \"\${pages}\" pages)
    string(REPLACE \"\\n\" \";\" pages \"\${pages}\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${pages})
  ")
else()
  message(STATUS "No python3, or a program that does not run here: an installation will have no manual pages")
endif()

# The package for Debian. Its libraries' packages are found by dpkg-shlibdeps; mpirun and Python's modules are asked for by name.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR heddle)
set(CPACK_PACKAGE_CONTACT "The developers of heddle <heddle@heddle.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "packet-level simulator of AI training fabrics")
set(CPACK_PACKAGE_DESCRIPTION "heddle simulates the network of an AI training cluster packet by packet:
how long a training step, a collective or a flow takes on a fabric, and which
link, queue or hash collision makes it so. It runs as one process or under
mpirun, with the same results bit for bit for every number of ranks.
.
It reads the topology, workload, flow and configuration files of SimAI, and
writes HDF5, text files and pages with charts. The package for Python, the
manual pages, the guide and job scripts for Slurm are included.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/deb/stage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${NS3_PREFIX}/lib)  # its libraries are inside of the package
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-pandas, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, slurm-client")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/postinst ${CMAKE_SOURCE_DIR}/packaging/deb/prerm)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# For stage.cmake.
set(CPACK_HEDDLE_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_HEDDLE_PYTHON ${HEDDLE_PYTHON})
get_target_property(CPACK_HEDDLE_RUN_PATH heddle INSTALL_RPATH)
set(CPACK_HEDDLE_REFUSED "")
if(HEDDLE_NATIVE)
  set(CPACK_HEDDLE_REFUSED "HEDDLE_NATIVE: it was built for the very processor of this machine, and packages are for others, too")
elseif(HEDDLE_SANITIZE)
  set(CPACK_HEDDLE_REFUSED "HEDDLE_SANITIZE: it was built to find errors, and needs the compiler's libraries")
endif()
include(CPack)
