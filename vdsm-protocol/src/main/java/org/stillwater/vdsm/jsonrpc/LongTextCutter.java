package org.stillwater.vdsm.jsonrpc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.stillwater.vdsm.stomp.FrameBody;

/**
 * Cuts overlong texts in UTF-8 JSON: one text of a guest must not cost the message about all VMs of
 * its host. Cuts before an escape or a code point, never in it. Only used for messages that may
 * hold such a text. Not thread-safe.
 */
final class LongTextCutter extends FilterInputStream {

    private static final int LONGEST_ESCAPE = 6;
    private static final int HEX_DIGITS = 4;

    private final int most;
    private boolean inText;
    private boolean cutting;
    private boolean escaped;
    private int hexLeft;
    private int length;

    /**
     * A stream of the same JSON.
     *
     * @param most bytes kept of one text
     */
    LongTextCutter(InputStream in, int most) {
        super(in);
        this.most = most;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int count = read(one, 0, 1);
        return count < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        while (true) {
            int read = in.read(into, offset, count);
            if (read < 0) {
                return -1;
            }
            int kept = keep(into, offset, offset + read);
            if (kept > 0) {
                return kept;
            }
        }
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = 0;
        while (skipped < count && read() >= 0) {
            skipped++;
        }
        return skipped;
    }

    @Override
    public int available() {
        return 0;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /**
     * Whether a JSON body may hold a text of more bytes than that. Looks at a few bytes: such a
     * text covers a whole half of its length between two multiples of that half, and within a text
     * each quotation mark comes after a backslash. A wrong "may" is possible, a wrong "may not" is
     * not.
     *
     * @param longest bytes of a text, at least 2
     */
    static boolean mayBeNeeded(FrameBody body, int longest) {
        int half = longest / 2;
        try (InputStream bytes = body.openStream()) {
            long position = 0;
            for (long at = half; at + half <= body.length(); at += half) {
                bytes.skipNBytes(at - 1 - position);
                int before = bytes.read();
                int read = 0;
                boolean outside = false;
                while (!outside && read < half) {
                    int octet = bytes.read();
                    read++;
                    outside = octet == '"' && before != '\\';
                    before = octet;
                }
                if (!outside) {
                    return true;
                }
                position = at + read;
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a body is in memory
        }
    }

    /** Moves the kept bytes together; returns their number. */
    private int keep(byte[] bytes, int from, int to) {
        int out = from;
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (!inText) {
                inText = b == '"';
                length = 0;
                cutting = false;
                bytes[out++] = b;
                continue;
            }
            boolean ends = b == '"' && !escaped;
            boolean starts = !escaped && hexLeft == 0 && (b & 0xc0) != 0x80;
            cutting |= starts && length >= most - LONGEST_ESCAPE;
            hexLeft = escaped && b == 'u' ? HEX_DIGITS : Math.max(0, hexLeft - 1);
            escaped = !escaped && b == '\\';
            if (ends) {
                inText = false;
                bytes[out++] = b;
            } else if (!cutting) {
                bytes[out++] = b;
                length++;
            }
        }
        return out - from;
    }
}
