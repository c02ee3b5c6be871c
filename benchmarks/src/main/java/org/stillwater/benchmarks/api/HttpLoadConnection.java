package org.stillwater.benchmarks.api;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection that is kept, with as little as possible between the socket and the
 * clock: the load generator shares the machine with the engine. Used by one thread.
 */
public final class HttpLoadConnection implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;
    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;
    private final byte[] skipped = new byte[BUFFER];
    private @Nullable Socket socket;
    private @Nullable InputStream in;
    private boolean ends;

    /** Answer; its body was read and discarded. */
    public record Answer(int status, long bytes, @Nullable String tag) {}

    /** A connection to this port of the loopback address, made when it is first used. */
    public HttpLoadConnection(int port) {
        this.port = port;
    }

    /** A GET with further header lines, each ending in CR LF. */
    public Answer get(String path, String headers) throws IOException {
        return send(
                ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends any bytes and returns the answer to them. */
    public Answer send(byte[] request) throws IOException {
        return send(request, false);
    }

    /** A request with an answer without a body, for any headers. */
    public Answer head(byte[] request) throws IOException {
        return send(request, true);
    }

    private Answer send(byte[] request, boolean head) throws IOException {
        if (socket == null) {
            Socket opened = new Socket(InetAddress.getLoopbackAddress(), port);
            opened.setTcpNoDelay(true);
            opened.setSoTimeout(PATIENCE_MILLIS);
            socket = opened;
            in = new BufferedInputStream(opened.getInputStream(), BUFFER);
        }
        OutputStream out = socket.getOutputStream();
        out.write(request);
        out.flush();
        return answer(head);
    }

    private Answer answer(boolean head) throws IOException {
        String status = line();
        String[] words = status.split(" ", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/1.")) {
            throw new IOException("no answer: " + status);
        }
        int code = Integer.parseInt(words[1]);
        long length = -1;
        boolean chunked = false;
        String tag = null;
        ends = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            String name = header.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
            String value = header.substring(colon + 1).strip();
            switch (name) {
                case "content-length" -> length = Long.parseLong(value);
                case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
                case "etag" -> tag = value;
                case "connection" -> ends = value.equalsIgnoreCase("close");
                default -> {}
            }
        }
        long bytes = 0;
        if (head || code == 304 || code == 204 || code < 200) {
            bytes = 0;
        } else if (chunked) {
            bytes = chunks();
        } else if (length >= 0) {
            skip(length);
            bytes = length;
        } else {
            bytes = rest();
            ends = true;
        }
        if (ends) {
            close();
        }
        return new Answer(code, bytes, tag);
    }

    private InputStream in() throws IOException {
        if (in == null) {
            throw new IOException("not connected");
        }
        return in;
    }

    private long chunks() throws IOException {
        long bytes = 0;
        while (true) {
            long size = Long.parseLong(line().split(";", 2)[0].strip(), 16);
            skip(size);
            String _ = line();
            if (size == 0) {
                return bytes;
            }
            bytes += size;
        }
    }

    private long rest() throws IOException {
        long bytes = 0;
        int read = in().read(skipped);
        while (read >= 0) {
            bytes += read;
            read = in().read(skipped);
        }
        return bytes;
    }

    private void skip(long bytes) throws IOException {
        long left = bytes;
        while (left > 0) {
            int read = in().read(skipped, 0, (int) Math.min(skipped.length, left));
            if (read < 0) {
                throw new EOFException("the answer ended early");
            }
            left -= read;
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int c = in().read();
        while (c != '\n') {
            if (c < 0) {
                throw new EOFException("the connection was closed");
            }
            if (c != '\r') {
                line.append((char) c);
            }
            c = in().read();
        }
        return line.toString();
    }

    @Override
    public void close() {
        Socket open = socket;
        socket = null;
        in = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException _) {
                // it is closed, as intended
            }
        }
    }
}
