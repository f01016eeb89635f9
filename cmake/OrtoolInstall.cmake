# A relocatable prefix: bin/ortool, lib/libortool.so, headers, share/completions, and find_package(ortool).
install(TARGETS ortool ortool_program
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
