// page.js FILUM SCENE CHROMIUM FOLDER: what a user does with the page, and whether it is true. Pictures go to FOLDER.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { PORT, errors, launch, open, start, wait } from './browser.js';
import { testCamera } from './camera.js';

const [filum, scene, executablePath, folder] = process.argv.slice(2);
const view = (...options) => start(filum, ['view', scene, '--port', String(PORT), ...options]);

function tipOfRun(force, ...options) {
  const settings = ['x', 'y', 'z'].flatMap((axis, i) => ['--set', `f${axis}=${force[i]}`]);
  const text = execFileSync(filum, ['run', scene, '--quiet', '--csv', '-', ...settings, ...options], { encoding: 'utf8' });
  return text.trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
}

// ---- the page ----

const frame = (page) => page.evaluate(() => {
  const { time, runs, rate, numbers, probes } = window.filum.state.frame;
  return { time, runs, rate, hand: [...numbers.subarray(0, 3)], pull: [...numbers.subarray(3, 6)], nodes: [...numbers.subarray(6, 6 + 3 * 41)], probes: [...probes] };
});
const project = (page, point) => page.evaluate((x) => window.filum.project(x), point);

// where the rope, which is not of the colour of the corner, lies on the column of pixels through a point of its middle
async function ropeAt(page, x, y) {
  return page.evaluate(([px, py]) => {
    const canvas = document.querySelector('#stage canvas');
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const paint = copy.getContext('2d');
    paint.drawImage(canvas, 0, 0);
    const ratio = canvas.width / innerWidth;
    const paper = paint.getImageData(2, 2, 1, 1).data;
    const rows = [];
    for (let dy = Math.max(-60, -Math.floor(py)); dy <= 60 && py + dy < innerHeight - 1; dy++) {
      const [r, g, b] = paint.getImageData(Math.round(px * ratio), Math.round((py + dy) * ratio), 1, 1).data;
      if (Math.abs(r - paper[0]) + Math.abs(g - paper[1]) + Math.abs(b - paper[2]) > 40) {
        rows.push(dy);
      }
    }
    return rows.length > 0 ? { middle: (rows[0] + rows[rows.length - 1]) / 2, rows: rows.length } : null;
  }, [x, y]);
}

// ---- what must hold ----

async function testPixels(page) {
  // the newest frame is on the canvas two pictures later, at its best once nothing moves
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  await wait(page, () => window.filum.quality.mode === 'fast' || window.filum.quality.rests);
  const { nodes } = await frame(page);
  const { width, height } = page.viewportSize();
  let seen = 0;
  for (const node of [5, 12, 20, 28, 35]) {
    const [x, y] = await project(page, nodes.slice(3 * node, 3 * node + 3));
    if (Math.min(x, width - x, y, height - y) < 30) {
      continue; // out of the picture, or at its edge
    }
    seen += 1;
    const rope = await ropeAt(page, x, y);
    assert.ok(rope !== null && rope.rows > 4, `no rope at node ${node}`);
    // across the rope, which may slope where the column meets it
    const [[x0, y0], [x1, y1]] = await Promise.all([node - 1, node + 1].map((k) => project(page, nodes.slice(3 * k, 3 * k + 3))));
    const off = (rope.middle * (x1 - x0)) / Math.hypot(x1 - x0, y1 - y0);
    assert.ok(Math.abs(off) <= 2, `node ${node} is drawn ${off} px off, ${rope.rows} px thick, from ${[x0, y0]} to ${[x1, y1]}`);
  }
  assert.ok(seen >= 2, `${seen} nodes are in the picture`);
}

// at the fastest quality fewer pixels are drawn, at the right places; at the best all of them, and by itself the best when it rests
async function testQuality(page) {
  const drawn = () => page.evaluate(() => document.querySelector('#stage canvas').width / innerWidth);
  await wait(page, () => window.filum.quality.rests);
  assert.equal(await drawn(), 1);
  await page.selectOption('#quality', 'fast');
  await wait(page, () => window.filum.quality.shown === 5);
  assert.equal(await drawn(), 0.5);
  await testPixels(page);
  await page.selectOption('#quality', 'best');
  await page.click('#play');
  await wait(page, () => window.filum.state.frame.time > 0.1);
  assert.deepEqual([await drawn(), await page.evaluate(() => window.filum.quality.shown)], [1, 0]);
  await page.selectOption('#quality', 'auto');
  await wait(page, () => window.filum.quality.pace.level > 0 || window.filum.quality.pace.rate > 50); // it keeps up or draws less
  await page.click('#play');
  await wait(page, () => !window.filum.state.frame.runs && window.filum.quality.rests);
  assert.equal(await drawn(), 1);
  await testPixels(page);
  // what has not moved is not uploaded again (another level would cut tubes anew)
  await page.selectOption('#quality', 'best');
  const uploaded = () => page.evaluate(() => [window.filum.quality.pictures, window.filum.state.bodies.parts[0].tube.position.version]);
  const [pictures, version] = await uploaded();
  await page.click('#frames');
  await wait(page, (before) => window.filum.quality.pictures > before, pictures);
  assert.equal((await uploaded())[1], version);
  await page.click('#frames');
  await page.click('#reset'); // by now the rod may have come to rest
  await wait(page, () => window.filum.state.frame.time === 0);
  const [, began] = await uploaded();
  await page.click('#step');
  await wait(page, (before) => window.filum.state.bodies.parts[0].tube.position.version > before, began);
  await page.selectOption('#quality', 'auto');
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
}

async function testTime(page) {
  assert.equal((await frame(page)).runs, false);
  await page.click('#step');
  await wait(page, () => Math.abs(window.filum.state.frame.time - 0.004) < 1e-9);
  await page.keyboard.press('Space');
  await wait(page, () => window.filum.state.frame.runs && window.filum.state.frame.time > 0.5);
  await page.click('#play');
  await wait(page, () => !window.filum.state.frame.runs);
  const stopped = await frame(page);
  await sleep(300);
  assert.equal((await frame(page)).time, stopped.time);
  // the recent past
  const past = await page.evaluate(() => {
    const slider = document.getElementById('past');
    slider.value = '3';
    slider.oninput();
    return window.filum.state.past[3].time;
  });
  await wait(page, (t) => document.getElementById('time').textContent === `t = ${t.toFixed(3)} s`, past);
  await page.click('#live');
  await wait(page, (t) => document.getElementById('time').textContent === `t = ${t.toFixed(3)} s`, stopped.time);
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
}

// the probes that a page plots are the rows of a run
async function testPlots(page) {
  await page.click('#play');
  await wait(page, () => window.filum.state.frame.time > 1);
  await page.click('#play');
  await wait(page, () => !window.filum.state.frame.runs);
  const data = await page.evaluate(() => window.filum.plots.data);
  const rows = tipOfRun([0, 0, 0.05], '--duration', '1.2', '--set', 'output_period=0.004');
  assert.ok(data[0].length > 20);
  data[0].forEach((time, i) => {
    const row = rows.find((r) => Math.abs(r[0] - time) < 1e-9);
    [1, 2, 3].forEach((k) => row && assert.ok(Math.abs(row[k] - data[k][i]) <= 1e-12, `probe ${k} at ${time}`));
  });
}

// pulled aside by the pointer the tip comes to rest where the same force, by a drive, puts it
async function testPull(page) {
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
  const { nodes } = await frame(page);
  const [x, y] = await project(page, [0, 1, 2].map((k) => 0.8 * nodes[3 * 40 + k] + 0.2 * nodes[3 * 39 + k])); // the last node is nearest
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 10, y - 110, { steps: 8 });
  await page.keyboard.press('Space');
  await wait(page, () => window.filum.state.frame.runs);
  await wait(page, () => window.filum.state.frame.time > 6);
  const held = await frame(page);
  const force = Math.hypot(...held.pull);
  assert.ok(force > 1e-3, `it pulls with ${force} N`);
  return held;
}

// a parameter's slider makes the world anew; so does another text, and one that is wrong is refused at its line
async function testChanges(page) {
  await page.click('#show-controls');
  await page.evaluate(() => {
    const input = document.querySelector('#controls input[title=fz]');
    input.value = '0.05';
    input.oninput();
  });
  await wait(page, () => window.filum.state.description.parameters.find(({ name }) => name === 'fz').value === 0.05);
  await page.click('#show-editor');
  const text = await page.inputValue('#source');
  await page.fill('#source', text.replace('nodes: 41', 'nodes: 41, knots: 3'));
  await page.click('#run-source');
  await wait(page, () => !document.getElementById('message').hidden);
  const line = text.slice(0, text.indexOf('nodes: 41')).split('\n').length;
  assert.match(await page.textContent('#message'), new RegExp(`:${line}: .*knots`));
  const chosen = await page.evaluate(() => {
    const area = document.getElementById('source');
    return area.value.slice(area.selectionStart, area.selectionEnd);
  });
  assert.match(chosen, /nodes: 41, knots: 3/);
  await page.fill('#source', text.replace('A rod to pull on', 'Another rod'));
  await page.keyboard.press('Control+Enter');
  await wait(page, () => document.getElementById('title').textContent === 'Another rod' && document.getElementById('message').hidden);
  await page.click('#show-editor');
}

const browser = await launch(executablePath);
let program = view('--paused', '--set', 'fz=0.05');
try {
  await program.ready;
  const page = await open(browser);
  await testPixels(page);
  await testQuality(page);
  await testTime(page);
  await testPlots(page);
  const second = await open(browser, { width: 760, height: 420 });
  await testPixels(second);
  await testCamera(second, testPixels);
  await page.screenshot({ path: `${folder}/page.png` });
  // another program takes the port over: the pages come back by themselves
  await program.stop();
  await wait(page, () => !document.getElementById('link').classList.contains('up'));
  program = view('--paused', '--speed', '4');
  await program.ready;
  await wait(page, () => document.getElementById('link').classList.contains('up') && window.filum.state.frame?.time === 0);
  await second.close();
  const held = await testPull(page);
  await page.screenshot({ path: `${folder}/pull.png` });
  await page.mouse.up();
  await wait(page, () => Math.hypot(...window.filum.state.frame.numbers.subarray(3, 6)) === 0);
  const tip = tipOfRun(held.pull, '--duration', '6').pop().slice(1);
  const moved = Math.hypot(held.probes[0] - 0.3, held.probes[1], held.probes[2]);
  const off = Math.hypot(...held.probes.map((value, k) => value - tip[k]));
  assert.ok(moved > 0.01, `the tip moved by ${moved} m only`);
  assert.ok(off < 0.01 * moved, `the tip is ${off} m from where ${held.pull} N put it, of ${moved} m`);
  await testChanges(page);
  assert.deepEqual(errors, []);
  console.log(`pulled by ${Math.hypot(...held.pull).toFixed(4)} N the tip moved ${(1e3 * moved).toFixed(1)} mm, ${((100 * off) / moved).toFixed(3)} % off`);
} finally {
  await browser.close();
  await program.stop();
}
