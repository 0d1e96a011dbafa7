// referee.js BAG EXPECTED: reads BAG twice, decodes every message, and compares with the lines of EXPECTED.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { decode, load, readIndexed, readStreamed } from "./bag.js";

const [bagPath, expectedPath] = process.argv.slice(2);
const bag = load(bagPath);
const expected = readFileSync(expectedPath, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

function check(message, line, channel, schema) {
  assert.equal(channel.topic, line.topic);
  assert.equal(message.sequence, line.sequence);
  assert.equal(String(message.logTime), line.log);
  assert.equal(String(message.publishTime), line.publish);
  assert.deepEqual(decode(schema, message.data), line.value);
}

let next = 0;
const read = await readIndexed(bag, (message, channel, schema) => check(message, expected[next++], channel, schema));
assert.equal(read.count, expected.length);
assert.ok(read.reader.chunkIndexes.length > 5);
assert.deepEqual(read.attachments.map((attachment) => attachment.name), ["scene.yaml"]);
assert.deepEqual(read.metadata.map((record) => record.name), ["rosbag2"]);
assert.match(read.metadata[0].metadata.get("serialized_metadata"), /^version: 5\n/);

// a topic on its own, by its message index alone
const states = expected.filter((line) => line.topic === "/states");
let found = 0;
for await (const message of read.reader.readMessages({ topics: ["/states"], validateCrcs: true })) {
  assert.equal(message.sequence, states[found].sequence);
  found += 1;
}
assert.equal(found, states.length);

next = 0;
const streamed = readStreamed(bag, (message, channel, schema) => check(message, expected[next++], channel, schema));
assert.equal(streamed, expected.length);
console.log(`${bagPath}: ${expected.length} messages, indexed and streamed`);
