# Sources of the library that compute nothing over cells: with -O1 they take three quarters of the
# time. Their precompiled headers are their own: g++ 12 breaks off over some of another level.
add_library(goban_plain OBJECT ${plain_sources})
foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
  set_target_properties(goban_plain PROPERTIES ${property} "$<TARGET_PROPERTY:goban,${property}>")
endforeach()
target_compile_options(goban_plain PRIVATE $<$<CONFIG:Release>:-O1>)
target_sources(goban PRIVATE $<TARGET_OBJECTS:goban_plain>)
