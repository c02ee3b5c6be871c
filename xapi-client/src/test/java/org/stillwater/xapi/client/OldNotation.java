package org.stillwater.xapi.client;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/**
 * JSON of servers before 2018 as Jackson can take it: the bare words {@code nan} and {@code inf}
 * become those that parsers know. Texts pass as they are.
 */
final class OldNotation extends FilterReader {

    private String pending = "";
    private int at;
    private boolean inText;
    private boolean escaped;

    OldNotation(Reader in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        if (at < pending.length()) {
            return pending.charAt(at++);
        }
        int c = in.read();
        if (inText) {
            if (escaped) {
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
            } else if (c == '"') {
                inText = false;
            }
            return c;
        }
        if (c == '"') {
            inText = true;
        } else if (c == 'i') {
            replace("nf", "nfinity");
            return 'I';
        } else if (c == 'n') {
            int second = in.read();
            if (second == 'a') {
                replace("n", "aN");
                return 'N';
            }
            pending = second < 0 ? "" : String.valueOf((char) second);
            at = 0;
        }
        return c;
    }

    private void replace(String rest, String by) throws IOException {
        for (int i = 0; i < rest.length(); i++) {
            if (in.read() != rest.charAt(i)) {
                throw new XapiException.Protocol("a bare word that is no number", null);
            }
        }
        pending = by;
        at = 0;
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
        int read = 0;
        while (read < length) {
            int c = read();
            if (c < 0) {
                return read == 0 ? -1 : read;
            }
            buffer[offset + read++] = (char) c;
        }
        return read;
    }
}
