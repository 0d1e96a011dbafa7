/* Contact models: one row each. */
#ifndef FILUM_SOLVER_MODEL_H
#define FILUM_SOLVER_MODEL_H

#include "collision/collision.h"
#include "contact/potential.h"
#include "contact/sap.h"
#include "filum/world.h"

/* Settings of all models: each reads its own. */
typedef struct FilModelSettings {
    FilSapSettings sap; /* and sap_lagged */
    FilLcpSettings lcp;
    FilImcSettings imc; /* and spt, as far as it applies */
    FilIpcSettings ipc;
} FilModelSettings;

struct FilSolver;

/* One solution of a problem at velocity level: what came of it. */
typedef struct FilSolverReport {
    int iterations, analyses, fallbacks;
    bool indefinite; /* failed because the tangent is not positive definite */
    double residual; /* relative */
} FilSolverReport;

/* Finds the contact stage's velocities and impulses. */
typedef FilStatus FilVelocitySolver(struct FilSolver* solver, const FilSapProblem* problem, FilSolverReport* report);

typedef struct FilContactModel {
    const char* name;
    unsigned integrators; /* that it works with: bits 1 << FilIntegrator */
    bool contacts;        /* collision looks for contacts; else the model does, or nothing touches */
    bool everyone;        /* every body that moves takes part, whether something touches it or not */
    bool coupled;         /* contact is a part of the bodies' motion: who takes part has no free motion of its own */
    bool folds;           /* vertices welded to moving bodies are no unknowns (followers.h) */
    bool patches;         /* takes contacts of finite stiffness as they are: pressure patches too */
    bool rings;           /* lets rings slide along their rods */
    bool frugal;          /* FilStepSetup.frugal */
    const char* advice;   /* what to use where it finds no solution for its contacts; NULL: nothing in particular */
    /* What it wants of collision; NULL: what everyone gets. */
    void (*want)(const FilModelSettings* settings, FilCollisionWants* wants);
    /* FIL_BAD_INPUT and a message if its settings cannot be used; NULL: it has none. */
    FilStatus (*check)(const FilModelSettings* settings, FilError* error);
    /* Why it is not right for two colliders that may touch, or for one with itself, as the end of a sentence that says what to
     * use; NULL: it is. The operation may be NULL: it is right for all. */
    const char* (*misfit)(const FilModelSettings* settings, const FilCollider* a, const FilCollider* b);
    /* Velocities of all who take part, overwriting the free ones in the scratch. */
    FilStatus (*solve)(struct FilSolver* solver, double dt, FilStepInfo* info);

    /* at velocity level: how contacts count as constraints, and who solves */
    FilSapKind kind;
    FilVelocitySolver* velocity;
    /* at potential level: what takes part in Newton's iteration; where that is pairs of contacts, what each contributes */
    const struct FilPotentialField* field;
    const FilPairPotential* pair;
} FilContactModel;

extern const FilContactModel fil_contact_models[]; /* "none" first */
extern const int fil_contact_models_count;

FilModelSettings fil_model_settings_default(void);
/* Index by name, NULL being the first; -1: there is no such model. */
int fil_contact_model_find(const char* name);

#endif
