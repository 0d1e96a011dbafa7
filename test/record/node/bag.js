// Reads bags with @mcap/core, by their index and as a stream, with all CRCs checked, and decodes messages with
// @foxglove/rosmsg2-serialization by the definitions in the bag.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { crc32 } from "@foxglove/crc";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import rosmsg from "@foxglove/rosmsg";
import rosmsg2 from "@foxglove/rosmsg2-serialization";
import lz4Module from "@foxglove/wasm-lz4";
import zstdModule from "@foxglove/wasm-zstd";

const lz4 = lz4Module.default ?? lz4Module;
const zstd = zstdModule.default ?? zstdModule;
await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (buffer, size) => lz4(buffer, Number(size)),
  zstd: (buffer, size) => zstd.decompress(buffer, Number(size)),
};

// typed arrays become plain ones; times get the names that the definition of builtin_interfaces/Time has
function plain(value) {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    return Array.from(value, plain);
  }
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value);
    if (keys.length === 2 && keys.includes("sec") && keys.includes("nsec")) {
      return { sec: value.sec, nanosec: value.nsec };
    }
    return Object.fromEntries(keys.map((key) => [key, plain(value[key])]));
  }
  return value;
}

const decoders = new Map();
export function decode(schema, data) {
  if (!decoders.has(schema.name)) {
    assert.equal(schema.encoding, "ros2msg");
    const text = new TextDecoder().decode(schema.data);
    decoders.set(schema.name, new rosmsg2.MessageReader(rosmsg.parse(text, { ros2: true })));
  }
  return plain(decoders.get(schema.name).readMessage(data));
}

export function load(path) {
  return readFileSync(path);
}

// what is common to the bags of Filum
function checkChannel(channel) {
  assert.equal(channel.messageEncoding, "cdr");
  assert.match(channel.metadata.get("offered_qos_profiles"), /^- history: 1\n/);
}

// Calls visit(message, channel, schema) in order of time; returns the reader, how many there were, and what lies beside.
export async function readIndexed(bag, visit) {
  const readable = {
    size: async () => BigInt(bag.length),
    read: async (offset, size) => new Uint8Array(bag.subarray(Number(offset), Number(offset + size))),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  assert.equal(reader.header.profile, "ros2");
  assert.equal(reader.statistics.chunkCount, reader.chunkIndexes.length);
  assert.ok(reader.summaryOffsetsByOpcode.size >= 4);
  let count = 0;
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(message.channelId);
    checkChannel(channel);
    visit(message, channel, reader.schemasById.get(channel.schemaId));
    count += 1;
  }
  assert.equal(reader.statistics.messageCount, BigInt(count));
  const attachments = [];
  for await (const attachment of reader.readAttachments({ validateCrcs: true })) {
    attachments.push(attachment);
  }
  const metadata = [];
  for await (const record of reader.readMetadata()) {
    metadata.push(record);
  }
  return { reader, count, attachments, metadata };
}

// The same in order of the file, in pieces as they would come while the run goes on.
export function readStreamed(bag, visit) {
  const reader = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  const channels = new Map();
  const schemas = new Map();
  let count = 0;
  let dataCrc = 0;
  for (let at = 0; at < bag.length; at += 10007) {
    reader.append(bag.subarray(at, at + 10007));
    for (let record; (record = reader.nextRecord()); ) {
      if (record.type === "Schema") {
        schemas.set(record.id, record);
      } else if (record.type === "Channel") {
        channels.set(record.id, record);
      } else if (record.type === "Message") {
        const channel = channels.get(record.channelId);
        checkChannel(channel);
        visit(record, channel, schemas.get(channel.schemaId));
        count += 1;
      } else if (record.type === "DataEnd") {
        dataCrc = record.dataSectionCrc;
      } else if (record.type === "Footer") {
        // all bytes before the end record of the data, which has 13
        assert.equal(dataCrc, crc32(bag.subarray(0, Number(record.summaryStart) - 13)));
      }
    }
  }
  assert.ok(dataCrc !== 0 && reader.done());
  return count;
}
