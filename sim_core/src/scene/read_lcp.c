/* world: lcp: settings of the contact model "lcp". */
#include "scene/scene_build.h"

void fil_scene_read_lcp(FilReader* reader, const FilYaml* world, FilLcpSettings* lcp)
{
    static const char* const keys[] = {"directions",
                                       "rank_selection",
                                       "equilibration",
                                       "regularisation",
                                       "solver",
                                       "fallback",
                                       "rank_tolerance",
                                       "compliance",
                                       "stabilisation",
                                       "recovery_speed",
                                       "tolerance",
                                       "max_iterations",
                                       NULL};
    static const char* const solvers[] = {
        [FIL_LCP_NEWTON] = "newton",
        [FIL_LCP_LEMKE] = "lemke",
        [FIL_LCP_GAUSS_SEIDEL] = "gauss_seidel",
        NULL,
    };
    const FilYaml* node = fil_read_node(reader, world, "lcp", FIL_OPTIONAL);
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
        return;
    }
    if (fil_read_integer(reader, node, "directions", FIL_OPTIONAL, 4, 64, &lcp->directions) &&
        lcp->directions % 2 != 0) {
        fil_reader_fail(reader, fil_read_node(reader, node, "directions", FIL_REQUIRED),
                        "must be even: each direction of friction needs its opposite");
    }
    fil_read_flag(reader, node, "rank_selection", &lcp->rank_selection);
    fil_read_flag(reader, node, "equilibration", &lcp->equilibration);
    fil_read_flag(reader, node, "regularisation", &lcp->regularisation);
    fil_read_flag(reader, node, "fallback", &lcp->fallback);
    int solver = (int)lcp->solver;
    fil_read_choice(reader, node, "solver", solvers, &solver);
    lcp->solver = (FilLcpSolver)solver;
    fil_read_number(reader, node, "rank_tolerance", FIL_NOT_NEGATIVE, &lcp->rank_tolerance);
    fil_read_number(reader, node, "compliance", FIL_NOT_NEGATIVE, &lcp->compliance);
    fil_read_number(reader, node, "stabilisation", FIL_NOT_NEGATIVE, &lcp->stabilisation);
    fil_read_number(reader, node, "recovery_speed", FIL_NOT_NEGATIVE, &lcp->recovery_speed);
    fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &lcp->tolerance);
    fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 10000, &lcp->max_iterations);
}
