# Included by ns-3's own project(), so that its source stays as it is: each of its modules is compiled as one unit, which takes a
# third of the time. Each file has a static g_log, whose name is made unique. Four files have other names that clash.
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
set(CMAKE_UNITY_BUILD_UNIQUE_ID g_log)
set(apart model/buffer.cc utils/mac48-address.cc utils/mac64-address.cc utils/net-device-queue-interface.cc)
list(TRANSFORM apart PREPEND ${CMAKE_SOURCE_DIR}/src/network/)
cmake_language(DEFER CALL set_source_files_properties ${apart} DIRECTORY src/network PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
