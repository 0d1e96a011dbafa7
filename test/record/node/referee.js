// referee.js BAG EXPECTED: reads BAG twice with @mcap/core, by its index and as a stream, with all CRCs checked, decodes
// every message by the schema in the bag, and compares with the lines of EXPECTED.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { crc32 } from "@foxglove/crc";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import rosmsg from "@foxglove/rosmsg";
import rosmsg2 from "@foxglove/rosmsg2-serialization";
import lz4Module from "@foxglove/wasm-lz4";
import zstdModule from "@foxglove/wasm-zstd";

const [bagPath, expectedPath] = process.argv.slice(2);
const bag = readFileSync(bagPath);
const expected = readFileSync(expectedPath, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

const lz4 = lz4Module.default ?? lz4Module;
const zstd = zstdModule.default ?? zstdModule;
await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (buffer, size) => lz4(buffer, Number(size)),
  zstd: (buffer, size) => zstd.decompress(buffer, Number(size)),
};

// typed arrays become plain ones, so that values can be compared with JSON
function plain(value) {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    return Array.from(value, plain);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  return value;
}

const decoders = new Map();
function decode(schema, data) {
  if (!decoders.has(schema.name)) {
    assert.equal(schema.encoding, "ros2msg");
    const text = new TextDecoder().decode(schema.data);
    decoders.set(schema.name, new rosmsg2.MessageReader(rosmsg.parse(text, { ros2: true })));
  }
  return plain(decoders.get(schema.name).readMessage(data));
}

function check(message, line, channel, schema) {
  const value = decode(schema, message.data);
  if (value.sec !== undefined && value.nsec !== undefined) {
    value.nanosec = value.nsec;
    delete value.nsec;
  }
  if (value.header?.stamp?.nsec !== undefined) {
    value.header.stamp = { sec: value.header.stamp.sec, nanosec: value.header.stamp.nsec };
  }
  assert.equal(channel.topic, line.topic);
  assert.equal(channel.messageEncoding, "cdr");
  assert.match(channel.metadata.get("offered_qos_profiles"), /^- history: 1\n/);
  assert.equal(message.sequence, line.sequence);
  assert.equal(String(message.logTime), line.log);
  assert.equal(String(message.publishTime), line.publish);
  assert.deepEqual(value, line.value);
}

async function readIndexed() {
  const readable = {
    size: async () => BigInt(bag.length),
    read: async (offset, size) => new Uint8Array(bag.subarray(Number(offset), Number(offset + size))),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  assert.equal(reader.header.profile, "ros2");
  assert.equal(reader.statistics.messageCount, BigInt(expected.length));
  assert.equal(reader.statistics.chunkCount, reader.chunkIndexes.length);
  assert.ok(reader.chunkIndexes.length > 5);
  assert.ok(reader.summaryOffsetsByOpcode.size >= 4);
  let count = 0;
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(message.channelId);
    check(message, expected[count], channel, reader.schemasById.get(channel.schemaId));
    count += 1;
  }
  assert.equal(count, expected.length);
  // a topic on its own, by its message index alone
  const states = expected.filter((line) => line.topic === "/states");
  let found = 0;
  for await (const message of reader.readMessages({ topics: ["/states"], validateCrcs: true })) {
    assert.equal(message.sequence, states[found].sequence);
    found += 1;
  }
  assert.equal(found, states.length);
  const attachments = [];
  for await (const attachment of reader.readAttachments({ validateCrcs: true })) {
    attachments.push(attachment.name);
  }
  assert.deepEqual(attachments, ["scene.yaml"]);
  const metadata = [];
  for await (const record of reader.readMetadata()) {
    metadata.push(record.name);
    assert.match(record.metadata.get("serialized_metadata"), /^version: 5\n/);
  }
  assert.deepEqual(metadata, ["rosbag2"]);
}

function readStreamed() {
  const reader = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  const channels = new Map();
  const schemas = new Map();
  let count = 0;
  let dataCrc = 0;
  // in pieces, as they would come while the run goes on
  for (let at = 0; at < bag.length; at += 10007) {
    reader.append(bag.subarray(at, at + 10007));
    for (let record; (record = reader.nextRecord()); ) {
      if (record.type === "Schema") {
        schemas.set(record.id, record);
      } else if (record.type === "Channel") {
        channels.set(record.id, record);
      } else if (record.type === "Message") {
        const channel = channels.get(record.channelId);
        check(record, expected[count], channel, schemas.get(channel.schemaId));
        count += 1;
      } else if (record.type === "DataEnd") {
        dataCrc = record.dataSectionCrc;
      } else if (record.type === "Footer") {
        // all bytes before the end record of the data, which has 13
        assert.equal(dataCrc, crc32(bag.subarray(0, Number(record.summaryStart) - 13)));
      }
    }
  }
  assert.equal(count, expected.length);
  assert.ok(dataCrc !== 0 && reader.done());
}

await readIndexed();
readStreamed();
console.log(`${bagPath}: ${expected.length} messages, indexed and streamed`);
