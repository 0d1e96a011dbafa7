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
// a strip: pictures side by side, at times or evenly
for (const [times, width] of [['0,0.1,0.2', 960], ['2', 640]]) {
  render(`${folder}/strip.png`, '--strip', times, '--duration', '0.2', '--fps', '20', '--view', '0.2,-1,0.3');
  assert.deepEqual(size(readFileSync(`${folder}/strip.png`)), [width, 200]);
}
for (const [options, why] of [[['--strip', '0,2,1'], /increase/], [['--strip', '0.5'], /number of pictures/], [['--strip', '17'], /from 1 to 16/], [['--strip', 'x'], /neither/], [['--view', 'below'], /direction/]]) {
  const refused = spawnSync(filum, ['render', scene, '--out', `${folder}/strip.png`, ...options], { env, encoding: 'utf8' });
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, why);
}
// films need ffmpeg; where it is not there nothing is left behind
const film = spawnSync(filum, ['render', scene, '--quiet', '--size', '320x200', '--out', `${folder}/film.mp4`, '--duration', '0.2', '--fps', '20'], { env, encoding: 'utf8' });
const has = spawnSync('ffmpeg', ['-version']).status === 0;
assert.equal(film.status, has ? 0 : 1, film.stderr);
assert.equal(existsSync(`${folder}/film.mp4`), has);
assert.ok(!existsSync(`${folder}/.part.film.mp4`));
console.log(`pictures are drawn${has ? ', films too' : ''}`);
