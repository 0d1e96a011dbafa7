// foxglove.js FILUM NODE SCENE...: Foxglove's own client on the node, and on `filum view` without one: channels, messages, services, parameters; and what is refused.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { parse } from '@foxglove/rosmsg';
import { MessageReader, MessageWriter } from '@foxglove/rosmsg2-serialization';
import foxglove from '@foxglove/ws-protocol';
import { WebSocket } from 'ws';
import { PATIENCE, PORT, graph, start } from './browser.js';

const { FoxgloveClient } = foxglove;
const [filum, node, ...scenes] = process.argv.slice(2);
const { env, ask } = graph(filum);
const serve = (scene, ...parameters) => start(node, ['--ros-args', '-p', `scene:=${scene}`, '-p', `view_port:=${PORT}`, ...parameters.flatMap((p) => ['-p', p])], /look at it/, env);
const view = (scene, ...options) => start(filum, ['view', scene, '--port', String(PORT), ...options], /http/, env);
const definition = (text) => parse(text, { ros2: true });
const patience = (promise, what) => Promise.race([promise, new Promise((_, no) => { setTimeout(() => no(new Error(`waited for ${what}`)), PATIENCE).unref(); })]);

// the next event; the client has on() and off(), no once()
const next = (client, event) => new Promise((resolve) => {
  const hear = (value) => {
    client.off(event, hear);
    resolve(value);
  };
  client.on(event, hear);
});

function connect(protocol = FoxgloveClient.SUPPORTED_SUBPROTOCOL, options = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}`, [protocol], options);
  const client = new FoxgloveClient({ ws: socket });
  const heard = (event) => patience(next(client, event), event);
  return { socket, client, heard };
}

// every channel's schema is understood, and so is every message of each
async function testMessages(program, ...others) {
  await program.ready;
  try {
    const { client, heard } = connect();
    const [info, channels] = await Promise.all([heard('serverInfo'), heard('advertise')]);
    assert.deepEqual(info.capabilities.sort(), ['parameters', 'parametersSubscribe', 'services', 'time']);
    assert.ok(info.sessionId.length > 0);
    let time = -1n;
    client.on('time', ({ timestamp }) => { time = timestamp; });
    const readers = new Map();
    const counts = new Map();
    channels.forEach((channel) => {
      assert.equal(channel.encoding, 'cdr');
      readers.set(client.subscribe(channel.id), { channel, reader: new MessageReader(definition(channel.schema)) });
    });
    client.on('message', ({ subscriptionId, timestamp, data }) => {
      const { channel, reader } = readers.get(subscriptionId);
      const message = reader.readMessage(data);
      if (message.header) {
        assert.equal(BigInt(message.header.stamp.sec) * 1000000000n + BigInt(message.header.stamp.nanosec), timestamp, channel.topic);
      }
      counts.set(channel.topic, (counts.get(channel.topic) ?? 0) + 1);
    });
    const some = ['/clock', '/tf', '/markers', '/step_info', '/probes', ...others];
    for (const end = Date.now() + PATIENCE; !some.every((topic) => counts.get(topic) > 0);) {
      assert.ok(Date.now() < end, `heard only ${[...counts.keys()]} of ${channels.map(({ topic }) => topic)}`);
      await new Promise((go) => { setTimeout(go, 50); });
    }
    assert.ok(time > 0n, 'the time was sent');
    client.close();
    return [...counts].map(([topic, count]) => `${topic} ${count}`).join(', ');
  } finally {
    await program.stop();
  }
}

async function call(client, service, message, id) {
  const answered = patience(next(client, 'serviceCallResponse'), service.name);
  const data = new MessageWriter(definition(service.request.schema)).writeMessage(message);
  client.sendServiceCallRequest({ serviceId: service.id, callId: id, encoding: 'cdr', data: new DataView(data.buffer, data.byteOffset, data.byteLength) });
  const answer = await answered;
  assert.deepEqual([answer.serviceId, answer.callId], [service.id, id]);
  return new MessageReader(definition(service.response.schema)).readMessage(answer.data);
}

async function testAsking() {
  const program = serve('cantilever');
  await program.ready;
  try {
    const { client, heard } = connect('foxglove.sdk.v1');
    const services = await heard('advertiseServices');
    await testServices(client, services);
    // who subscribes while time stands receives the state
    client.on('advertise', (channels) => client.subscribe(channels.find(({ topic }) => topic === '/step_info').id));
    const answer = heard('message');
    client.getParameters(['/filum.friction', '/filum.contact_model'], 'two');
    const two = await heard('parameterValues');
    assert.equal(two.id, 'two');
    assert.deepEqual(two.parameters.map(({ name }) => name).sort(), ['/filum.contact_model', '/filum.friction']);
    client.setParameters([{ name: '/filum.friction', value: 0.25 }], 'set');
    const after = (await heard('parameterValues')).parameters.find(({ name }) => name === '/filum.friction');
    assert.equal(after.value, 0.25);
    assert.match(ask('param', 'get', '/filum', 'friction'), /0\.25/);
    // refusals are answered, and what the value is instead
    client.setParameters([{ name: '/filum.friction', value: 1e9 }], 'bad');
    const [status, kept] = await Promise.all([heard('status'), heard('parameterValues')]);
    assert.match(status.message, /friction/);
    assert.deepEqual([kept.id, kept.parameters.map(({ name, value }) => [name, value])], ['bad', [['/filum.friction', 0.25]]]);
    // changes by others come by themselves, of what was asked for
    client.subscribeParameterUpdates(['/filum.gravity', '/filum.friction', '/filum.friction']);
    client.unsubscribeParameterUpdates(['/filum.gravity']);
    ask('param', 'set', '/filum', 'gravity', '5.0');
    const changed = heard('parameterValues');
    ask('param', 'set', '/filum', 'friction', '0.5');
    assert.equal((await changed).parameters[0].value, 0.5);
    client.close();
    const late = connect();
    const [channel] = (await late.heard('advertise')).filter(({ topic }) => topic === '/step_info');
    late.client.subscribe(channel.id);
    assert.ok((await late.heard('message')).data.byteLength > 0);
    late.client.close();
    // markers are made for one who asks for nothing else
    const only = connect();
    const [markers] = (await only.heard('advertise')).filter(({ topic }) => topic === '/markers');
    only.client.subscribe(markers.id);
    assert.ok((await only.heard('message')).data.byteLength > 0);
    only.client.close();
    answer.catch(() => {});
  } finally {
    await program.stop();
  }
}

// services
async function testServices(client, services) {
  const find = (name) => services.find((service) => service.name === name);
  assert.deepEqual(await call(client, find('/filum/step'), {}, 1), { success: false, message: 'the simulation is not paused' });
  assert.deepEqual(await call(client, find('/filum/pause'), { data: true }, 2), { success: true, message: 'paused' });
  assert.deepEqual(await call(client, find('/filum/step'), {}, 3), { success: true, message: 'one more step' });
  assert.deepEqual(await call(client, find('/filum/reset'), {}, 4), { success: true, message: 'reset' });
}

// without a node: the world's parameters and the scene's, and who joins while time stands receives the state
async function testAskingView() {
  const program = view('knot_tightening');
  await program.ready;
  try {
    const { client, heard } = connect('foxglove.sdk.v1');
    await testServices(client, await heard('advertiseServices'));
    const values = async () => new Map((await heard('parameterValues')).parameters.map(({ name, value }) => [name, value]));
    client.getParameters([], 'all');
    const all = await values();
    assert.equal(all.get('/filum.contact_model'), 'sap_lagged');
    assert.equal(all.get('/filum.scene.knot.n'), 4);
    client.setParameters([{ name: '/filum.friction', value: 0.25 }], 'set');
    assert.equal((await values()).get('/filum.friction'), 0.25);
    client.setParameters([{ name: '/filum.scene.knot.n', value: 1 }], 'scene');
    assert.equal((await values()).get('/filum.scene.knot.n'), 1);
    for (const [name, value, why] of [['friction', 'much', /number/], ['contact_model', 'glue', /glue/], ['scene.none', 1, /none/], ['real_time_factor', -1, /1000/], ['colour', 1, /colour/]]) {
      client.setParameters([{ name: `/filum.${name}`, value }], 'bad');
      assert.match((await heard('status')).message, why);
    }
    client.close();
    const late = connect();
    const [channel] = (await late.heard('advertise')).filter(({ topic }) => topic === '/rod_states');
    late.client.subscribe(channel.id);
    assert.ok((await late.heard('message')).data.byteLength > 100);
    late.client.close();
  } finally {
    await program.stop();
  }
}

// pages of other sites are refused unless they are invited; those that only look cannot ask; nonsense ends a connection
async function testRefusals() {
  const program = serve('cantilever', 'view_read_only:=true', 'view_origins:=https://viewer.example https://other.example');
  await program.ready;
  try {
    const opened = (origin) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${PORT}`, ['foxglove.websocket.v1'], { origin });
      socket.on('open', () => { socket.close(); resolve(true); });
      socket.on('error', () => resolve(false));
    });
    assert.deepEqual(await Promise.all(['https://viewer.example', 'https://other.example', 'https://evil.example', 'https://viewer.example.evil'].map(opened)), [true, true, false, false]);
    const { client, heard } = connect();
    assert.deepEqual((await heard('serverInfo')).capabilities, ['time']);
    client.setParameters([{ name: '/filum.friction', value: 0.1 }], 'no');
    assert.match((await heard('status')).message, /only shows/);
    client.close();
    for (const nonsense of ['{', '[]', '{"op": 5', 'x'.repeat(2e6), new Uint8Array([2, 0, 0]), new Uint8Array([9])]) {
      const { socket } = connect();
      await once(socket, 'open');
      socket.send(nonsense);
      await patience(once(socket, 'close'), 'the end of a connection');
    }
  } finally {
    await program.stop();
  }
}

for (const scene of scenes) {
  console.log(`${scene}, node: ${await testMessages(serve(scene, 'publish_rate:=200.0'), '/diagnostics')}`);
  console.log(`${scene}, view: ${await testMessages(view(scene))}`);
}
await testAsking();
await testAskingView();
await testRefusals();
