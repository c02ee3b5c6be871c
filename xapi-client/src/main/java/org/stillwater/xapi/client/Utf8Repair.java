package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/**
 * Bytes as UTF-8 that a parser of XML or JSON takes: a real server passes on bytes that are none,
 * and characters that XML does not know; they become question marks. Used only once a reply could
 * not be read, since it costs as much as the parsing.
 */
final class Utf8Repair extends InputStream {

    private static final int CHARACTERS = 4_096;

    private final Reader reader;
    private final char[] characters = new char[CHARACTERS + 1];
    private byte[] bytes = new byte[0];
    private int at;

    Utf8Repair(InputStream in) {
        this.reader = new InputStreamReader(in, StandardCharsets.UTF_8);
    }

    private boolean fill() throws IOException {
        int length = reader.read(characters, 0, CHARACTERS);
        if (length < 0) {
            return false;
        }
        if (length > 0 && Character.isHighSurrogate(characters[length - 1])) {
            int second = reader.read(); // a pair is encoded together
            if (second >= 0) {
                characters[length++] = (char) second;
            }
        }
        for (int i = 0; i < length; i++) {
            char c = characters[i];
            boolean known = c >= ' ' ? c < '\uFFFD' : c == '\t' || c == '\n' || c == '\r';
            if (!known) {
                characters[i] = '?';
            }
        }
        bytes = new String(characters, 0, length).getBytes(StandardCharsets.UTF_8);
        at = 0;
        return true;
    }

    @Override
    public int read() throws IOException {
        while (at == bytes.length) {
            if (!fill()) {
                return -1;
            }
        }
        return bytes[at++] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (at == bytes.length) {
            if (!fill()) {
                return -1;
            }
        }
        int read = Math.min(length, bytes.length - at);
        System.arraycopy(bytes, at, into, offset, read);
        at += read;
        return read;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
