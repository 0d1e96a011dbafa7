// Soft blocks and a soft ball that fall on the ground, here and in MuJoCo's flex (npm's WebAssembly build: no machine code of its own, which costs it
// something like a factor of one and a half to two). Both get the same tetrahedra. Prints milliseconds of processor time a step, least of three rounds (one where
// that takes too long), and where they come to rest; not a test.
//     node flex.mjs FILUM FOLDER     with @mujoco/mujoco below FOLDER
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [filum, folder] = process.argv.slice(2);
if (!folder) {
    console.error('usage: node flex.mjs FILUM FOLDER');
    process.exit(2);
}
const require = createRequire(join(folder, 'package.json'));
const { default: load } = await import(pathToFileURL(require.resolve('@mujoco/mujoco')));
const mujoco = await load();
const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/@mujoco/mujoco/package.json'), 'utf8'));

const ROUNDS = 3, PATIENCE = 20 /* s for all rounds of one */, DT = 0.002, SECONDS = 0.5, SIDE = 0.1, CLEAR = 0.01;
const YOUNG = 1e5, POISSON = 0.3, DENSITY = 1000, DAMPING = 0.01, GRAVITY = 9.81;

// a cube of n^3 cells of six tetrahedra each, or the ball that it becomes when its shells are blown up
function mesh(n, round) {
    const points = [], tetrahedra = [];
    const index = (i, j, k) => (i * (n + 1) + j) * (n + 1) + k;
    for (let i = 0; i <= n; i++) {
        for (let j = 0; j <= n; j++) {
            for (let k = 0; k <= n; k++) {
                const p = [i, j, k].map((c) => SIDE * (c / n - 0.5));
                const most = Math.max(...p.map(Math.abs)), length = Math.hypot(...p);
                points.push(round && length > 0 ? p.map((c) => (c * most) / length) : p);
            }
        }
    }
    for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
            for (let k = 0; k < n; k++) {
                for (const order of [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]]) {
                    const at = [i, j, k], corners = [index(...at)];
                    for (const axis of order) {
                        at[axis]++;
                        corners.push(index(...at));
                    }
                    const odd = [[0, 2, 1], [2, 1, 0], [1, 0, 2]].some((o) => o.every((axis, k) => axis === order[k]));
                    tetrahedra.push(odd ? [corners[0], corners[1], corners[3], corners[2]] : corners);
                }
            }
        }
    }
    return { points, tetrahedra };
}

function volume({ points, tetrahedra }) {
    return tetrahedra.reduce((sum, t) => {
        const [a, b, c] = [1, 2, 3].map((k) => points[t[k]].map((x, d) => x - points[t[0]][d]));
        return sum + (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }, 0);
}

// of the vertices' mean: both programs can say it
function meanHeight(heights) {
    return heights.reduce((sum, z) => sum + z, 0) / heights.length;
}

function runFilum(name, shape) {
    const vtk = ['# vtk DataFile Version 3.0', name, 'ASCII', 'DATASET UNSTRUCTURED_GRID', `POINTS ${shape.points.length} double`,
        ...shape.points.map((p) => p.join(' ')), `CELLS ${shape.tetrahedra.length} ${5 * shape.tetrahedra.length}`,
        ...shape.tetrahedra.map((t) => `4 ${t.join(' ')}`), `CELL_TYPES ${shape.tetrahedra.length}`, ...shape.tetrahedra.map(() => '10')];
    writeFileSync(join(folder, `${name}.vtk`), vtk.join('\n') + '\n');
    const z = SIDE / 2 + CLEAR;
    const scene = `title: ${name}
world: {dt: ${DT}, contact: sap}
materials: {foam: {young: ${YOUNG.toExponential()}, poisson: ${POISSON}, density: ${DENSITY}, friction: 0.5}}
solids: [{name: it, material: foam, file: {path: ${name}.vtk}, position: [0, 0, ${z}], damping: {stiffness: ${DAMPING}}}]
rigid_bodies: [{name: ground, motion: static, material: foam, shapes: [{half_space: {}}]}]
probes: {${shape.points.map((_, k) => `p${k}: {solid_vertex_position: {solid: it, vertex: ${k}}}`).join(', ')}}
duration: ${SECONDS}
`;
    writeFileSync(join(folder, `${name}.yaml`), scene);
    // processor time of the whole program, less that of a run of one step: reading the scene takes a part of it
    const run = (seconds) => {
        const { stdout, stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT=%U; time "$@" 2>/dev/null', 'bash', filum, 'run', join(folder, `${name}.yaml`), '--json', '--duration', String(seconds)], { encoding: 'utf8', maxBuffer: 1 << 24 });
        return { ...JSON.parse(stdout), user: Number(stderr.trim().split('\n').pop()) };
    };
    let best = Infinity, height;
    for (let round = 0; round < ROUNDS; round++) {
        const out = run(SECONDS), first = run(DT);
        best = Math.min(best, (1e3 * (out.user - first.user)) / (out.steps - first.steps));
        height = meanHeight(Object.entries(out.probes).filter(([key]) => key.endsWith('_z')).map(([, z]) => z));
    }
    return { best, height };
}

function runMujoco(shape) {
    const xml = `<mujoco><option timestep="${DT}" gravity="0 0 -${GRAVITY}" integrator="discrete" solver="Newton" tolerance="1e-8"/><size memory="400M"/>
<worldbody><geom type="plane" size="1 1 1" friction="0.5 0 0"/>
<flexcomp name="it" type="direct" dim="3" mass="${DENSITY * volume(shape)}" radius="0.0005" pos="0 0 ${SIDE / 2 + CLEAR}"
 point="${shape.points.flat().join(' ')}" element="${shape.tetrahedra.flat().join(' ')}">
<contact selfcollide="none"/><elasticity young="${YOUNG}" poisson="${POISSON}" damping="${DAMPING}"/></flexcomp></worldbody></mujoco>`;
    const model = mujoco.MjModel.from_xml_string(xml);
    const steps = Math.round(SECONDS / DT);
    let best = Infinity, height;
    for (let round = 0, spent = 0; round < ROUNDS && spent < 1e3 * PATIENCE; round++) {
        const data = new mujoco.MjData(model);
        const start = process.cpuUsage();
        for (let k = 0; k < steps; k++) {
            mujoco.mj_step(model, data);
        }
        const took = process.cpuUsage(start).user / 1e3;
        best = Math.min(best, took / steps);
        spent += took;
        height = meanHeight(Array.from(data.flexvert_xpos).filter((_, k) => k % 3 === 2));
        data.delete();
    }
    model.delete();
    return { best, height };
}

console.log(`MuJoCo ${version} (WebAssembly), flex, dt ${1e3 * DT} ms, ${SECONDS} s`);
console.log('| | vertices | elements | ms a step | MuJoCo | ratio | comes to rest, mean height, mm | MuJoCo |');
console.log('|---|---|---|---|---|---|---|---|');
for (const [name, n, round] of [['block', 4, false], ['fine_block', 7, false], ['ball', 6, true]]) {
    const shape = mesh(n, round), ours = runFilum(name, shape), theirs = runMujoco(shape);
    console.log(`| ${name} | ${shape.points.length} | ${shape.tetrahedra.length} | ${ours.best.toPrecision(3)} | ${theirs.best.toPrecision(3)} | ` +
        `${(theirs.best / ours.best).toPrecision(2)} | ${(1e3 * ours.height).toFixed(3)} | ${(1e3 * theirs.height).toFixed(3)} |`);
}
