# Chooses what the node is built against, and sets filum_ros (rclc, embedded or off) and filum_ros_libraries.
#
# With a sourced ROS 2 this file generates the package's own messages too. ament collects what is to be installed in
# the scope of the package's main file: include this file there, before add_subdirectory(ros_node).

set(filum_ros ${FILUM_ROS})
# Debian's ament and rosidl belong to Debian's Python, whatever else comes first on the path
if(NOT Python3_EXECUTABLE AND NOT DEFINED ENV{AMENT_PREFIX_PATH} AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
endif()
set(embedded_packages CycloneDDS rcutils ament_cmake rosidl_cmake rosidl_adapter rosidl_generator_c
    rosidl_typesupport_introspection_c)
if(filum_ros STREQUAL "auto")
    # a sourced ROS 2 first, then what the embedded layer needs, else no node
    find_package(rclc QUIET)
    if(rclc_FOUND)
        set(filum_ros rclc)
    else()
        set(filum_ros embedded)
        foreach(package IN LISTS embedded_packages)
            find_package(${package} QUIET)
            if(NOT ${package}_FOUND)
                message(NOTICE "No ROS 2 node: neither rclc nor ${package} is there. On Debian: "
                    "apt install cyclonedds-dev rosidl-core librcutils-dev ament-cmake")
                set(filum_ros off)
                break()
            endif()
        endforeach()
    endif()
endif()
message(STATUS "Filum's ROS 2 node is built against: ${filum_ros}")

set(filum_ros_libraries "")
if(filum_ros STREQUAL "embedded")
    set(filum_ros_libraries filum_rcl)
    set(simulation_interfaces_VERSION 1.4) # the definitions in embedded/interfaces
    set(control_msgs_FOUND TRUE)
    set(action_msgs_FOUND TRUE)
elseif(filum_ros STREQUAL "rclc")
    enable_language(CXX) # rosidl makes type support for C++ as well
    foreach(package rclc rcl rcl_lifecycle lifecycle_msgs rmw rmw_implementation rcutils rcl_interfaces builtin_interfaces std_msgs geometry_msgs
            sensor_msgs trajectory_msgs tf2_msgs rosgraph_msgs std_srvs visualization_msgs diagnostic_msgs
            rosidl_default_generators)
        find_package(${package} REQUIRED)
        list(APPEND filum_ros_libraries ${${package}_TARGETS})
    endforeach()
    foreach(package simulation_interfaces action_msgs control_msgs) # what needs them is left out without them
        find_package(${package} QUIET)
        if(${package}_FOUND)
            list(APPEND filum_ros_libraries ${${package}_TARGETS})
        endif()
    endforeach()
    file(GLOB interfaces CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/msg/*.msg)
    list(TRANSFORM interfaces PREPEND "${PROJECT_SOURCE_DIR}:")
    # rosidl's target has the package's name, and Ninja takes no file of that name beside it
    set_target_properties(filum_cli PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    rosidl_generate_interfaces(${PROJECT_NAME} ${interfaces} DEPENDENCIES geometry_msgs std_msgs)
    rosidl_get_typesupport_target(filum_typesupport ${PROJECT_NAME} rosidl_typesupport_c)
    list(APPEND filum_ros_libraries ${filum_typesupport})
elseif(NOT filum_ros STREQUAL "off")
    message(FATAL_ERROR "FILUM_ROS is '${FILUM_ROS}'; expected off, auto, rclc or embedded")
endif()
