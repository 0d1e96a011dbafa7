// check.js FILUM SCHEMA SCENES: every scene is good by the schema; scenes made wrong are refused by it, and schema and reader agree about
// values of other types, keys that are missing and keys that nobody knows.
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import YAML from 'yaml';

const [filum, schemaPath, folder] = process.argv.slice(2);
const ajv = new Ajv({strict: true, strictRequired: false, allowUnionTypes: true, allErrors: false});
const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')));
let faults = 0;

function fault(text) {
    console.error(text);
    faults += 1;
}

// ---- all scenes ----

const scenes = readdirSync(folder).filter((name) => name.endsWith('.yaml')).sort();
const documents = new Map();
for (const name of scenes) {
    const document = YAML.parse(readFileSync(join(folder, name), 'utf8'));
    documents.set(name, document);
    if (!validate(document)) {
        fault(`${name}: refused: ${ajv.errorsText(validate.errors)}`);
    }
}
if (scenes.length < 50) {
    fault(`only ${scenes.length} scenes are in ${folder}`);
}

// ---- scenes that are wrong ----

const base = `
materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}
rods: [{name: r, material: rubber, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 11}}}]
`;
const wrong = {
    'a section nobody knows': 'rodz: []',
    'a key nobody knows': base.replace('radius', 'raduis'),
    'a text for a number': base.replace('radius: 0.01', 'radius: thick'),
    'a negative radius': base.replace('radius: 0.01', 'radius: -0.01'),
    'half a node': base.replace('nodes: 11', 'nodes: 10.5'),
    'two coordinates': base.replace('[1, 0, 0]', '[1, 0]'),
    'no shape': base.replace(/, shape: .*\}\}\}/, '}'),
    'two shapes': base.replace('shape: {', 'shape: {ring: {radius: 1, nodes: 9}, '),
    'a list for a mapping': base.replace('{circle: {radius: 0.01}}', '[circle]'),
    'an unknown contact model': `world: {contact: sapp}${base}`,
    'an unknown integrator': `world: {integrator: euler}${base}`,
    'an unknown quantity': `${base}probes: {p: {positon: {rod: r, node: 0}}}`,
    'a name with a space': base.replace('name: r,', 'name: a rod,'),
    'a drive without a script': `${base}drives: [{rod: r, node: 0}]`,
    'an attachment of two kinds': `${base}attachments: [{pin: {rod: r, node: 0}, clamp: {rod: r, node: 0}}]`,
};
if (!validate(YAML.parse(base))) {
    fault(`the scene that others are made from is refused: ${ajv.errorsText(validate.errors)}`);
}
for (const [what, text] of Object.entries(wrong)) {
    if (text === base) {
        fault(`${what}: nothing was made wrong`);
    } else if (validate(YAML.parse(text))) {
        fault(`${what}: accepted`);
    }
}

// ---- the reader's word on scenes made wrong at every key once ----

// What the reader says of each of some documents: '' if it is good. Many at once, as starting a program costs more than reading a scene.
// They lie beside the scenes, whose files they name.
const headline = /^made_wrong_(\d+)\b/gm;
function reader(some) {
    const paths = some.map((document, k) => join(folder, `made_wrong_${k}.yaml`));
    some.forEach((document, k) => writeFileSync(paths[k], YAML.stringify(document)));
    const run = spawnSync(filum, ['info', ...paths], {encoding: 'utf8', timeout: 120000, maxBuffer: 1 << 30});
    paths.forEach((path) => rmSync(path));
    const good = new Set([...run.stdout.matchAll(headline)].map((match) => Number(match[1])));
    const words = run.stderr.split('\n').filter((line) => line.startsWith('filum info: '));
    if (good.size + words.length !== some.length) {
        throw new Error(`of ${some.length} scenes ${good.size} are good and ${words.length} bad (${run.signal ?? run.status}): ${run.stderr}`);
    }
    return some.map((document, k) => good.has(k) ? '' : words.shift());
}

// where each kind of key stands first, in scenes that load at once
const places = new Map();
function visit(node, path, kind, name) {
    if (Array.isArray(node)) {
        const k = node.findIndex((child) => child?.repeat === undefined); // copies may be none
        if (k >= 0) {
            visit(node[k], [...path, k], kind, name);
        }
    } else if (node !== null && typeof node === 'object') {
        for (const [key, child] of Object.entries(node)) {
            const named = ['.materials', '.probes'].includes(kind);
            if (kind.endsWith('.parameters') || kind.endsWith('.joints') && kind.includes('poses')) {
                continue;
            }
            const own = named ? `${kind}.*` : `${kind}.${key}`;
            if (!places.has(own)) {
                places.set(own, {name, path: [...path, key]});
            }
            visit(child, [...path, key], own, name);
        }
    }
}
const quick = [];
for (const [name, document] of documents) {
    const start = process.hrtime.bigint();
    const [word] = reader([document]);
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    if (word === '') {
        quick.push({name, ms});
    }
}
quick.sort((a, b) => a.ms - b.ms);
const times = new Map();
for (const {name, ms} of quick) {
    visit(documents.get(name), [], '', name);
    times.set(name, ms);
}

// what a schema can know; the rest (names of objects, sizes that must fit) only the reader does
const structural = /: (expected (a |true)|unknown key|missing$|one of these is missing|only one of|must (not )?be (positive|negative))/;
const others = {text: 'some words', number: 0.5, mapping: {nobody_knows: 1}, negative: -1, absent: undefined};
// needed by what stands beside them, and so more than the schema says: a file that is included may have what is missing of a mapping, a
// rod may be one of several, a range or a box may stand for a node, laws of materials and ends of joints have needs of their own
const excused = new RegExp([
    '^\\.(materials|plan|task|probes)\\.', '\\.rings\\.rod$', '\\.rings\\.node\\.(node|vertex)$', '\\.pin\\.(node|nodes|vertex|vertices|point)$',
    '\\.mooney_rivlin$', '\\.(bushing|hinge|slider|weld|ball)\\.point$', '\\.attach\\.node$', '\\.a\\.(within|node|vertex)$',
    '\\.trajectories\\.(joints|points|link|poses)$',
].join('|'));
const questions = [];
for (const [kind, {name, path}] of places) {
    for (const [what, value] of Object.entries(others)) {
        const document = structuredClone(documents.get(name));
        let parent = document;
        for (const part of path.slice(0, -1)) {
            parent = parent[part];
        }
        const key = path.at(-1), number = typeof parent[key] === 'number';
        if (times.get(name) > 5 * quick[0].ms && !['mapping', 'absent'].includes(what)) {
            continue; // scenes that take their time to load are asked less
        }
        if (what === 'number' && number || what === 'negative' && !number || what === 'text' && typeof parent[key] === 'string') {
            continue;
        }
        if (value === undefined) {
            delete parent[key];
        } else {
            parent[key] = value;
        }
        questions.push({name, kind, what, document});
    }
}
for (let from = 0; from < questions.length; from += 100) {
    const some = questions.slice(from, from + 100);
    const words = reader(some.map(({document}) => document));
    some.forEach(({name, kind, what, document}, k) => {
        const bySchema = validate(document);
        if (!bySchema && words[k] === '') {
            fault(`${name}${kind} as ${what}: only the schema refuses: ${ajv.errorsText(validate.errors)}`);
        } else if (bySchema && structural.test(words[k]) && !(what === 'absent' && excused.test(kind))) {
            fault(`${name}${kind} as ${what}: only the reader refuses: ${words[k]}`);
        }
    });
}
console.log(`${scenes.length} scenes, ${Object.keys(wrong).length} wrong ones; ${places.size} keys, ${questions.length} questions to the reader`);
process.exit(faults > 0 ? 1 : 0);
