package org.stillwater.fake.xapi.codec;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A body of any length in pieces, so that 200 MB need no array of 200 MB. Not thread-safe. */
public final class WireBuffer {

    private static final int PIECE_BYTES = 1 << 16;

    private final List<byte[]> full = new ArrayList<>();
    private byte[] piece = new byte[PIECE_BYTES];
    private int used;

    /** Appends one byte. */
    public void put(int b) {
        if (used == PIECE_BYTES) {
            full.add(piece);
            piece = new byte[PIECE_BYTES];
            used = 0;
        }
        piece[used++] = (byte) b;
    }

    /** Appends a text in UTF-8. */
    public WireBuffer put(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                for (byte b : text.substring(i).getBytes(StandardCharsets.UTF_8)) {
                    put(b);
                }
                return this;
            }
            put(c);
        }
        return this;
    }

    /** Bytes so far. */
    public long length() {
        return (long) full.size() * PIECE_BYTES + used;
    }

    /** Writes the first bytes, up to this number. */
    public void writeTo(OutputStream out, long most) throws IOException {
        long left = most;
        for (byte[] each : full) {
            int length = (int) Math.min(left, PIECE_BYTES);
            out.write(each, 0, length);
            left -= length;
        }
        out.write(piece, 0, (int) Math.min(left, used));
    }

    /** All bytes in one array; for small bodies. */
    public byte[] toBytes() {
        byte[] all = new byte[Math.toIntExact(length())];
        int at = 0;
        for (byte[] each : full) {
            System.arraycopy(each, 0, all, at, PIECE_BYTES);
            at += PIECE_BYTES;
        }
        System.arraycopy(piece, 0, all, at, used);
        return all;
    }

    /** As text. */
    @Override
    public String toString() {
        return new String(Arrays.copyOf(toBytes(), (int) length()), StandardCharsets.UTF_8);
    }
}
