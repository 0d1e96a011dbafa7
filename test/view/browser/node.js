// node.js FILUM NODE SCENE CHROMIUM FOLDER: the page that the node serves. What it asks for is seen by the node's graph, and the other way
// round; what it pulls on and what its sliders set is recorded, and a recording repeats it.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { PORT, errors, graph, launch, open, start, wait } from './browser.js';

const [filum, node, scene, executablePath, folder] = process.argv.slice(2);
const { env, ask } = graph(filum);
const serve = (...parameters) => start(node, ['--ros-args', '-p', `scene:=${scene}`, '-p', `view_port:=${PORT}`, ...parameters.flatMap((p) => ['-p', p])], /look at it/, env);

const bag = `${folder}/pulled.mcap`;
rmSync(bag, { force: true });

// takes hold of the rod's tip, draws it up while time goes on, and lets go
async function pull(page) {
  const tip = await page.evaluate(() => {
    const { nodes } = window.filum.state.description.objects[0].curve;
    const at = (i, k) => window.filum.state.frame.numbers[6 + 3 * i + k];
    return window.filum.project([0, 1, 2].map((k) => 0.8 * at(nodes - 1, k) + 0.2 * at(nodes - 2, k)));
  });
  await page.mouse.move(...tip);
  await page.mouse.down();
  await page.mouse.move(tip[0], tip[1] - 60, { steps: 4 });
  await page.keyboard.press('Space');
  await wait(page, () => window.filum.state.frame.time > 0.3 && Math.hypot(...window.filum.state.frame.numbers.subarray(3, 6)) > 0);
  await page.mouse.up();
  await wait(page, () => window.filum.state.frame.time > 0.5 && Math.hypot(...window.filum.state.frame.numbers.subarray(3, 6)) === 0);
}

// sliders of a chamber and of a joint
async function slide(page) {
  await page.click('#show-controls');
  for (const [title, value] of [['chamber 0', 4000], ['p_swing', 0.4]]) {
    await page.evaluate(([t, v]) => {
      const input = document.querySelector(`#controls input[title="${t}"]`);
      input.value = String(v);
      input.oninput();
    }, [title, value]);
  }
  await page.click('#show-controls');
}

const browser = await launch(executablePath);
let program = serve('start_paused:=true', `record:=${bag}`);
try {
  await program.ready;
  const page = await open(browser);
  await page.click('#step');
  await wait(page, () => window.filum.state.frame.time > 0 && !window.filum.state.frame.runs);
  await slide(page);
  await pull(page);
  const [pressure, , , angle] = await page.evaluate(() => [...window.filum.state.frame.probes]);
  assert.equal(pressure, 4000);
  assert.ok(angle > 0.2, `the joint is at ${angle} rad`);
  await page.keyboard.press('Space');
  await wait(page, () => !window.filum.state.frame.runs);
  // the page sets parameters
  await page.selectOption('#model', 'ipc');
  await wait(page, () => window.filum.state.description.contact_model === 'ipc');
  assert.match(ask('param', 'get', '/filum', 'contact_model'), /ipc/);
  await page.selectOption('#speed', '2');
  // the graph steers what the page shows
  ask('service', 'call', '/filum/pause', 'std_srvs/SetBool', '{data: false}');
  await wait(page, () => window.filum.state.frame.runs && window.filum.state.frame.time > 0.1);
  assert.match(ask('param', 'get', '/filum', 'real_time_factor'), /2/);
  await page.click('#play');
  await wait(page, () => !window.filum.state.frame.runs);
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
  // the node restarts: the page comes back by itself
  await program.stop();
  const replayed = ask('bag', 'replay-check', bag);
  assert.match(replayed, /; [1-9]\d* commands/);
  assert.doesNotMatch(replayed, /not to be repeated/);
  const recorded = ask('bag', 'info', bag);
  ['pulls', 'chamber_commands', 'joint_commands'].forEach((topic) => assert.match(recorded, new RegExp(topic)));
  await wait(page, () => !document.getElementById('link').classList.contains('up'));
  program = serve('view_read_only:=true');
  await program.ready;
  await wait(page, () => document.getElementById('link').classList.contains('up') && window.filum.state.frame?.time > 0.05);
  // one that only shows says so, and does not obey
  await wait(page, () => document.getElementById('reset').disabled);
  await page.keyboard.press('r');
  const before = await page.evaluate(() => window.filum.state.frame.time);
  await wait(page, (t) => window.filum.state.frame.time > t + 0.1, before);
  assert.deepEqual(errors, []);
  console.log('the node and its page agree');
} finally {
  await browser.close();
  await program.stop();
}
