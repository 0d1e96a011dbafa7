// bag.js FILUM SCENE CHROMIUM FOLDER: a recording on the page, sought in; what is seen is what was recorded, also by Foxglove's client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import foxglove from '@foxglove/ws-protocol';
import { WebSocket } from 'ws';
import { PATIENCE, PORT, errors, launch, open, start, wait } from './browser.js';

const [filum, scene, executablePath, folder] = process.argv.slice(2);
const bag = `${folder}/recorded.mcap`;
rmSync(bag, { force: true });
const csv = execFileSync(filum, ['run', scene, '--quiet', '--csv', '-', '--bag', bag, '--duration', '2', '--set', 'fz=0.05', '--set', 'output_period=0.004'], { encoding: 'utf8' });
const rows = csv.trim().split('\n').slice(1).map((line) => line.split(',').map(Number));

const browser = await launch(executablePath);
const program = start(filum, ['view', bag, '--paused', '--port', String(PORT)]);
const seen = (page) => page.evaluate(() => ({ time: window.filum.state.frame.time, probes: [...window.filum.state.frame.probes] }));

// Foxglove's client: the probes that were recorded, at the time that the page shows
function listen() {
  const client = new foxglove.FoxgloveClient({ ws: new WebSocket(`ws://127.0.0.1:${PORT}`, [foxglove.FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
  const heard = { time: -1, topics: [], wrong: [], close: () => client.close() };
  client.on('advertise', (channels) => {
    heard.topics = channels.map(({ topic }) => topic);
    const probes = channels.find(({ topic }) => topic === '/probes');
    heard.reader = new MessageReader(parse(probes.schema, { ros2: true }));
    client.subscribe(probes.id);
  });
  client.on('message', ({ timestamp, data }) => {
    heard.time = Number(timestamp) / 1e9;
    const row = rows.find((r) => Math.abs(r[0] - heard.time) < 1e-9);
    heard.reader.readMessage(data).values.forEach((value, k) => row?.[k + 1] !== value && heard.wrong.push([heard.time, value, row?.[k + 1]]));
  });
  return heard;
}

async function seek(page, time) {
  await page.evaluate((t) => {
    const slider = document.getElementById('past');
    slider.value = String((1000 * t) / window.filum.state.frame.end);
    slider.oninput();
  }, time);
  await wait(page, (t) => Math.abs(window.filum.state.frame.time - t) < 0.03, time);
  const { time: shown, probes } = await seen(page);
  const row = rows.find((r) => Math.abs(r[0] - shown) < 1e-9);
  assert.ok(row, `no row at ${shown}`);
  probes.forEach((value, k) => assert.ok(Math.abs(row[k + 1] - value) <= 1e-12, `probe ${k} at ${shown} s: ${value}, recorded ${row[k + 1]}`));
}

try {
  await program.ready;
  const page = await open(browser);
  await wait(page, () => window.filum.state.frame.end > 1.9);
  const heard = listen();
  for (const time of [1.5, 0.3, 1.9, 0.8]) {
    await seek(page, time);
    // messages were recorded fifty times a second
    for (const end = Date.now() + PATIENCE; Math.abs(heard.time - time) > 0.05;) {
      assert.ok(Date.now() < end, `the viewer is at ${heard.time} s, the page at ${time} s`);
      await new Promise((go) => { setTimeout(go, 20); });
    }
  }
  assert.deepEqual(heard.wrong, []);
  assert.ok(['/markers', '/tf', '/rod_states'].every((topic) => heard.topics.includes(topic)), heard.topics.join());
  heard.close();
  await page.click('#reset');
  await wait(page, () => window.filum.state.frame.time === 0);
  await page.click('#step');
  await wait(page, () => window.filum.state.frame.time > 0);
  await page.click('#play');
  await wait(page, () => window.filum.state.frame.time > 0.5);
  assert.deepEqual(errors, []);
  console.log('the recording is seen as it was');
} finally {
  await browser.close();
  await program.stop();
}
