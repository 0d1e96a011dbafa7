/* Filum: a physics core for elastic rods. Include this one header. */
#ifndef FILUM_FILUM_H
#define FILUM_FILUM_H

#include "filum/arm.h"
#include "filum/base.h"
#include "filum/batch.h"
#include "filum/contact.h"
#include "filum/gas.h"
#include "filum/gradient.h"
#include "filum/joint.h"
#include "filum/look.h"
#include "filum/manipulation.h"
#include "filum/mesh.h"
#include "filum/plan.h"
#include "filum/ray.h"
#include "filum/rigid.h"
#include "filum/ring.h"
#include "filum/robot.h"
#include "filum/rod.h"
#include "filum/scene.h"
#include "filum/shell.h"
#include "filum/solid.h"
#include "filum/state.h"
#include "filum/urdf.h"
#include "filum/world.h"

#endif
