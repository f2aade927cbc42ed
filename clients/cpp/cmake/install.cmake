# `cmake --install`: the library, its headers, a package for find_package(polynya-client CONFIG), and a
# file for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(packages ${CMAKE_INSTALL_LIBDIR}/cmake/polynya-client)
set_target_properties(polynya_client PROPERTIES EXPORT_NAME client
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS polynya_client EXPORT polynya-client)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET polynya_json)
  set_target_properties(polynya_json PROPERTIES EXPORT_NAME json)
  install(TARGETS polynya_json EXPORT polynya-client)
  install(DIRECTORY third_party/nlohmann DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/polynya/third_party)
endif()
install(EXPORT polynya-client NAMESPACE polynya:: DESTINATION ${packages})
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/config.cmake.in polynya-client-config.cmake INSTALL_DESTINATION ${packages})
# Until 1.0.0 a minor version may break what an earlier one had.
write_basic_package_version_file(polynya-client-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polynya-client-config.cmake
              ${PROJECT_BINARY_DIR}/polynya-client-config-version.cmake
        DESTINATION ${packages})

if(OpenSSL_FOUND)
  set(POLYNYA_REQUIRES "openssl")
endif()
if(NOT TARGET polynya_json)
  list(APPEND POLYNYA_REQUIRES "nlohmann_json")
endif()
list(JOIN POLYNYA_REQUIRES ", " POLYNYA_REQUIRES)
configure_file(cmake/polynya-client.pc.in polynya-client.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/polynya-client.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
