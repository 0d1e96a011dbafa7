// What the tests of the page share: programs that serve it, and a browser that opens it.
import { execFileSync, spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

export const PATIENCE = 60000; // ms
export const PORT = 20000 + (process.pid % 20000);

/* a program that says, in a line that matches, that it serves the page */
export function start(program, args, says = /http:/, env = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const ready = new Promise((resolve, reject) => {
    let heard = '';
    const hear = (text) => {
      heard += text;
      says.test(heard) && resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${heard}`)));
  });
  const stop = () => new Promise((resolve) => {
    child.removeAllListeners('exit').once('exit', resolve);
    child.kill('SIGTERM');
  });
  return { ready, stop };
}

export const launch = (executablePath) => chromium.launch({ executablePath, args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });

export const errors = [];

export async function open(browser, viewport = { width: 1000, height: 700 }, hash = '') {
  const page = await browser.newPage({ viewport });
  page.on('console', (message) => message.type() === 'error' && !/WebSocket connection/.test(message.text()) && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${PORT}/${hash}`, { timeout: PATIENCE });
  await page.waitForFunction(() => window.filum?.state.fitted, null, { timeout: PATIENCE });
  return page;
}

export const wait = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: PATIENCE });

// a graph of its own, on this machine alone, and the command line in it
export function graph(filum) {
  const env = {
    ROS_DOMAIN_ID: String(1 + (process.pid % 100)),
    CYCLONEDDS_URI: '<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo"/></Interfaces><AllowMulticast>false</AllowMulticast></General>'
      + '<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer Address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>',
  };
  const ask = (...args) => execFileSync(filum, args, { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 20000 });
  return { env, ask };
}
