// kinds.js FILUM SCENE CHROMIUM: the pointer takes hold of a solid, cloth, a hoop, a ring and a robot's link; held at rest
// each pulls back with the force that statics asks for.
import assert from 'node:assert/strict';
import { PORT, errors, launch, open, start, wait } from './browser.js';

const [filum, scene, executablePath] = process.argv.slice(2);
const GRAVITY = 10; // m/s2, as in the scene
const REST = 3; // s until everything hangs still

// what is pressed, where its pointer goes (m), and what the force comes to at rest: measured, expected
const weighs = (mass) => ({ pull }) => [pull[2], mass * GRAVITY];
const slope = [0.8, 0, -0.6]; // along the bar that carries the ring
const hinge = [1.3, 0.3]; // x, z
const kinds = [
  { name: 'cube', press: [-0.5, -0.05, 0], to: [0, 0, 0.15], force: weighs(0.2) },
  { name: 'cloth', press: [-0.19, 0, -0.09], to: [0, 0, 0.15], force: weighs(0.032) },
  { name: 'rim', press: [0.3, 0, 0.1111], to: [0, 0, 0.1], force: weighs(0.5) },
  { name: 'ring', press: [0.8, 0, 0], to: [-0.08, 0, 0.06], force: ({ pull }) => [-pull[0] * slope[0] - pull[2] * slope[2], 0.2 * GRAVITY * 0.6] },
  // torques about the hinge: of the weight in the bar's middle, and of the pull where the bar is held
  { name: 'pendulum', press: [1.3, 0, -0.5], to: [0.3, 0, 0], force: ({ pull, hand, angle }) => [(hand[0] - hinge[0]) * pull[2] - (hand[2] - hinge[1]) * pull[0], 0.5 * GRAVITY * Math.sin(angle)] },
];

const project = (page, point) => page.evaluate((x) => window.filum.project(x), point);

async function holdAndWeigh(page, { name, press, to, force }) {
  await page.keyboard.press('r');
  await wait(page, () => window.filum.state.frame.time === 0);
  const [x, y] = await project(page, press);
  const [x1, y1] = await project(page, press.map((value, k) => value + to[k]));
  await page.mouse.move(x, y);
  await wait(page, (n) => document.getElementById('name').textContent.split(':')[0] === n, name);
  await page.mouse.down();
  await page.mouse.move(x1, y1, { steps: 4 });
  await page.keyboard.press('Space');
  await wait(page, (t) => window.filum.state.frame.time > t, REST);
  const state = await page.evaluate(() => {
    const { numbers, probes } = window.filum.state.frame;
    return { hand: [...numbers.subarray(0, 3)], pull: [...numbers.subarray(3, 6)], angle: -probes[0] };
  });
  await page.mouse.up();
  await page.keyboard.press('Space');
  await wait(page, () => !window.filum.state.frame.runs);
  const [measured, expected] = force(state);
  console.log(`${name} is held with ${measured.toFixed(4)} of ${expected.toFixed(4)}, ${(100 * Math.abs(measured / expected - 1)).toFixed(3)} % off`);
  assert.ok(Math.abs(measured / expected - 1) < 0.01, `${name} is held with ${measured}, expected is ${expected}: ${JSON.stringify(state)}`);
}

const browser = await launch(executablePath);
const program = start(filum, ['view', scene, '--paused', '--speed', '4', '--port', String(PORT)]);
try {
  await program.ready;
  const page = await open(browser, { width: 500, height: 320 }, '#bare');
  for (const kind of kinds) {
    await holdAndWeigh(page, kind);
  }
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
  await program.stop();
}
