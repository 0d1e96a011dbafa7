// run_referee.js BAG EXPORTED ROWS: BAG is of `filum run test/record/everything.yaml` with a message at every step, ROWS
// is the CSV of the same run, EXPORTED the folder that `filum bag export` made of BAG. Every message of every type is
// decoded, twice; each of its numbers and texts must be in EXPORTED, and what the probes measure must be in ROWS too.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

import { decode, load, readIndexed, readStreamed } from "./bag.js";

const [bagPath, exportedPath, rowsPath] = process.argv.slice(2);

// RFC 4180
function readCsv(path) {
  const rows = [];
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const cells = [];
    for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
      cells.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2]);
    }
    rows.push(cells);
  }
  const [names, ...values] = rows;
  return { names, columns: new Map(names.map((name, i) => [name, i])), rows: values };
}

// the leaves of a message as [path, value]
function* leaves(value, path) {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield* leaves(item, `${path}[${i}]`);
    }
  } else if (typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      yield* leaves(item, path === "" ? key : `${path}.${key}`);
    }
  } else {
    yield [path, value];
  }
}

function sameAsCell(value, cell) {
  if (typeof value === "string") {
    return value === cell;
  }
  if (typeof value === "bigint") {
    return String(value) === cell;
  }
  const number = Number(cell);
  // a float32 is written with nine digits
  return cell !== "" && (Number(value) === number || Number(value) === Math.fround(number));
}

const sheets = new Map();
for (const file of readdirSync(exportedPath)) {
  sheets.set("/" + file.replace(/\.csv$/, ""), { ...readCsv(`${exportedPath}/${file}`), read: 0 });
}

function compareExport(message, channel, value) {
  const sheet = sheets.get(channel.topic);
  const row = sheet.rows[sheet.read++];
  assert.equal(Math.round(Number(row[0]) * 1e9), Number(message.logTime), channel.topic);
  let filled = 1;
  for (const [path, leaf] of leaves(value, "")) {
    const column = sheet.columns.get(path);
    assert.ok(column !== undefined, `${channel.topic}: no column ${path}`);
    assert.ok(sameAsCell(leaf, row[column]), `${channel.topic} ${path}: ${leaf} is not ${row[column]}`);
    filled += leaf === "" ? 0 : 1;
  }
  assert.equal(row.filter((cell) => cell !== "").length, filled, `${channel.topic}: cells without a value`);
}

// ---- what the run itself wrote, by time ----

const run = readCsv(rowsPath);
const byTime = new Map(run.rows.map((row) => [Math.round(Number(row[0]) * 1e9), row]));
assert.equal(byTime.size, run.rows.length);
function measured(time, name) {
  return Number(byTime.get(time)[run.columns.get(name)]);
}
function vector(time, name) {
  return ["x", "y", "z"].map((axis) => measured(time, `${name}_${axis}`));
}
const xyz = (v) => [v.x, v.y, v.z];
const named = (list, name) => list.find((item) => item.name === name);

const compareRun = {
  "/clock": (t, m) => assert.equal(m.clock.sec * 1e9 + m.clock.nanosec, t),
  "/tf": (t, m) => {
    const ball = m.transforms.find((transform) => transform.child_frame_id === "ball");
    assert.deepEqual(xyz(ball.transform.translation), vector(t, "ball"));
    const end = m.transforms.find((transform) => transform.child_frame_id === "cable/end");
    assert.deepEqual(xyz(end.transform.translation), vector(t, "tip"));
  },
  "/tf_static": (t, m) => assert.ok(m.transforms.some((transform) => transform.child_frame_id === "ground")),
  "/rod_states": (t, m) => {
    assert.deepEqual(m.rods.map((rod) => rod.name), ["cable", "hoop"]);
    assert.deepEqual(m.rods[0].positions.slice(-3), vector(t, "tip"));
    assert.equal(m.rods[0].tensions[0], measured(t, "tension"));
    assert.ok(m.rods[1].closed);
  },
  "/arm_states": (t, m) => {
    const trunk = named(m.arms, "trunk");
    assert.equal(trunk.chamber_pressures[0], measured(t, "pressure"));
    assert.ok(Math.abs(trunk.sections[5] - measured(t, "length")) < 1e-12); // summed in another order
  },
  "/contact_wrenches": (t, m) => {
    assert.equal(m.contacts.length, measured(t, "contacts"));
    assert.deepEqual(xyz(m.totals[m.bodies.indexOf("ball")].force), vector(t, "push"));
  },
  "/probes": (t, m) => {
    assert.deepEqual(m.names, run.names.slice(1));
    assert.deepEqual(m.values, byTime.get(t).slice(1).map(Number));
  },
  "/step_info": (t, m) => {
    assert.equal(m.contacts, measured(t, "contacts"));
    assert.equal(m.step, BigInt(Math.round(t / 1e6)));
    assert.notEqual(m.state_hash, 0n);
  },
  "/markers": (t, m) => {
    // the first takes away what another run may have left
    const line = m.markers.find((marker) => marker.ns === "cable");
    assert.ok(t === 0 || line !== undefined);
    if (line !== undefined) {
      assert.deepEqual(xyz(line.points.at(-1)), vector(t, "tip"));
    }
  },
};

// ---- both readings ----

const counts = new Map();
function visit(message, channel, schema) {
  const value = decode(schema, message.data);
  compareExport(message, channel, value);
  compareRun[channel.topic](Number(message.logTime), value);
  assert.equal(message.sequence, counts.get(channel.topic) ?? 0);
  counts.set(channel.topic, (counts.get(channel.topic) ?? 0) + 1);
}

function checkCounts() {
  for (const topic of Object.keys(compareRun)) {
    // one message a row; static transforms come once, and markers once more at the start
    const wanted = topic === "/tf_static" ? 1 : run.rows.length + (topic === "/markers" ? 1 : 0);
    assert.equal(counts.get(topic), wanted, topic);
    assert.equal(sheets.get(topic).rows.length, wanted, topic);
    sheets.get(topic).read = 0;
  }
  assert.equal(counts.size, Object.keys(compareRun).length);
  counts.clear();
}

const bag = load(bagPath);
const read = await readIndexed(bag, visit);
checkCounts();
assert.deepEqual(read.attachments.map((attachment) => attachment.name), ["scene.yaml", "parameters.yaml"]);
assert.match(new TextDecoder().decode(read.attachments[0].data), /title: Everything\n/);
const metadata = new Map(read.metadata.map((record) => [record.name, record.metadata]));
assert.ok(metadata.get("filum").has("version") && metadata.get("filum").has("commit"));
assert.equal(readStreamed(bag, visit), read.count);
checkCounts();
console.log(`${bagPath}: ${read.count} messages of ${sheets.size} topics, indexed and streamed`);
