package org.stillwater.benchmarks.dist;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;

/**
 * A header of an RPM package: values by the numbers of their tags, in a region that makes the whole
 * immutable (RPM's file format, version 4: "Header Format"). Not thread-safe.
 */
final class RpmHeader {

    private static final byte[] MAGIC = {(byte) 0x8e, (byte) 0xad, (byte) 0xe8, 1, 0, 0, 0, 0};
    private static final int ENTRY_BYTES = 16;

    private static final int INT16 = 3;
    private static final int INT32 = 4;
    private static final int STRING = 6;
    private static final int BINARY = 7;
    private static final int STRINGS = 8;
    private static final int TRANSLATED = 9;

    private final int region;
    private final TreeMap<Integer, Value> values = new TreeMap<>();

    @SuppressWarnings("ArrayRecordComponent") // values are written, and never compared
    private record Value(int type, int count, byte[] bytes) {

        /** Numbers begin where their size divides the offset. */
        int alignment() {
            return switch (type) {
                case INT16 -> 2;
                case INT32 -> 4;
                default -> 1;
            };
        }
    }

    /**
     * An empty one.
     *
     * @param region tag of its region: 62 for signatures, 63 for the package
     */
    RpmHeader(int region) {
        this.region = region;
    }

    void text(int tag, String text) {
        put(tag, STRING, 1, joined(List.of(text)));
    }

    void translated(int tag, String text) {
        put(tag, TRANSLATED, 1, joined(List.of(text)));
    }

    void texts(int tag, List<String> texts) {
        put(tag, STRINGS, texts.size(), joined(texts));
    }

    void binary(int tag, byte[] bytes) {
        put(tag, BINARY, bytes.length, bytes);
    }

    void number(int tag, int number) {
        numbers(tag, List.of(number));
    }

    void numbers(int tag, List<Integer> numbers) {
        put(
                tag,
                INT32,
                numbers.size(),
                written(out -> {
                    for (int each : numbers) {
                        out.writeInt(each);
                    }
                }));
    }

    void shorts(int tag, List<Integer> numbers) {
        put(
                tag,
                INT16,
                numbers.size(),
                written(out -> {
                    for (int each : numbers) {
                        out.writeShort(each);
                    }
                }));
    }

    private void put(int tag, int type, int count, byte[] bytes) {
        if (values.put(tag, new Value(type, count, bytes)) != null) {
            throw new IllegalArgumentException("tag " + tag + " is there twice");
        }
    }

    /** The header: magic, sizes, index, values. */
    byte[] bytes() {
        ByteArrayOutputStream store = new ByteArrayOutputStream();
        byte[] index =
                written(out -> {
                    for (var each : values.entrySet()) {
                        Value value = each.getValue();
                        while (store.size() % value.alignment() != 0) {
                            store.write(0);
                        }
                        entry(out, each.getKey(), value.type(), store.size(), value.count());
                        store.writeBytes(value.bytes());
                    }
                });
        int entries = values.size() + 1;
        // The region's own value is its index entry once more, with the number of bytes that it
        // reaches back.
        byte[] trailer =
                written(out -> entry(out, region, BINARY, -entries * ENTRY_BYTES, ENTRY_BYTES));
        int trailerAt = store.size();
        store.writeBytes(trailer);
        return written(out -> {
            out.write(MAGIC);
            out.writeInt(entries);
            out.writeInt(store.size());
            entry(out, region, BINARY, trailerAt, ENTRY_BYTES);
            out.write(index);
            store.writeTo(out);
        });
    }

    private static void entry(DataOutputStream out, int tag, int type, int offset, int count)
            throws IOException {
        out.writeInt(tag);
        out.writeInt(type);
        out.writeInt(offset);
        out.writeInt(count);
    }

    private static byte[] joined(List<String> texts) {
        return written(out -> {
            for (String each : texts) {
                out.write(each.getBytes(StandardCharsets.UTF_8));
                out.write(0);
            }
        });
    }

    @FunctionalInterface
    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] written(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
