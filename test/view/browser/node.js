// node.js FILUM NODE CHROMIUM: the page that the node serves. What it asks for is seen by the node's graph, and the other way round.
import assert from 'node:assert/strict';
import { PORT, errors, graph, launch, open, start, wait } from './browser.js';

const [filum, node, executablePath] = process.argv.slice(2);
const { env, ask } = graph(filum);
const serve = (...parameters) => start(node, ['--ros-args', '-p', 'scene:=cantilever', '-p', `view_port:=${PORT}`, ...parameters.flatMap((p) => ['-p', p])], /look at it/, env);

const browser = await launch(executablePath);
let program = serve('start_paused:=true');
try {
  await program.ready;
  const page = await open(browser);
  await page.click('#step');
  await wait(page, () => window.filum.state.frame.time > 0 && !window.filum.state.frame.runs);
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
  await wait(page, () => !document.getElementById('link').classList.contains('up'));
  program = serve('view_read_only:=true');
  await program.ready;
  await wait(page, () => document.getElementById('link').classList.contains('up') && window.filum.state.frame?.time > 0.05);
  // one that only shows does not obey
  await page.click('#reset');
  const before = await page.evaluate(() => window.filum.state.frame.time);
  await wait(page, (t) => window.filum.state.frame.time > t + 0.1, before);
  assert.deepEqual(errors, []);
  console.log('the node and its page agree');
} finally {
  await browser.close();
  await program.stop();
}
