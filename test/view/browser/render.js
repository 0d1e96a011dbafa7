// render.js FILUM SCENE CHROMIUM FOLDER: pictures of a run are there, of the size and number asked for, and show the rope where it is.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';

const [filum, scene, browser, folder] = process.argv.slice(2);
const env = { ...process.env, FILUM_BROWSER: browser };
const render = (out, ...options) => execFileSync(filum, ['render', scene, '--quiet', '--size', '320x200', '--out', out, ...options], { env });
const size = (png) => [16, 20].map((at) => png.readUInt32BE(at));

rmSync(`${folder}/pictures`, { recursive: true, force: true });
render(`${folder}/picture.png`, '--time', '0');
const picture = readFileSync(`${folder}/picture.png`);
assert.deepEqual(size(picture), [320, 200]);
render(`${folder}/pictures`, '--duration', '0.2', '--fps', '20', '--set', 'fz=0.05');
const names = readdirSync(`${folder}/pictures`).sort();
assert.deepEqual(names, ['00000.png', '00001.png', '00002.png', '00003.png', '00004.png']);
const [first, last] = [names[0], names[4]].map((name) => readFileSync(`${folder}/pictures/${name}`));
assert.deepEqual(size(first), [320, 200]);
assert.ok(!first.equals(last), 'the rod is bent by its force, and the pictures are the same');
assert.ok(first.equals(picture), 'the same state is drawn in two ways');
// films need ffmpeg; where it is not there nothing is left behind
const film = spawnSync(filum, ['render', scene, '--quiet', '--size', '320x200', '--out', `${folder}/film.mp4`, '--duration', '0.2', '--fps', '20'], { env, encoding: 'utf8' });
const has = spawnSync('ffmpeg', ['-version']).status === 0;
assert.equal(film.status, has ? 0 : 1, film.stderr);
assert.equal(existsSync(`${folder}/film.mp4`), has);
assert.ok(!existsSync(`${folder}/.part.film.mp4`));
console.log(`pictures are drawn${has ? ', films too' : ''}`);
