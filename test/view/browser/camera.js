// What a user does with the camera: it must stand where the gesture says, and the rope must be drawn where a camera there sees it.
import assert from 'node:assert/strict';
import { wait } from './browser.js';

const FIELD = (35 * Math.PI) / 180; // of view, from below to above
const VIEWS = { 1: [0.25, -1, 0.35], 2: [1, 0, 0.2], 3: [0, -1e-3, 1] };
const EMPTY = [0.72, 0.72]; // of the page, where nothing is drawn and no pane lies
const GLIDE = 1e-5; // m that the camera may have left to glide when it is taken to rest

const minus = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.sqrt(dot(a, a));
const unit = (a) => a.map((x) => x / length(a));

// where the camera comes to rest, as seen from what it looks at: how far, and by which angles
async function rest(page) {
  await wait(page, () => {
    const { camera, controls } = window.filum;
    const now = [...camera.position.toArray(), ...controls.target.toArray()];
    const moved = Math.max(...now.map((x, k) => Math.abs(x - (window.filum.before?.[k] ?? Infinity))));
    window.filum.before = now;
    return moved < 1e-7; // m; angles are rounded anew at each picture
  });
  const { position, target } = await page.evaluate(() => ({ position: window.filum.camera.position.toArray(), target: window.filum.controls.target.toArray() }));
  const from = minus(position, target);
  return { position, target, distance: length(from), azimuth: Math.atan2(from[1], from[0]), polar: Math.acos(from[2] / length(from)) };
}

// pixels of a point, by the pinhole's own equations
function expect({ position, target }, point, { width, height }) {
  const back = unit(minus(position, target));
  const right = unit(cross([0, 0, 1], back));
  const seen = minus(point, position);
  const scale = height / 2 / Math.tan(FIELD / 2) / -dot(seen, back);
  return [width / 2 + scale * dot(seen, right), height / 2 - scale * dot(seen, cross(back, right))];
}

async function drag(page, from, by, button) {
  await page.mouse.move(...from);
  await page.mouse.down({ button });
  await page.mouse.move(from[0] + by[0], from[1] + by[1], { steps: 4 });
  await page.mouse.up({ button });
}

const near = (value, expected, tolerance, what) => assert.ok(Math.abs(value - expected) <= tolerance, `${what}: ${value}, expected is ${expected} +- ${tolerance}`);

// seen(page): whether the rope is drawn where the page's own project() says
export async function testCamera(page, seen) {
  const size = page.viewportSize();
  const empty = [EMPTY[0] * size.width, EMPTY[1] * size.height];
  const nodes = () => page.evaluate(() => Array.from({ length: 41 }, (_, i) => [0, 1, 2].map((k) => window.filum.state.frame.numbers[6 + 3 * i + k])));
  const check = async (pose, what) => {
    const [point] = (await nodes()).slice(20);
    const [x, y] = expect(pose, point, size);
    const [u, v] = await page.evaluate((p) => window.filum.project(p), point);
    assert.ok(Math.hypot(x - u, y - v) < 0.5, `${what}: a point is seen at ${[x, y]}, drawn at ${[u, v]}`);
    await seen(page);
  };
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
  // a drag by the page's height turns once around
  let before = await rest(page);
  await drag(page, empty, [60, 24], 'left');
  let now = await rest(page);
  const turned = ((now.azimuth - before.azimuth + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
  near(turned, (-2 * Math.PI * 60) / size.height, 0.01, 'orbit, azimuth');
  near(now.polar - before.polar, (-2 * Math.PI * 24) / size.height, 0.01, 'orbit, polar angle');
  near(now.distance, before.distance, GLIDE, 'orbit, distance');
  near(length(minus(now.target, before.target)), 0, GLIDE, 'orbit, target');
  await check(now, 'orbit');
  // what was in the middle goes with the pointer
  before = now;
  await drag(page, empty, [-40, -50], 'right');
  now = await rest(page);
  const [x, y] = expect(now, before.target, size);
  near(x, size.width / 2 - 40, 0.5, 'pan, px to the right');
  near(y, size.height / 2 - 50, 0.5, 'pan, px down');
  near(now.distance, before.distance, GLIDE, 'pan, distance');
  await check(now, 'pan');
  // the wheel comes nearer or goes away along the line of sight
  before = now;
  await page.mouse.wheel(0, -150);
  await wait(page, (d) => window.filum.camera.position.distanceTo(window.filum.controls.target) < d, 0.97 * before.distance);
  now = await rest(page);
  near(now.polar, before.polar, 1e-4, 'zoom, polar angle');
  near(length(minus(now.target, before.target)), 0, GLIDE, 'zoom, target');
  await check(now, 'zoom');
  // preset views, all of it in the picture
  for (const [key, direction] of Object.entries(VIEWS)) {
    await page.keyboard.press(key);
    now = await rest(page);
    near(dot(unit(minus(now.position, now.target)), unit(direction)), 1, 1e-9, `view ${key}`);
    (await nodes()).forEach((point) => {
      const [u, v] = expect(now, point, size);
      assert.ok(u > 0 && u < size.width && v > 0 && v < size.height, `view ${key}: ${point} is at ${[u, v]}`);
    });
  }
  // to fit everything in again the direction stays
  await page.click('[data-view=front]');
  const front = await rest(page);
  await page.mouse.move(...empty);
  await page.mouse.wheel(0, 900);
  await wait(page, (d) => window.filum.camera.position.distanceTo(window.filum.controls.target) > d, 1.2 * front.distance);
  await page.keyboard.press('f');
  now = await rest(page);
  near(length(minus(now.position, front.position)), 0, GLIDE, 'fit');
  await follow(page, nodes, now);
  await check(await rest(page), 'follow');
}

// the camera keeps its distance and direction from the middle of what it follows
async function follow(page, nodes, before) {
  await page.selectOption('#follow', 'beam');
  await page.click('#play');
  await wait(page, () => window.filum.state.frame.time > 0.3);
  await page.click('#play');
  await wait(page, () => !window.filum.state.frame.runs);
  const now = await rest(page);
  const list = await nodes();
  const middle = [0, 1, 2].map((k) => (Math.max(...list.map((p) => p[k])) + Math.min(...list.map((p) => p[k]))) / 2);
  assert.ok(length(minus(middle, before.target)) > 0.01, 'the rope did not move');
  near(length(minus(now.target, middle)), 0, 2.83e-3, 'follow, m from the middle'); // the tube's ends, of 4 mm radius, are tilted: half of that, along two axes
  near(length(minus(minus(now.position, now.target), minus(before.position, before.target))), 0, GLIDE, 'follow, the line of sight');
  await page.selectOption('#follow', '');
}
