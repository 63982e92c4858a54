# ns-3 with MPI as a target Ns3WithMpi::ns3: shared libraries core, network, mpi, found by rpath.
# Looked for in NS3_PREFIX (variable or environment), then where core/ns3/build_ns3.sh installs it.
if(NOT NS3_PREFIX)
  set(NS3_PREFIX "$ENV{NS3_PREFIX}")
endif()
if(NOT NS3_PREFIX)
  set(_cache "$ENV{XDG_CACHE_HOME}")
  if(NOT _cache)
    set(_cache "$ENV{HOME}/.cache")
  endif()
  file(GLOB _prefixes "${_cache}/heddle/ns3-3.37-r*")
  list(SORT _prefixes COMPARE NATURAL ORDER DESCENDING)
  if(_prefixes)
    list(GET _prefixes 0 NS3_PREFIX)
  endif()
endif()
set(NS3_PREFIX "${NS3_PREFIX}" CACHE PATH "Where ns-3 3.37 with MPI is installed (core/ns3/build_ns3.sh prints it)")

find_path(Ns3WithMpi_INCLUDE_DIR ns3/mpi-interface.h HINTS "${NS3_PREFIX}/include" NO_DEFAULT_PATH)
set(_libraries)
foreach(_module core network stats mpi)
  find_library(Ns3WithMpi_${_module}_LIBRARY NAMES ns3.37-${_module} ns3.37-${_module}-default ns3-${_module}
    HINTS "${NS3_PREFIX}/lib" "${NS3_PREFIX}/lib64" NO_DEFAULT_PATH)
  list(APPEND _libraries "${Ns3WithMpi_${_module}_LIBRARY}")
endforeach()

# The names of the libraries contain the release, "libns3.37-core.so".
set(Ns3WithMpi_VERSION "unknown")
if(Ns3WithMpi_core_LIBRARY MATCHES "libns(3[.0-9]+)-core")
  set(Ns3WithMpi_VERSION "${CMAKE_MATCH_1}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ns3WithMpi
  REQUIRED_VARS Ns3WithMpi_INCLUDE_DIR Ns3WithMpi_core_LIBRARY Ns3WithMpi_network_LIBRARY Ns3WithMpi_mpi_LIBRARY
  REASON_FAILURE_MESSAGE "Run ./bootstrap.sh setup, or core/ns3/build_ns3.sh, or set NS3_PREFIX.")
if(Ns3WithMpi_FOUND AND NOT TARGET Ns3WithMpi::ns3)
  add_library(Ns3WithMpi::ns3 INTERFACE IMPORTED)
  set_target_properties(Ns3WithMpi::ns3 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Ns3WithMpi_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${_libraries}"
    INTERFACE_COMPILE_DEFINITIONS NS3_MPI)
endif()
