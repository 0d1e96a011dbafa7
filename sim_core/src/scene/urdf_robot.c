/* A robot of the world from a URDF, with settings on top. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "filum/urdf.h"
#include "filum/world.h"
#include "scene/names.h"
#include "scene/urdf.h"

FilRobotJointSetting fil_robot_joint_setting_default(void)
{
    return (FilRobotJointSetting){.start_position = NAN,
                                  .start_velocity = NAN,
                                  .stiffness_gain = NAN,
                                  .damping_gain = NAN,
                                  .max_effort = NAN,
                                  .damping = NAN,
                                  .friction = NAN,
                                  .armature = NAN,
                                  .limit_stiffness = NAN,
                                  .limit_damping = NAN,
                                  .modes = -1};
}

static void set_number(double* to, double value)
{
    *to = isnan(value) ? *to : value;
}

static void apply(const FilRobotJointSetting* setting, FilRobotJointDef* joint)
{
    set_number(&joint->start_position, setting->start_position);
    set_number(&joint->start_velocity, setting->start_velocity);
    set_number(&joint->stiffness_gain, setting->stiffness_gain);
    set_number(&joint->damping_gain, setting->damping_gain);
    set_number(&joint->max_effort, setting->max_effort);
    set_number(&joint->damping, setting->damping);
    set_number(&joint->friction, setting->friction);
    set_number(&joint->armature, setting->armature);
    set_number(&joint->limit_stiffness, setting->limit_stiffness);
    set_number(&joint->limit_damping, setting->limit_damping);
    joint->modes = setting->modes >= 0 ? (unsigned)setting->modes : joint->modes;
}

static FilStatus apply_settings(FilWorld* world, const char* source, const FilRobotJointSetting* settings, int count, const FilUrdf* urdf)
{
    for (int k = 0; k < count; k++) {
        const char* name = settings[k].joint;
        bool found = name == NULL;
        for (int j = 0; j < urdf->joint_count; j++) {
            FilRobotJointDef* joint = &urdf->joints[j];
            if (name == NULL || strcmp(joint->name, name) == 0) {
                apply(&settings[k], joint);
                found = true;
            }
        }
        if (!found) {
            FilGuess guess = fil_guess_start(name);
            for (int j = 0; j < urdf->joint_count; j++) {
                fil_guess_try(&guess, urdf->joints[j].name);
            }
            FilError error;
            fil_error(&error, FIL_BAD_INPUT, "%.200s has no joint '%.80s'%s%.80s%s", source, name, guess.best != NULL ? "; did you mean '" : "",
                      guess.best != NULL ? guess.best : "", guess.best != NULL ? "'?" : "");
            return fil_world_set_error(world, FIL_BAD_INPUT, error.text);
        }
    }
    return FIL_OK;
}

/* The world's link by its name in the URDF. */
static FilId find_link(const FilWorld* world, const char* prefix, const char* name, FilPool* pool)
{
    const size_t size = (prefix != NULL ? strlen(prefix) : 0) + strlen(name) + 1;
    char* text = fil_pool_alloc(pool, size, 1);
    if (text == NULL) {
        return (FilId){0};
    }
    snprintf(text, size, "%s%s", prefix != NULL ? prefix : "", name);
    return fil_world_find_link(world, text);
}

FilStatus fil_world_add_robot_urdf(FilWorld* world, const FilRobotDef* given, const char* path, const char* text, size_t size,
                                   const FilRobotJointSetting* settings, int setting_count, FilId* robot)
{
    if (given == NULL || (path == NULL && text == NULL) || (text == NULL && size > 0) || setting_count < 0 ||
        (settings == NULL && setting_count > 0)) {
        return fil_world_set_error(world, FIL_BAD_INPUT, "a robot from URDF needs a definition, a source and the settings it counts");
    }
    FilPool pool = {0};
    FilUrdf urdf = {0};
    FilError error;
    const FilSource source = {.path = path, .text = text, .size = size};
    FilStatus status = fil_urdf_read(&source, given->prefix, &pool, &urdf, &error);
    if (status != FIL_OK) {
        status = fil_world_set_error(world, status, error.text);
    }
    status = status == FIL_OK ? apply_settings(world, path, settings, setting_count, &urdf) : status;
    if (status == FIL_OK) {
        FilRobotDef def = *given;
        def.links = urdf.links;
        def.link_count = urdf.link_count;
        def.joints = urdf.joints;
        def.joint_count = urdf.joint_count;
        def.description = urdf.description;
        def.ignored = urdf.ignored;
        status = fil_world_add_robot(world, &def, robot);
        if (status != FIL_OK) {
            fil_urdf_locate(&urdf, &source, fil_world_error(world), &error);
            status = fil_world_set_error(world, status, error.text);
        }
    }
    for (int k = 0; k < urdf.visual_count && status == FIL_OK; k++) {
        // links of a robot are in another order: the root first
        const FilId link = find_link(world, given->prefix, urdf.links[urdf.visual_links[k]].name, &pool);
        status = fil_world_add_visual(world, link, &urdf.visuals[k]);
    }
    fil_pool_free(&pool);
    return status;
}
