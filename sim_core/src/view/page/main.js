// The page: a stage, controls, and the recent past.
import * as THREE from './lib/three/build/three.module.js';
import { OrbitControls } from './lib/three/examples/jsm/controls/OrbitControls.js';
import { Bodies } from './bodies.js';
import { Contacts } from './contacts.js';
import { Panes } from './panes.js';
import { Plots } from './plots.js';
import { Pull } from './pull.js';
import { Quality } from './quality.js';
import { Stream } from './stream.js';
import { Tube } from './tube.js';

const PAST_FRAMES = 1800;
const PAST_BYTES = 96e6;
const VIEWS = { front: [0.25, -1, 0.35], side: [1, 0, 0.2], top: [0, -1e-3, 1], fit: null };
const STEERING = ['play', 'step', 'reset', 'speed', 'model', 'strength']; // not for pages that can look only
const GLIDE = 60; // ms in which the camera comes to rest, whatever the rate of pictures
const FILL = 0.8; // share of the picture that what is looked at takes up
const get = (id) => document.getElementById(id);
const options = new URLSearchParams(location.hash.slice(1)); // #bare, #render&view=side&follow=NAME&zoom=2&dark&forces&strip=4&quality=best
let stale = true; // only what has changed is drawn: a page that rests costs nothing
const state = { description: null, bodies: null, frame: null, past: [], pastBytes: 0, shown: -1, fitted: false, frames: 0 };

// ---- the stage ----

THREE.Object3D.DEFAULT_UP.set(0, 0, 1);
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.shadowMap.enabled = true;
renderer.shadowMap.autoUpdate = false; // the sun's view does not change while only the camera moves
renderer.shadowMap.type = THREE.PCFShadowMap;
get('stage').append(renderer.domElement);
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(35, 1, 1e-3, 200);
const controls = new OrbitControls(camera, renderer.domElement);
controls.enableDamping = true;
const sun = new THREE.DirectionalLight('#fff7e8', 2.4);
sun.shadow.bias = -5e-4;
scene.add(sun, sun.target, new THREE.HemisphereLight('#ffffff', '#8d8878', 1.5));
const quality = new Quality(renderer, sun, options.has('render') ? 'best' : options.get('quality') ?? 'auto'); // films never show less
const contacts = new Contacts(scene);
const hand = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: '#d0342c' }));
hand.frustumCulled = false;
hand.visible = false;
const axes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
axes.frustumCulled = false;
axes.renderOrder = 1;
scene.add(hand, axes);

const isDark = () => document.documentElement.classList.contains('dark');

function setTheme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  scene.background = new THREE.Color(dark ? '#15181d' : '#f6f4ef');
  if (state.description) {
    build(state.description);
  }
}

function resize() {
  const [width, height] = options.has('size') ? options.get('size').split('x').map(Number) : [innerWidth, innerHeight];
  renderer.setSize(width, height);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  stale = true;
}

// how far the camera must be from the middle of some points, along `from`, for all of them to be in the picture
function distanceFor(points, center, from) {
  const right = new THREE.Vector3().crossVectors(camera.up, from).normalize();
  const up = new THREE.Vector3().crossVectors(from, right);
  const high = Math.tan((Math.PI / 360) * camera.fov) * FILL;
  const wide = high * camera.aspect;
  const p = new THREE.Vector3();
  let distance = 0;
  for (let i = 0; i < points.length; i += 3) {
    p.fromArray(points, i).sub(center);
    distance = Math.max(distance, p.dot(from) + Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(up)) / high));
  }
  return distance;
}

function look(direction) {
  const points = strip.points.length > 0 ? strip.points : state.bodies?.points() ?? [];
  const box = new THREE.Box3().setFromArray(points.length > 0 ? points : [-0.5, -0.5, 0, 0.5, 0.5, 0.5]);
  const center = box.getCenter(new THREE.Vector3());
  const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-3);
  const from = (direction ? new THREE.Vector3(...direction) : camera.position.clone().sub(controls.target)).normalize();
  const distance = Math.max(distanceFor(points, center, from), radius / 10) / Number(options.get('zoom') ?? 1);
  controls.target.copy(center);
  camera.position.copy(center).addScaledVector(from, distance);
  controls.update();
  clip(distance);
  light(center, radius);
  stale = true;
}

// what is drawn lies between 1/200 of the distance and 60 times that from which all is seen
let whole = 1;
function clip(distance, all = distance) {
  whole = all;
  camera.near = distance / 200;
  camera.far = Math.max(distance, whole) * 60;
  camera.updateProjectionMatrix();
}

// by the pointer at once, then gliding
controls.addEventListener('change', () => {
  clip(camera.position.distanceTo(controls.target), whole);
  stale = true;
  drawn = isCut() ? drawn : null;
});

function light(center, radius) {
  sun.target.position.copy(center);
  sun.position.copy(center).add(new THREE.Vector3(-0.9, -1.2, 2.2).multiplyScalar(2 * radius));
  Object.assign(sun.shadow.camera, { left: -1.6 * radius, right: 1.6 * radius, top: 1.6 * radius, bottom: -1.6 * radius, near: radius / 10, far: 12 * radius });
  sun.shadow.normalBias = radius / 100; // some texels of the shadow's picture: sides of tubes do not shade themselves
  sun.shadow.camera.updateProjectionMatrix();
  renderer.shadowMap.needsUpdate = true;
}

// ---- what comes ----

function build(description) {
  state.bodies?.dispose();
  state.bodies = new Bodies(scene, description, isDark());
  quality.furnish(state.bodies.floors());
  stale = true;
  if (state.frame) {
    draw(state.frame);
  }
}

function describe(description) {
  const same = state.description && JSON.stringify(state.description.objects) === JSON.stringify(description.objects);
  state.description = description;
  document.title = `${description.scene} – Filum`;
  get('title').textContent = description.title || description.scene;
  get('message').textContent = description.message;
  get('message').hidden = description.message === '';
  get('model').replaceChildren(...description.contact_models.map((name) => new Option(name, name, false, name === description.contact_model)));
  setSpeed(description.speed);
  STEERING.forEach((id) => { get(id).disabled = !description.steers; });
  get('rate').title = description.steers ? '' : 'pages can look, and nothing else';
  plots.describe(description.probes);
  panes.describe(description);
  if (!same) {
    state.fitted = false;
    state.frame = null;
    get('follow').replaceChildren(new Option('nothing', ''), ...description.objects.map(({ name }) => new Option(name, name)));
    build(description);
  }
}

// one that is not in the list is added
function setSpeed(speed) {
  const list = [...get('speed').options];
  const there = list.find(({ value }) => Number(value) === speed);
  const option = there ?? new Option(speed === 0 ? 'as fast as it can' : speed, speed);
  if (!there) {
    get('speed').add(option);
  }
  option.selected = true;
}

// a film is sought where it comes from; of what happens now the page keeps the recent past itself
function remember(frame) {
  get('live').hidden = frame.end > 0;
  get('model').disabled = frame.end > 0 || !state.description.steers; // what has happened has its model
  if (frame.end > 0) {
    get('past').max = '1000';
    get('past').value = String((1000 * frame.time) / frame.end);
    return;
  }
  if (state.past.length > 0 && frame.time === state.past[state.past.length - 1].time) {
    return;
  }
  if (state.past.length > 0 && frame.time < state.past[state.past.length - 1].time) {
    state.past.length = state.pastBytes = 0;
  }
  state.past.push(frame);
  state.pastBytes += frame.bytes;
  while (state.past.length > PAST_FRAMES || state.pastBytes > PAST_BYTES) {
    state.pastBytes -= state.past.shift().bytes;
    state.shown = Math.max(state.shown - 1, -1);
  }
  get('past').max = String(state.past.length - 1);
}

function receive(frame) {
  state.frames += 1;
  state.frame = frame;
  plots.add(frame.time, frame.probes);
  remember(frame);
  get('play').textContent = frame.runs ? '❚❚' : '▶';
}

// ---- what is seen ----

const AXES = [[0.82, 0.2, 0.17], [0.18, 0.62, 0.36], [0.16, 0.42, 0.85]]; // x, y, z

function drawFrames() {
  axes.visible = get('frames').checked;
  if (!axes.visible) {
    return;
  }
  const ends = state.bodies.axes(0.05 * camera.position.distanceTo(controls.target));
  const colors = new Float32Array(ends.length).map((_, i) => AXES[Math.floor(i / 6) % 3][i % 3]);
  axes.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
  axes.geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
}

let strainsShown = false;

function drawStrains() {
  const shown = get('strain').checked;
  if (shown || strainsShown) {
    const max = state.bodies.showStrains(shown);
    get('max_strain').textContent = shown ? `up to ${(100 * max).toPrecision(2)} %` : '';
  }
  strainsShown = shown;
}

function drawHand(numbers) {
  hand.visible = pull.held !== null;
  if (hand.visible) {
    const line = hand.geometry.attributes.position;
    line.setXYZ(0, numbers[0], numbers[1], numbers[2]);
    line.setXYZ(1, ...pull.held.toArray());
    line.needsUpdate = true;
  }
}

// m, where the camera looks, of one that is drawn, or of the page's where several are drawn for each
const pixel = () => (2 * Math.tan((Math.PI / 360) * camera.fov) * camera.position.distanceTo(controls.target)) / (renderer.domElement.clientHeight * Math.min(1, quality.ratio));
const isCut = () => Math.abs(pixel() / Tube.pixel - 1) < 0.1; // thin lines and tubes follow the size of pixels

// where everything is
function place(frame) {
  Tube.pixel = pixel();
  renderer.shadowMap.needsUpdate = true;
  return state.bodies.update(frame.numbers);
}

function draw(frame) {
  if (!place(frame)) {
    return;
  }
  get('time').textContent = `t = ${frame.time.toFixed(3)} s${frame.end > 0 ? ` of ${frame.end.toFixed(1)} s` : ''}`;
  get('rate').textContent = (frame.runs ? `${frame.rate.toPrecision(2)} × real time` : frame.failed ? 'failed' : 'paused') + (state.description.steers ? '' : ', to look at only');
  if (!state.fitted) {
    state.fitted = true;
    get('follow').value = options.get('follow') ?? '';
    look(VIEWS[options.get('view')] ?? options.get('view')?.split(',').map(Number) ?? VIEWS.front);
    place(frame);
  }
  const name = get('follow').value;
  if (name !== '') {
    const center = state.bodies.bounds(name).getCenter(new THREE.Vector3());
    const moved = center.clone().sub(controls.target);
    [camera, sun, sun.target].forEach((what) => what.position.add(moved)); // its shadow stays with it
    controls.target.copy(center);
  }
  // their sizes follow the camera's distance
  contacts.update(get('forces').checked, frame, 0.12 * camera.position.distanceTo(controls.target));
  drawFrames();
  drawStrains();
  drawHand(frame.numbers);
}

// ---- pictures side by side: first all frames are seen, to find a place for the camera, then they are drawn ----

const strip = { count: Number(options.get('strip') ?? 0), seen: 0, points: [], canvas: null };

function addToStrip(frame) {
  const { count, seen } = strip;
  strip.seen += 1;
  if (seen < count) {
    strip.points = strip.points.concat(Array.from(state.bodies.points()));
    state.fitted = seen + 1 < count; // the next one is looked at anew, from where all fit in
    return;
  }
  const from = renderer.domElement;
  strip.canvas ??= Object.assign(document.createElement('canvas'), { width: count * from.width, height: from.height });
  const paint = strip.canvas.getContext('2d');
  const left = (seen - count) * from.width;
  paint.drawImage(from, left, 0);
  paint.fillStyle = isDark() ? '#939baa' : '#5b626e';
  paint.font = `${Math.round(Math.max(11, from.height / 16))}px system-ui, sans-serif`;
  paint.fillText(`${Number(frame.time.toPrecision(3))} s`, left + 0.03 * from.height, from.height - 0.04 * from.height);
  if (seen > count) {
    paint.fillStyle = isDark() ? '#343b46' : '#d9d5cb';
    paint.fillRect(left, 0, 1, from.height);
  }
}

let drawn = null;
let plotted = 0;
let ticked = 0;
let pictured = null;
function tick(time) {
  requestAnimationFrame(tick);
  const frame = state.shown >= 0 ? state.past[state.shown] : state.frame;
  if (frame && frame !== drawn && state.bodies) {
    draw(frame);
    drawn = frame;
    stale = true;
    if (state.shown < 0 && frame.end === 0) {
      get('past').value = get('past').max;
    }
  }
  if (time - plotted > 100) {
    plotted = time;
    pull.name();
    get('fps').textContent = time - quality.moved > 500 ? '' : `${Math.round(quality.pace.rate)} fps`;
    if (!get('plots').hidden) {
      plots.draw();
    }
  }
  controls.dampingFactor = 1 - Math.exp(-(time - ticked) / GLIDE);
  ticked = time;
  controls.update();
  if (quality.tick(time, stale, state.frame?.runs && state.shown < 0)) {
    if (drawn && !isCut()) {
      place(drawn);
    }
    quality.render(scene, camera);
    stale = false;
  }
  if (options.has('render') && drawn && drawn !== pictured) {
    pictured = drawn;
    if (strip.count > 0) {
      addToStrip(drawn);
    }
    stream.picture(strip.canvas ?? renderer.domElement);
  }
}

// ---- controls ----

const plots = new Plots(get('plots'), get('chart'), get('probes'));
const stream = new Stream({ describe, frame: receive, link: (up) => get('link').classList.toggle('up', up) });
const ask = (...what) => stream.ask(...what);
const panes = new Panes(get, ask, (text) => stream.say(text));
const pull = new Pull({
  canvas: renderer.domElement, camera, controls, ask, bodies: () => state.bodies, strength: () => 10 ** Number(get('strength').value),
  label: (name, x, y) => {
    get('name').hidden = name === '';
    get('name').textContent = name;
    get('name').style.cssText += `left:${x + 14}px;top:${y + 14}px`;
  },
});
const toLive = () => { state.shown = -1; };
const actions = {
  play: () => { toLive(); ask(state.frame?.runs ? 'pause' : 'play'); },
  step: () => { toLive(); ask('step'); },
  reset: () => { toLive(); ask('reset'); },
  theme: () => setTheme(!isDark()),
  live: toLive,
  'show-plots': () => { get('plots').hidden = !get('plots').hidden; },
};
Object.entries(actions).forEach(([id, act]) => { get(id).onclick = act; });
['forces', 'frames', 'strain'].forEach((id) => {
  get(id).checked = options.has(id);
  get(id).onchange = () => { drawn = null; }; // also while nothing moves
});
get('follow').onchange = () => { drawn = null; };
get('quality').value = quality.mode;
get('quality').onchange = () => { quality.mode = get('quality').value; };
get('speed').onchange = () => ask('speed', { numbers: [Number(get('speed').value)] });
get('model').onchange = () => ask('model', { part: get('model').selectedIndex });
get('past').oninput = () => {
  const value = Number(get('past').value);
  if (state.frame?.end > 0) {
    ask('seek', { numbers: [(state.frame.end * value) / 1000] });
  } else {
    state.shown = value;
    ask('pause');
  }
};
document.querySelectorAll('[data-view]').forEach((button) => { button.onclick = () => look(VIEWS[button.dataset.view]); });
const keys = { ' ': actions.play, '.': actions.step, r: actions.reset, f: () => look(null), 1: () => look(VIEWS.front), 2: () => look(VIEWS.side), 3: () => look(VIEWS.top) };
addEventListener('keydown', (event) => {
  if (!event.ctrlKey && !event.metaKey && event.target.tagName !== 'SELECT' && keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});
document.documentElement.classList.toggle('bare', options.has('bare') || options.has('render')); // the stage alone, for pictures
addEventListener('resize', resize);
new ResizeObserver(([{ target }]) => { // panes lie below, however many rows it has
  document.documentElement.style.setProperty('--below', `${target.offsetTop + target.offsetHeight + 8}px`);
}).observe(document.querySelector('nav'));
resize();
setTheme(options.has('render') ? options.has('dark') : matchMedia('(prefers-color-scheme: dark)').matches);
requestAnimationFrame(tick);

// for tests: what is known, and where a point of the world is on the page
window.filum = {
  state, plots, camera, controls, look, renderer, scene, quality,
  project: (point) => {
    const p = new THREE.Vector3(...point).project(camera);
    return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight];
  },
};
